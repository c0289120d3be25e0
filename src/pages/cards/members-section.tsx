import { entityPath } from '../../paths.ts';
import type { FoundCards } from '../../repository/content/find-cards.ts';
import type { PageQuery } from '../../representation/page-data.ts';
import { CardSection } from './card-section.tsx';

interface Props {
  readonly node: number;
  /** The URI of the node's model. */
  readonly modelUri: string | undefined;
  readonly members: FoundCards;
  readonly query: PageQuery;
  /** The path prefix of the site. */
  readonly root: string;
  /** The language of the page. */
  readonly language: string;
}

const SORTS = [
  ['order', 'Order'],
  ['title', 'Title'],
  ['date', 'Date'],
  ['newest', 'Newest'],
] as const;

const COLLECTION = { title: 'In this collection', empty: 'This collection has no items yet.' };
const PAGES = { title: 'Pages' };
const PARTS = { title: 'Parts' };

/** The titles of lists of members by model. Without members, only a collection has a list. */
const WORDS: Readonly<Record<string, { readonly title: string; readonly empty?: string }>> = {
  'http://purl.org/dc/dcmitype/Collection': COLLECTION,
  'https://schema.org/Newspaper': { title: 'Issues', empty: 'This newspaper has no issues yet.' },
  'https://schema.org/Book': PAGES,
  'https://schema.org/PublicationIssue': PAGES,
};

/** The members of a node, for its page. Needs the styles of `cards.css`. */
export function MembersSection({ node, modelUri = '', members, query, root, language }: Props) {
  const words = Object.hasOwn(WORDS, modelUri) ? (WORDS[modelUri] ?? PARTS) : PARTS;
  return (
    <CardSection
      {...words}
      found={members}
      list={{ path: root + entityPath.node(node), query, anchor: 'members' }}
      sorts={SORTS}
      root={root}
      language={language}
      parent={node}
    />
  );
}
