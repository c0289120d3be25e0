import { and, inArray, sql } from 'drizzle-orm';
import { malformed } from '../../base/errors.ts';
import { query } from '../../database/query-builder.ts';
import { type Statement, statementOf } from '../../database/statement.ts';
import type { View } from '../../model/content-model.ts';
import type { Actor } from '../actor.ts';
import type { Content } from './content.ts';
import type { ContentKind } from './kinds.ts';
import { type Page, readListed } from './lists.ts';
import type { Services } from './services.ts';
import { type ViewQuestion, viewCondition, viewOrder } from './view-conditions.ts';
import { visibleRows } from './visible-rows.ts';

/** The maximum length of a whole list: more ids need too much memory, and exceed the answer of a libSQL server. */
const MAX_WHOLE = 1_000_000;

/**
 * What the actor may see of a configured list, in batches; of the whole list or of one page. `questions` are what the
 * request filters by. Throws `malformed` for a whole list that is too long.
 */
export async function* listView(
  services: Services,
  kind: ContentKind,
  view: View,
  questions: readonly ViewQuestion[],
  actor: Actor,
  page: Page | undefined,
): AsyncGenerator<Content[]> {
  const row = await services.database.get(viewQuery(kind, view, questions, actor, page));
  const ids = JSON.parse(row?.ids ?? '[]') as number[];
  if (ids.length > MAX_WHOLE)
    throw malformed(`This list has more than ${MAX_WHOLE} entries: ask for its pages with "page", from 0.`);
  yield* readListed(services, kind, ids);
}

/** Returns the query of a list: one row with the ids as JSON. A row per id would need several times the memory. */
export function viewQuery(
  kind: ContentKind,
  view: View,
  questions: readonly ViewQuestion[],
  actor: Actor,
  page: Page | undefined,
): Statement<{ ids: string }[]> {
  const { table } = kind;
  const conditions = [
    view.bundles && inArray(table.bundle, [...view.bundles]),
    ...[...view.fixed, ...questions].map((question) => viewCondition(kind, question)),
    visibleRows(kind, actor, table),
  ];
  const listed = query
    .select({ id: table.id })
    .from(table)
    .where(and(...conditions))
    .orderBy(...view.order.map((each) => viewOrder(kind, each)), table.id)
    .limit(page?.limit ?? MAX_WHOLE + 1)
    .offset(page?.offset ?? 0)
    .as('listed');
  return statementOf(query.select({ ids: sql<string>`json_group_array(${listed.id})` }).from(listed));
}
