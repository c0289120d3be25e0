import { type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { madeOnce } from '../../../base/made-once.ts';
import { paragraphRevisions, paragraphs } from '../../../database/schema/content.ts';
import { references } from '../../../database/schema/references.ts';
import { failIf, literal, namesOf } from '../../../database/sql.ts';
import { type Named, plain, prepare, type Statement } from '../../../database/statement.ts';
import type { Draft } from '../base-field.ts';
import type { ContentKind } from '../kinds.ts';
import type { ReferenceRow } from './reference-statements.ts';

const { id, hostType, hostId, changed, version, document } = paragraphs;

const statementsOf = madeOnce(({ type, table }: ContentKind) => {
  // The host may be a paragraph too, so the two need different names.
  const host = { id: sql`host.id`, uuid: sql`host.${namesOf(table.uuid)}` };
  const key = sql`CAST(j.key AS INTEGER)`;
  const item = (value: SQLWrapper) => sql`json_array(json_object('value', ${value}))`;
  const isOfHost = sql`${hostType} = ${literal(type)} AND ${hostId} = ${host.id}`;
  return {
    adopt: prepare(({ time, fields, uuid }: Named<{ time: number; fields: string; uuid: string }>) =>
      plain(sql`UPDATE ${paragraphs} SET ${namesOf(hostType)} = ${literal(type)}, ${namesOf(hostId)} = ${host.id},
          ${namesOf(changed)} = max(${changed}, ${time}), ${namesOf(version)} = ${version} + 1,
          ${namesOf(document)} = json_set(${document}, '$.parent_id', ${item(sql`CAST(${host.id} AS TEXT)`)},
            '$.parent_type', ${item(literal(type))}, '$.parent_field_name', ${item(sql`j.value`)})
        FROM json_each(${fields}) j, ${table} host
        WHERE ${host.uuid} = ${uuid} AND ${id} = ${key} AND (${hostId} IS NULL OR (${isOfHost}
          AND ${document} ->> '$.parent_field_name[0].value' IS NOT j.value))`),
    ),
    failUnlessAdopted: prepare(({ fields, uuid }: Named<{ fields: string; uuid: string }>) =>
      failIf(
        'stale',
        sql`EXISTS (SELECT 1 FROM json_each(${fields}) j, ${table} host WHERE ${host.uuid} = ${uuid} AND NOT EXISTS (
          SELECT 1 FROM ${paragraphs} WHERE ${id} = ${key} AND ${isOfHost}))`,
      ),
    ),
  };
});

/** Fails a batch that nests a paragraph in itself. `UNION` ends even in a circle. */
const failIfCircular = prepare(({ uuid }: Named<{ uuid: string }>) =>
  failIf(
    'stale',
    sql`EXISTS (SELECT 1 FROM ${paragraphs} e WHERE e.${namesOf(paragraphs.uuid)} = ${uuid} AND e.${namesOf(id)} IN (
      WITH RECURSIVE above (id) AS (
        SELECT ${hostId} FROM ${paragraphs} WHERE ${id} = e.${namesOf(id)} AND ${hostType} = 'paragraph'
        UNION
        SELECT ${hostId} FROM above a JOIN ${paragraphs} ON ${id} = a.id AND ${hostType} = 'paragraph')
      SELECT id FROM above))`,
  ),
);

/**
 * Returns statements that set the host of the paragraphs among these references, and fail the transaction if one has
 * another host. They follow the row of the host.
 */
export function adoptParagraphs(
  kind: ContentKind,
  { changed: time, uuid }: Draft,
  rows: readonly ReferenceRow[],
): Statement[] {
  const fieldOf = new Map<number, string>();
  for (const [field, , type, target] of rows)
    if (type === 'paragraph' && !fieldOf.has(target)) fieldOf.set(target, field);
  if (fieldOf.size === 0) return [];
  const fields = JSON.stringify(Object.fromEntries(fieldOf));
  const { adopt, failUnlessAdopted } = statementsOf(kind);
  return [
    adopt({ time, fields, uuid }),
    failUnlessAdopted({ fields, uuid }),
    ...(kind.type === 'paragraph' ? [failIfCircular({ uuid })] : []),
  ];
}

const held = alias(paragraphs, 'p');

type RemovedHosts = { readonly ids: string; readonly type: ContentKind['type'] };

/** Prepares a deletion for the paragraphs of removed hosts, and the paragraphs in these. */
const removing = (remove: SQL) =>
  // CROSS JOIN fixes the order of the join: without statistics the database would read every paragraph.
  prepare(({ ids, type }: Named<RemovedHosts>) =>
    plain(sql`WITH RECURSIVE gone (id) AS (
        SELECT ${held.id} FROM json_each(${ids}) j
          CROSS JOIN ${paragraphs} ${held} ON ${held.hostType} = ${type} AND ${held.hostId} = j.value
        UNION
        SELECT ${held.id} FROM gone g
          CROSS JOIN ${paragraphs} ${held} ON ${held.hostType} = 'paragraph' AND ${held.hostId} = g.id)
      DELETE FROM ${remove} IN (SELECT id FROM gone)`),
  );

const REMOVALS = [
  removing(sql`${paragraphRevisions} WHERE ${paragraphRevisions.entityId}`),
  removing(sql`${references} WHERE ${references.sourceType} = 'paragraph' AND ${references.sourceId}`),
  removing(sql`${references} WHERE ${references.targetType} = 'paragraph' AND ${references.targetId}`),
  removing(sql`${paragraphs} WHERE ${id}`),
];

/** Returns statements that remove the paragraphs of removed content, with nested ones. `ids` is a JSON list. */
export function removeParagraphsOf(type: ContentKind['type'], ids: string): Statement[] {
  return REMOVALS.map((remove) => remove({ ids, type }));
}
