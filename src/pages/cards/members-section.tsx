import { entityPath } from '../../paths.ts';
import type { NodePageData } from '../item/node-page-data.ts';
import { SearchCollection } from '../search/search-within.tsx';
import type { View } from '../view.ts';
import { CardSection } from './card-section.tsx';
import { isCollectionView, membersWords } from './members-words.ts';

const SORTS = [
  ['order', 'Order'],
  ['title', 'Title'],
  ['date', 'Date'],
  ['newest', 'Newest'],
] as const;

/** The members of a node, for its page. Needs the styles of `cards.css`. */
export function MembersSection({ view, data: { members, query } }: { view: View; data: NodePageData }) {
  const { content, root, language } = view;
  const { id } = content.head;
  return (
    <CardSection
      {...membersWords(view)}
      found={members}
      list={{ path: root + entityPath.node(id), query, anchor: 'members' }}
      sorts={SORTS}
      root={root}
      language={language}
      parent={id}
    >
      {isCollectionView(view) && <SearchCollection view={view} />}
    </CardSection>
  );
}
