import type { ViewField, ViewFilter, ViewOrder } from '../../model/views.ts';
import { foldLabel } from './fold-label.ts';
import type { ContentKind } from './kinds.ts';
import type { Condition } from './visible-rows.ts';

/** A filter with what it asks for. */
export interface ViewQuestion extends ViewFilter {
  readonly value: string | number | boolean;
}

/** Base fields that are columns of their own, by name. Names of the id, the bundle and the label differ. */
const COLUMNS: Readonly<Record<string, string>> = { uuid: 'uuid', uid: 'owner_id', status: 'status' };

/** A condition of the rows that a filter lets through; `e` is the table. What an index helps with stands by itself. */
export function viewCondition(kind: ContentKind, { field, operator, value }: ViewQuestion): Condition {
  const column = columnOf(kind, field);
  if (field.kind === 'id' && column === undefined) return referring(kind, field, value);
  if (column === 'uuid' && operator === 'equals') return { sql: 'e.uuid = ?', args: [String(value).toLowerCase()] };
  if (column === 'folded_label') return compare('e.folded_label', operator, foldLabel(String(value)), '');
  if (column !== undefined) return compare(`e.${column}`, operator, value, NO_CASE);
  const item = `i.value ->> '$.${field.property}'`;
  const text = field.kind === 'text' ? `CAST(${item} AS TEXT)` : item;
  const { sql, args } = compare(text, operator, value, NO_CASE);
  return { sql: `EXISTS (SELECT 1 FROM json_each(e.document, '$.${field.name}') i WHERE ${sql})`, args };
}

/** What rows are sorted by. */
export function viewOrder(kind: ContentKind, { field, isDescending }: ViewOrder): string {
  const column = columnOf(kind, field);
  const value = column === undefined ? `e.document ->> '$.${field.name}[0].${field.property}'` : `e.${column}`;
  const collation = field.kind === 'text' && column !== 'folded_label' ? NO_CASE : '';
  return `${value}${collation}${isDescending ? ' DESC' : ''}`;
}

const NO_CASE = ' COLLATE NOCASE';

function columnOf({ type, names, bundleMember, labelMember }: ContentKind, { name }: ViewField): string | undefined {
  if (name === names.id) return 'id';
  if (name === bundleMember) return 'bundle';
  if (name === labelMember) return type === 'taxonomy_term' ? 'folded_label' : 'label';
  return Object.hasOwn(COLUMNS, name) ? COLUMNS[name] : undefined;
}

function referring({ type }: ContentKind, { name, targetType }: ViewField, value: ViewQuestion['value']): Condition {
  const isUri = typeof value === 'string';
  const target = isUri ? 'IN (SELECT term_id FROM term_uri WHERE uri = ?)' : '= ?';
  return {
    sql: `e.id IN (SELECT source_id FROM reference
      WHERE target_type = ? AND target_id ${target} AND source_type = '${type}' AND field = ?)`,
    args: [targetType ?? '', isUri ? value : Number(value), name],
  };
}

function compare(
  sql: string,
  operator: ViewFilter['operator'],
  value: ViewQuestion['value'],
  collation: string,
): Condition {
  if (typeof value !== 'string') return { sql: `${sql} = ?`, args: [Number(value)] };
  if (operator === 'equals') return { sql: `${sql} = ?${collation}`, args: [value] };
  const pattern = `${value.replace(/[\\%_]/g, '\\$&')}%`;
  // Without regard to the case of the letters A to Z.
  return { sql: `${sql} LIKE ? ESCAPE '\\'`, args: [operator === 'contains' ? `%${pattern}` : pattern] };
}
