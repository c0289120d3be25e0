import { languageOf, langWithin, PAGE_LANGUAGE } from '../../field-types/display/language.ts';
import { entityPath } from '../../paths.ts';
import type { Neighbour } from '../../repository/content/read/surroundings.ts';
import { MEDIA_OF } from '../../repository/relations.ts';
import type { View } from '../view.ts';

export const USE_FIELD = 'field_media_use';

/** The use of a media and the item to which it belongs: "Original File of View over the bay". */
export function Belonging({ view }: { view: View }) {
  const nodes = targetsOf(view, MEDIA_OF);
  const uses = targetsOf(view, USE_FIELD);
  if (nodes.length === 0 && uses.length === 0) return null;
  const { root, language, source } = view;
  const lang = langWithin(PAGE_LANGUAGE, language);
  return (
    <p class="belonging">
      {uses.map((use, at) => (
        <span key={use.id}>
          {at > 0 && ', '}
          <bdi {...langWithin(languageOf(use.language ?? source.model.defaultLanguage), language)}>{use.label}</bdi>
        </span>
      ))}
      {nodes.length > 0 && <span {...lang}>{uses.length > 0 ? ' of ' : 'Part of '}</span>}
      {nodes.map((node, at) => (
        <span key={node.id}>
          {at > 0 && ', '}
          <a href={root + entityPath.node(node.id)}>
            <bdi>{node.label}</bdi>
          </a>
        </span>
      ))}
    </p>
  );
}

/** The breadcrumbs of a media: its item. */
export function BelongingCrumbs({ view }: { view: View }) {
  const nodes = targetsOf(view, MEDIA_OF);
  if (nodes.length === 0) return null;
  return (
    <nav aria-label="Part of" {...langWithin(PAGE_LANGUAGE, view.language)}>
      {nodes.map(({ id, label }, at) => (
        <span key={id}>
          {at > 0 && ' · '}
          <a href={view.root + entityPath.node(id)}>
            <bdi>{label}</bdi>
          </a>
        </span>
      ))}
    </nav>
  );
}

function targetsOf({ around }: View, name: string): Neighbour[] {
  return around.targets.flatMap(({ field, target }) => (field === name ? [target] : []));
}
