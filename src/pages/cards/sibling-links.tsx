import { languageOf, langWithin, PAGE_LANGUAGE } from '../../field-types/display/language.ts';
import { entityPath } from '../../paths.ts';
import type { LinkedContent } from '../../repository/content/read/find-breadcrumbs.ts';
import type { Siblings } from '../../repository/content/read/find-siblings.ts';

interface Props {
  readonly siblings: Siblings | undefined;
  /** The collection that the address of the page names. */
  readonly collection: number | undefined;
  /** The path prefix of the site. */
  readonly root: string;
  /** The language of the page. */
  readonly language: string;
}

/** Links to the previous and the next member of a node's collection. Needs the styles of `cards.css`. */
export function SiblingLinks({ siblings, collection, root, language }: Props) {
  if (siblings?.previous === undefined && siblings?.next === undefined) return null;
  const { parent, previous, next } = siblings;
  const search = parent.id === collection ? `?in=${collection}` : '';
  const addressOf = ({ id }: LinkedContent) => root + entityPath.node(id) + search;
  return (
    <nav class="siblings" aria-label={`Neighbours in ${parent.label}`} {...langWithin(PAGE_LANGUAGE, language)}>
      {previous && (
        <a rel="prev" href={addressOf(previous)}>
          <span class="soft">Previous</span> <Title node={previous} />
        </a>
      )}
      {next && (
        <a rel="next" class="next" href={addressOf(next)}>
          <span class="soft">Next</span> <Title node={next} />
        </a>
      )}
    </nav>
  );
}

function Title({ node }: { node: LinkedContent }) {
  return (
    <bdi class="sibling-title" lang={languageOf(node.language)}>
      {node.label}
    </bdi>
  );
}
