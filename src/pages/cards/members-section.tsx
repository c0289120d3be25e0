import { entityPath } from '../../paths.ts';
import type { NodePageData } from '../../representation/page-data.ts';
import type { View } from '../view.ts';
import { CardSection } from './card-section.tsx';

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
export function MembersSection({ view, data: { members, query } }: { view: View; data: NodePageData }) {
  const { content, around, root, language } = view;
  const { id } = content.head;
  const { externalUri = '' } = around.targets.find(({ field }) => field === 'field_model')?.target ?? {};
  const words = Object.hasOwn(WORDS, externalUri) ? (WORDS[externalUri] ?? PARTS) : PARTS;
  return (
    <CardSection
      {...words}
      found={members}
      list={{ path: root + entityPath.node(id), query, anchor: 'members' }}
      sorts={SORTS}
      root={root}
      language={language}
      parent={id}
    />
  );
}
