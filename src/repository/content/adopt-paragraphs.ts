import type { InStatement } from '@libsql/client';
import type { Draft } from './base-field.ts';
import type { ReferenceRow } from './index-rows.ts';
import type { ContentKind } from './kinds.ts';

/**
 * Statements that make the paragraphs among these references belong to what refers to them, and let the transaction fail
 * where one belongs to something else by then. They come after the row of the host.
 */
export function adoptParagraphs(kind: ContentKind, draft: Draft, rows: readonly ReferenceRow[]): InStatement[] {
  const fieldOf = new Map<number, string>();
  for (const [field, , type, id] of rows) if (type === 'paragraph' && !fieldOf.has(id)) fieldOf.set(id, field);
  if (fieldOf.size === 0) return [];
  const fields = JSON.stringify(Object.fromEntries(fieldOf));
  const { type } = kind;
  const item = (value: string) => `json_array(json_object('value', ${value}))`;
  return [
    {
      sql: `UPDATE paragraph AS p SET host_type = '${type}', host_id = e.id, changed = max(p.changed, ?), version = p.version + 1,
          document = json_set(p.document, '$.parent_id', ${item('CAST(e.id AS TEXT)')},
            '$.parent_type', ${item(`'${type}'`)}, '$.parent_field_name', ${item('j.value')})
        FROM json_each(?) j, ${type} e
        WHERE e.uuid = ? AND p.id = CAST(j.key AS INTEGER) AND (p.host_id IS NULL OR (p.host_type = '${type}'
          AND p.host_id = e.id AND p.document ->> '$.parent_field_name[0].value' IS NOT j.value))`,
      args: [draft.changed, fields, draft.uuid],
    },
    {
      sql: `INSERT INTO guard (stale) SELECT 1 FROM json_each(?) j, ${type} e WHERE e.uuid = ? AND NOT EXISTS (
          SELECT 1 FROM paragraph p WHERE p.id = CAST(j.key AS INTEGER) AND p.host_type = '${type}' AND p.host_id = e.id)`,
      args: [fields, draft.uuid],
    },
    ...(type === 'paragraph' ? [refuseCircle(draft.uuid)] : []),
  ];
}

/** Makes a batch fail in which a paragraph has come to belong to itself. `UNION` ends even where there is a circle. */
function refuseCircle(uuid: string): InStatement {
  return {
    sql: `INSERT INTO guard (stale) SELECT 1 FROM paragraph e WHERE e.uuid = ? AND e.id IN (
      WITH RECURSIVE above (id) AS (
        SELECT p.host_id FROM paragraph p WHERE p.id = e.id AND p.host_type = 'paragraph'
        UNION
        SELECT p.host_id FROM above a JOIN paragraph p ON p.id = a.id AND p.host_type = 'paragraph')
      SELECT id FROM above)`,
    args: [uuid],
  };
}

/** The order of the joins is said, for without statistics the database would look at every paragraph there is. */
const GONE = `WITH RECURSIVE gone (id) AS (
    SELECT p.id FROM json_each(?) j CROSS JOIN paragraph p ON p.host_type = ? AND p.host_id = j.value
    UNION
    SELECT p.id FROM gone g CROSS JOIN paragraph p ON p.host_type = 'paragraph' AND p.host_id = g.id)`;

/** Statements that remove what belongs to content that goes, and what belongs to that. `ids` is a JSON list. */
export function removeParagraphsOf(type: ContentKind['type'], ids: string): InStatement[] {
  const args = [ids, type];
  return [
    { sql: `${GONE} DELETE FROM paragraph_revision WHERE entity_id IN (SELECT id FROM gone)`, args },
    {
      sql: `${GONE} DELETE FROM reference WHERE source_type = 'paragraph' AND source_id IN (SELECT id FROM gone)`,
      args,
    },
    {
      sql: `${GONE} DELETE FROM reference WHERE target_type = 'paragraph' AND target_id IN (SELECT id FROM gone)`,
      args,
    },
    { sql: `${GONE} DELETE FROM paragraph WHERE id IN (SELECT id FROM gone)`, args },
  ];
}
