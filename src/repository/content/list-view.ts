import { malformed } from '../../base/errors.ts';
import type { View } from '../../model/views.ts';
import type { Actor } from '../actor.ts';
import type { Services } from '../services.ts';
import type { Content } from './content.ts';
import type { ContentKind } from './kinds.ts';
import { type Page, readListed } from './lists.ts';
import { type ViewQuestion, viewCondition, viewOrder } from './view-conditions.ts';
import { type Condition, visibleRows } from './visible-rows.ts';
import { tableNames } from './write-content.ts';

/** The ids of a longer list are more than should be held at once, and than a libSQL server answers with. */
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
  const { sql, args } = viewQuery(kind, view, questions, actor, page);
  const row = await services.database.first(sql, args);
  const ids = JSON.parse(String(row?.[0] ?? '[]')) as number[];
  if (ids.length > MAX_WHOLE)
    throw malformed(`This list has more than ${MAX_WHOLE} entries: ask for its pages with "page", from 0.`);
  yield* readListed(services, kind, ids);
}

/** The query of a list: one row with the ids as JSON. */
export function viewQuery(
  kind: ContentKind,
  view: View,
  questions: readonly ViewQuestion[],
  actor: Actor,
  page: Page | undefined,
): { sql: string; args: (string | number)[] } {
  const [table] = tableNames(kind);
  const { bundles } = view;
  const conditions: Condition[] = [
    ...(bundles === undefined ? [] : [{ sql: `e.bundle IN (${bundles.map(() => '?')})`, args: bundles }]),
    ...[...view.fixed, ...questions].map((question) => viewCondition(kind, question)),
    visibleRows(kind, actor, 'e'),
  ];
  const order = [...view.order.map((each) => viewOrder(kind, each)), 'e.id'];
  // As one text: a row for each of very many would take several times the room.
  const sql = `SELECT json_group_array(id) FROM (SELECT e.id FROM ${table} e
    WHERE ${conditions.map((each) => each.sql).join(' AND ')} ORDER BY ${order.join(', ')} LIMIT ? OFFSET ?)`;
  const args = [...conditions.flatMap((each) => each.args), page?.limit ?? MAX_WHOLE + 1, page?.offset ?? 0];
  return { sql, args };
}
