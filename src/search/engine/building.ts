import type { Database } from '../../database/database.ts';
import { query } from '../../database/query-builder.ts';
import { searchIndex } from '../../database/schema/search.ts';
import { prepare } from '../../database/statement.ts';
import type { SearchResult } from '../search-types.ts';

const findState = prepare(() =>
  query.select({ building: searchIndex.building, done: searchIndex.done, total: searchIndex.total }).from(searchIndex),
);

/** Returns the progress of a build of the index; undefined if it is complete. */
export async function findBuilding(database: Database): Promise<SearchResult['isBuilding']> {
  const state = await database.get(findState());
  return state === undefined || state.building === null ? undefined : { done: state.done, total: state.total };
}
