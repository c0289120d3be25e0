import { and, eq, sql } from 'drizzle-orm';
import { unprocessable } from '../../base/errors.ts';
import { madeOnce } from '../../base/made-once.ts';
import { query } from '../../database/query-builder.ts';
import { isAmong } from '../../database/sql.ts';
import { type Named, prepare } from '../../database/statement.ts';
import type { FieldValues } from '../../model/content-model.ts';
import type { Content } from '../content/content.ts';
import type { ContentKind } from '../content/kinds.ts';
import type { Services } from '../content/services.ts';

const documentsOf = madeOnce(({ revisionTable: revisions }: ContentKind) =>
  prepare(({ ids, entityId }: Named<{ ids: string; entityId: number }>) =>
    query
      .select({ id: revisions.id, document: sql<string | null>`${revisions.snapshot} ->> '$.document'` })
      .from(revisions)
      .where(and(eq(revisions.entityId, entityId), isAmong(revisions.id, ids))),
  ),
);

/** Returns the documents of superseded revisions by their ids, as they were stored: also with fields that the model no longer has. */
export async function findStoredDocuments(
  { database }: Services,
  { kind, head }: Content,
  ids: readonly number[],
): Promise<ReadonlyMap<number, FieldValues>> {
  const rows = await database.all(documentsOf(kind)({ ids: JSON.stringify(ids), entityId: head.id }));
  return new Map(rows.flatMap(({ id, document }) => (document === null ? [] : [[id, JSON.parse(document)]])));
}

/** Returns the names of the fields with values that the content model no longer has. */
export function lostFields({ kind, bundle }: Content, document: FieldValues): string[] {
  return Object.entries(document).flatMap(([name, items]) => {
    const isKnown = kind.baseFieldNamed.has(name) || bundle.fieldNamed.has(name);
    return isKnown || !Array.isArray(items) || items.length === 0 ? [] : [name];
  });
}

/** Throws `unprocessable` for a revision whose values a revert would lose. */
export async function requireKnownFields(services: Services, current: Content, revisionId: number): Promise<void> {
  const document = (await findStoredDocuments(services, current, [revisionId])).get(revisionId);
  const lost = document === undefined ? [] : lostFields(current, document);
  if (lost.length > 0)
    throw unprocessable(
      `The content model no longer has ${lost.join(', ')}, which this revision has. It cannot be brought back. Nothing is changed.`,
    );
}
