import { languageOf, langWithin, PAGE_LANGUAGE } from '../../field-types/display/language.ts';
import { entityPath } from '../../paths.ts';
import type { LinkedContent } from '../../repository/content/find-breadcrumbs.ts';

interface Props {
  /** The ways to the node, each from the topmost ancestor to a parent (`findBreadcrumbs`). */
  readonly ways: readonly (readonly LinkedContent[])[];
  /** The path prefix of the site. */
  readonly root: string;
  /** The language of the page. */
  readonly language: string;
}

/** The ways from the topmost collections to a node. Nothing for a node outside of collections. */
export function Breadcrumbs({ ways, root, language }: Props) {
  if (ways.length === 0) return null;
  return (
    <nav aria-label="Part of" {...langWithin(PAGE_LANGUAGE, language)}>
      {ways.map((way) => (
        <ol key={way.map(({ id }) => id).join()} class="way">
          {way.map((node) => (
            <li key={node.id}>
              <a href={root + entityPath.node(node.id)} dir="auto" lang={languageOf(node.language)}>
                {node.label}
              </a>
            </li>
          ))}
        </ol>
      ))}
    </nav>
  );
}
