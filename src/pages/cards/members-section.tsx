import type { ItemModel } from '../../model/item-models.ts';
import { entityPath } from '../../paths.ts';
import { modelOf } from '../../repository/content/read/surroundings.ts';
import type { NodePageData } from '../item/node-page-data.ts';
import { SearchCollection } from '../search/search-within.tsx';
import type { View } from '../view.ts';
import { CardSection } from './card-section.tsx';

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
      result={members}
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

/** Returns the words of the list of a node's members. */
function membersWords({ around, source }: View): ItemModel['members'] {
  return modelOf(source.model, around).members;
}

/** Returns true for a node whose members matter more than its details. */
export function isCollectionView({ around, source }: View): boolean {
  return modelOf(source.model, around).structure === 'collection';
}
