import { and, count, eq, exists, inArray, isNotNull, or, type SQLWrapper, sql } from 'drizzle-orm';
import { query } from '../../database/query-builder.ts';
import { contentTables, revisionTables } from '../../database/schema/content.ts';
import { references, termUris } from '../../database/schema/references.ts';
import { users } from '../../database/schema/users.ts';
import { type Statement, statementOf } from '../../database/statement.ts';
import type { ContentType } from '../access-rule.ts';

/** A field whose values are to be counted or dropped. */
export interface FieldOfBundle {
  readonly entityType: ContentType | 'user';
  readonly bundle: string;
  readonly field: string;
}

/** Returns the query that counts the entities that hold values of a field, now or in a previous revision. */
export function countHolders({ entityType, bundle, field }: FieldOfBundle): Statement<{ count: number }[]> {
  const path = `$."${field}"`;
  const holds = (document: SQLWrapper) => sql`coalesce(json_extract(${document}, ${path}), '[]') <> '[]'`;
  if (entityType === 'user')
    return statementOf(query.select({ count: count() }).from(users).where(holds(users.fields)));
  const [table, revisions] = [contentTables[entityType], revisionTables[entityType]];
  const held = query
    .select({ id: revisions.id })
    .from(revisions)
    .where(
      and(
        eq(revisions.entityId, table.id),
        isNotNull(revisions.snapshot),
        holds(sql`${revisions.snapshot} ->> 'document'`),
      ),
    );
  const isHolder = and(eq(table.bundle, bundle), or(holds(table.document), exists(held)));
  return statementOf(query.select({ count: count() }).from(table).where(isHolder));
}

/** Returns the query that counts the entities of a bundle. */
export function countEntities({ entityType, bundle }: Omit<FieldOfBundle, 'field'>): Statement<{ count: number }[]> {
  if (entityType === 'user') return statementOf(query.select({ count: count() }).from(users));
  const table = contentTables[entityType];
  return statementOf(query.select({ count: count() }).from(table).where(eq(table.bundle, bundle)));
}

/** Returns the statements that remove the values of a field from documents, previous revisions and index permanently. */
export function dropField({ entityType, bundle, field }: FieldOfBundle): Statement[] {
  const path = `$."${field}"`;
  if (entityType === 'user')
    return [statementOf(query.update(users).set({ fields: sql`json_remove(${users.fields}, ${path})` }))];
  const [table, revisions] = [contentTables[entityType], revisionTables[entityType]];
  const ids = query.select({ id: table.id }).from(table).where(eq(table.bundle, bundle));
  const ofEntities = and(
    eq(references.sourceType, entityType),
    eq(references.field, field),
    inArray(references.sourceId, ids),
  );
  const document = sql`json_remove(${table.document}, ${path})`;
  // The document in a snapshot is text; concatenation with '' keeps it text. The next verification of the database
  // records the checksums again.
  const snapshot = sql`json_set(${revisions.snapshot}, '$.document',
    json_remove(${revisions.snapshot} ->> 'document', ${path}) || '')`;
  const dropUris = query.delete(termUris).where(and(eq(termUris.field, field), inArray(termUris.termId, ids)));
  return [
    statementOf(query.delete(references).where(ofEntities)),
    statementOf(
      query
        .update(table)
        .set({ document, layout: 0, version: sql`${table.version} + 1` })
        .where(eq(table.bundle, bundle)),
    ),
    statementOf(query.update(revisions).set({ checksum: null, snapshot }).where(inArray(revisions.entityId, ids))),
    ...(entityType === 'taxonomy_term' ? [statementOf(dropUris)] : []),
  ];
}
