import { setImmediate } from 'node:timers/promises';
import { and, eq, inArray, isNull, ne, notExists } from 'drizzle-orm';
import { CommandError } from '../base/errors.ts';
import { nearest } from '../base/nearest.ts';
import type { Database } from '../database/database.ts';
import { query } from '../database/query-builder.ts';
import { authorityLists } from '../database/schema/authorities.ts';
import { runs } from '../database/schema/runs.ts';
import { type Statement, statementOf } from '../database/statement.ts';
import { deleteSomeLeftovers, deleteSomeRecords, dropWords, findLists } from './list-statements.ts';

/** An authority list that is loaded. */
export type AuthorityList = typeof authorityLists.$inferSelect;

/** Rows that one transaction deletes: other writes wait for it. */
const SLICE = 5_000;

/** Returns the loaded lists, by name. */
export function listAuthorities(database: Database): Promise<AuthorityList[]> {
  return database.all(findLists('current'));
}

/** Returns the statements that replace the list of a name by another one, for readers at once. */
export function replaceList(
  { id, name }: Pick<AuthorityList, 'id' | 'name'>,
  facts: { readonly records: number; readonly names: number; readonly loadedAt: number },
): Statement[] {
  const isFormer = and(eq(authorityLists.name, name), eq(authorityLists.state, 'current'), ne(authorityLists.id, id));
  return [
    statementOf(query.update(authorityLists).set({ state: 'removed' }).where(isFormer)),
    statementOf(
      query
        .update(authorityLists)
        .set({ state: 'current', ...facts })
        .where(eq(authorityLists.id, id)),
    ),
  ];
}

/** Removes a list. Throws CommandError with the most similar name if there is none of the name. */
export async function removeAuthority(database: Database, name: string, signal: AbortSignal): Promise<AuthorityList> {
  const lists = await listAuthorities(database);
  const list = lists.find((each) => each.name === name);
  if (list === undefined) {
    const guess = nearest(
      name,
      lists.map((each) => each.name),
    );
    const hint = guess === undefined ? 'list all with: repo authority list' : `did you mean ${guess}?`;
    throw new CommandError(`There is no authority list ${name}; ${hint}`);
  }
  await database.write({ removed: markRemoved([list.id]) });
  await deleteRemoved(database, signal);
  return list;
}

function markRemoved(ids: readonly number[]): Statement {
  return statementOf(
    query
      .update(authorityLists)
      .set({ state: 'removed' })
      .where(inArray(authorityLists.id, [...ids])),
  );
}

/**
 * Deletes the rows of removed lists, and of those whose loading has ended before they were complete, slice by slice.
 */
export async function deleteRemoved(database: Database, signal: AbortSignal): Promise<void> {
  const open = query
    .select({ id: runs.id })
    .from(runs)
    .where(and(eq(runs.id, authorityLists.runId), isNull(runs.endedAt)));
  const isAbandoned = and(eq(authorityLists.state, 'loading'), notExists(open));
  await database.write({
    abandoned: statementOf(query.update(authorityLists).set({ state: 'removed' }).where(isAbandoned)),
  });
  for (const { id: listId } of await database.all(findLists('removed'))) {
    await database.write({ words: dropWords(listId) });
    for (const deleteSome of [deleteSomeRecords, deleteSomeLeftovers])
      for (let left = true; left; ) {
        await setImmediate();
        signal.throwIfAborted();
        const { deleted } = await database.write({ deleted: deleteSome({ listId, limit: SLICE }) });
        left = deleted.changes > 0;
      }
    await database.write({
      list: statementOf(query.delete(authorityLists).where(eq(authorityLists.id, listId))),
    });
  }
}
