import { langWithin, PAGE_LANGUAGE } from '../../field-types/display/language.ts';
import { entityPath, pathOf } from '../../paths.ts';
import type { View } from '../view.ts';
import type { AppliedRule, ItemAccess } from './item-access.ts';

interface Props {
  readonly view: View;
  readonly rules: readonly AppliedRule[];
  readonly networks: ItemAccess['networks'];
}

/** Who can see an item, for its editors, with the rules that decide on it and links to the page as others see it. */
export function WhoCanSee({ view, rules, networks }: Props) {
  const { content, root, language } = view;
  const path = root + pathOf('nodeViewAs', { node: content.head.id });
  return (
    <div class="who-can-see" {...langWithin(PAGE_LANGUAGE, language)}>
      <p>
        <strong>Who can see this:</strong>{' '}
        {!content.head.status && 'Only its owner and editors, because it is not published. Once it is published: '}
        {rules.length === 0 && 'Everyone sees the item and its files.'}
      </p>
      {rules.length > 0 && (
        <ul>
          {rules.map(({ label, text, source }) => (
            <li key={`${source?.id} ${label} ${text}`}>
              {text} <span class="soft">({<Origin label={label} source={source} root={root} />})</span>
            </li>
          ))}
        </ul>
      )}
      <p>
        <a href={path}>View as a stranger</a>
        {networks.map((name) => (
          <>
            {' · '}
            <a key={name} href={`${path}?network=${encodeURIComponent(name)}`}>
              View on the network {name}
            </a>
          </>
        ))}
      </p>
    </div>
  );
}

function Origin({ label, source, root }: Pick<AppliedRule, 'label' | 'source'> & { readonly root: string }) {
  if (source === undefined) return <>its own rule “{label}”</>;
  if (source.label === undefined) return <>rule “{label}” of an item that you may not see</>;
  return (
    <>
      rule “{label}” of{' '}
      <a href={root + entityPath.node(source.id)}>
        <bdi>{source.label}</bdi>
      </a>
    </>
  );
}
