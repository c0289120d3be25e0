import { and, eq, inArray, type SQL, sql } from 'drizzle-orm';
import { malformed } from '../../../base/errors.ts';
import { query } from '../../../database/query-builder.ts';
import type { ContentTable } from '../../../database/schema/content.ts';
import { references, termUris } from '../../../database/schema/references.ts';
import { isText, literal } from '../../../database/sql.ts';
import { type Statement, statementOf } from '../../../database/statement.ts';
import type { View, ViewField, ViewFilter, ViewOrder } from '../../../model/content-model.ts';
import type { Actor } from '../../actor.ts';
import { type Content, foldLabel } from '../content.ts';
import type { ContentKind } from '../kinds.ts';
import type { Services } from '../services.ts';
import { visibleRows } from '../visible-rows.ts';
import { type Page, readListed } from './lists.ts';

/** The maximum length of a whole list: more ids need too much memory, and exceed the answer of a libSQL server. */
const MAX_WHOLE = 1_000_000;

/**
 * Yields the entries of a configured list, or of one page, that the actor may view, in batches. `questions` are the
 * filters of the request. Throws `malformed` for a whole list that is too long.
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
    throw malformed(`This list has more than ${MAX_WHOLE} entries. Request its pages with "page", from 0.`);
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

/** A filter with a requested value. */
export interface ViewQuestion extends ViewFilter {
  readonly value: string | number | boolean;
}

type ColumnName = keyof ContentTable['$inferSelect'];

/** Base fields with their own column, by name. Names of the id, the bundle and the label differ. */
const COLUMNS: Readonly<Record<string, ColumnName>> = { uuid: 'uuid', uid: 'ownerId', status: 'status' };

const NO_CASE = sql` COLLATE NOCASE`;
const AS_IT_IS = sql``;

/** Returns the condition of a filter, in a form that indexes support. */
function viewCondition(kind: ContentKind, { field, operator, value }: ViewQuestion): SQL {
  const { table } = kind;
  const column = columnOf(kind, field);
  if (field.kind === 'id' && column === undefined) return referring(kind, field, value);
  if (column === 'uuid' && operator === 'equals') return eq(table.uuid, String(value).toLowerCase());
  if (column === 'foldedLabel') return compare(sql`${table.foldedLabel}`, operator, foldLabel(String(value)), AS_IT_IS);
  if (column !== undefined) return compare(sql`${table[column]}`, operator, value, NO_CASE);
  const item = sql`item.value ->> ${literal(`$.${field.property}`)}`;
  const text = field.kind === 'text' ? sql`CAST(${item} AS TEXT)` : item;
  const items = sql`json_each(${table.document}, ${literal(`$.${field.name}`)}) item`;
  return sql`EXISTS (SELECT 1 FROM ${items} WHERE ${compare(text, operator, value, NO_CASE)})`;
}

/** Returns the expression for the order of rows. */
function viewOrder(kind: ContentKind, { field, isDescending }: ViewOrder): SQL {
  const { table } = kind;
  const column = columnOf(kind, field);
  const path = literal(`$.${field.name}[0].${field.property}`);
  const sorted = column === 'foldedLabel' ? 'sortLabel' : column;
  const value = sorted === undefined ? sql`${table.document} ->> ${path}` : sql`${table[sorted]}`;
  const collation = field.kind === 'text' && sorted !== 'sortLabel' ? NO_CASE : AS_IT_IS;
  return isDescending ? sql`${value}${collation} DESC` : sql`${value}${collation}`;
}

function columnOf(
  { type, names, bundleMember, labelMember }: ContentKind,
  { name }: ViewField,
): ColumnName | undefined {
  if (name === names.id) return 'id';
  if (name === bundleMember) return 'bundle';
  if (name === labelMember) return type === 'taxonomy_term' ? 'foldedLabel' : 'label';
  return Object.hasOwn(COLUMNS, name) ? COLUMNS[name] : undefined;
}

function referring({ type, table }: ContentKind, { name, targetType }: ViewField, value: ViewQuestion['value']): SQL {
  const target =
    typeof value === 'string'
      ? sql`${references.targetId} IN ${query.select({ id: termUris.termId }).from(termUris).where(eq(termUris.uri, value))}`
      : eq(references.targetId, Number(value));
  const referrers = query
    .select({ id: references.sourceId })
    .from(references)
    .where(
      and(
        eq(references.targetType, targetType ?? ''),
        target,
        isText(references.sourceType, type),
        eq(references.field, name),
      ),
    );
  return sql`${table.id} IN ${referrers}`;
}

function compare(text: SQL, operator: ViewFilter['operator'], value: ViewQuestion['value'], collation: SQL): SQL {
  if (typeof value !== 'string') return sql`${text} = ${Number(value)}`;
  if (operator === 'equals') return sql`${text} = ${value}${collation}`;
  const pattern = `${value.replace(/[\\%_]/g, '\\$&')}%`;
  // LIKE ignores the case of the letters A to Z.
  return sql`${text} LIKE ${operator === 'contains' ? `%${pattern}` : pattern} ESCAPE '\\'`;
}
