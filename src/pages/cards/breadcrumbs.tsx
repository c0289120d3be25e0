import { languageOf, langWithin, PAGE_LANGUAGE } from '../../field-types/display/language.ts';
import { entityPath } from '../../paths.ts';
import type { LinkedContent } from '../../repository/content/read/find-breadcrumbs.ts';

interface Props {
  /** The paths to the node, each from the topmost ancestor to a parent (`findBreadcrumbs`). */
  readonly paths: readonly (readonly LinkedContent[])[];
  /** The path prefix of the site. */
  readonly root: string;
  /** The language of the page. */
  readonly language: string;
}

/** The breadcrumbs of a node: the paths from the topmost collections. Nothing for a node outside of collections. */
export function Breadcrumbs({ paths, root, language }: Props) {
  if (paths.length === 0) return null;
  return (
    <nav aria-label="Part of" {...langWithin(PAGE_LANGUAGE, language)}>
      {paths.map((path) => (
        <ol key={path.map(({ id }) => id).join()} class="way">
          {path.map((node) => (
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

/** The breadcrumbs of a form: the content that it belongs to. */
export function ItemCrumbs({ address, title }: { readonly address: string; readonly title: string }) {
  return (
    <nav aria-label="Breadcrumb">
      <a href={address}>
        <bdi>{title}</bdi>
      </a>
    </nav>
  );
}
