import { setImmediate } from 'node:timers/promises';
import type { Database } from '../../database/database.ts';
import type { Actor } from '../actor.ts';
import { findPage } from './find-page.ts';
import type { FilterValues, ListName } from './list-question.ts';

/** The number of ids per read, so that other requests proceed in between. */
const GROUP = 1_000;

/** Yields the ids of all entities of a list that pass the filters and that the actor may view, in groups, in their order. */
export async function* findIds(
  database: Database,
  actor: Actor,
  list: ListName,
  filters: FilterValues,
): AsyncGenerator<number[]> {
  const question = { list, filters, sort: 'id', isDescending: false, size: GROUP } as const;
  for (let id = 0, hasNext = true; hasNext; ) {
    const page = await findPage(database, actor, { ...question, part: { after: { key: id, id } } });
    ({ hasNext } = page);
    const ids = page.rows.map((row) => row.id);
    id = ids.at(-1) ?? id;
    if (ids.length > 0) yield ids;
    await setImmediate();
  }
}
