import type { InStatement } from '@libsql/client';
import type { ContentType } from '../content/kinds.ts';

/** A field whose values are to be counted or dropped. */
export interface FieldOfBundle {
  readonly entityType: ContentType | 'user';
  readonly bundle: string;
  readonly field: string;
}

/** Counts the entities that hold values of a field, now or in a former revision. */
export function countHolders({ entityType, bundle, field }: FieldOfBundle): InStatement {
  const path = `$."${field}"`;
  const holds = (document: string) => `coalesce(json_extract(${document}, ?1), '[]') <> '[]'`;
  if (entityType === 'user') return { sql: `SELECT count(*) FROM user WHERE ${holds('fields')}`, args: [path] };
  return {
    sql: `SELECT count(*) FROM ${entityType} e WHERE bundle = ?2 AND (${holds('document')}
      OR EXISTS (SELECT 1 FROM ${entityType}_revision r
        WHERE r.entity_id = e.id AND r.snapshot IS NOT NULL AND ${holds("r.snapshot ->> 'document'")}))`,
    args: [path, bundle],
  };
}

/** Takes the values of a field out of documents, former revisions and index, for good. */
export function dropField({ entityType, bundle, field }: FieldOfBundle): InStatement[] {
  const path = `$."${field}"`;
  if (entityType === 'user') return [{ sql: 'UPDATE user SET fields = json_remove(fields, ?)', args: [path] }];
  const ofBundle = `IN (SELECT id FROM ${entityType} WHERE bundle = ?)`;
  return [
    {
      sql: `DELETE FROM reference WHERE source_type = ? AND field = ? AND source_id ${ofBundle}`,
      args: [entityType, field, bundle],
    },
    {
      sql: `UPDATE ${entityType} SET document = json_remove(document, ?), layout = 0, version = version + 1 WHERE bundle = ?`,
      args: [path, bundle],
    },
    {
      // The document in a snapshot is text; concatenation with '' keeps it text. The next verification of the database
      // records the checksums again.
      sql: `UPDATE ${entityType}_revision SET checksum = NULL,
          snapshot = json_set(snapshot, '$.document', json_remove(snapshot ->> 'document', ?) || '')
        WHERE entity_id ${ofBundle}`,
      args: [path, bundle],
    },
    ...(entityType === 'taxonomy_term'
      ? [{ sql: `DELETE FROM term_uri WHERE field = ? AND term_id ${ofBundle}`, args: [field, bundle] }]
      : []),
  ];
}
