import { eq, sql } from 'drizzle-orm';
import { madeOnce } from '../../base/made-once.ts';
import { query } from '../../database/query-builder.ts';
import type { RevisionRow } from '../../database/schema/content.ts';
import { type Named, prepare, type Statement } from '../../database/statement.ts';
import type { Head } from './base-field.ts';
import { type Content, identityOf } from './content.ts';
import type { ContentWrite } from './content-rows.ts';
import type { ContentKind } from './kinds.ts';
import { revisionChecksum } from './revision-checksum.ts';

/** The stored form of a superseded revision. */
export type RevisionSnapshot = Pick<Head, 'bundle' | 'ownerId' | 'status' | 'changed'> & { document: string };

/** The values of a new revision. */
export type RevisionValues = Pick<RevisionRow, 'created' | 'userId' | 'log'> & { readonly checksum: string };

const statementsOf = madeOnce(({ revisionTable }: ContentKind) => ({
  keepSnapshot: prepare(
    ({ id, snapshot, checksum }: Named<{ id: number; snapshot: string; checksum: string | null }>) =>
      query
        .update(revisionTable)
        .set({ snapshot, checksum: sql`coalesce(${checksum}, ${revisionTable.checksum})` })
        .where(eq(revisionTable.id, id)),
  ),
  insertNext: prepare(
    ({ entityId, created, userId, log, checksum }: Named<RevisionValues & { readonly entityId: number }>) =>
      query.insert(revisionTable).values({ entityId, created, userId, log, checksum }),
  ),
}));

/** Returns statements that store a snapshot of the superseded revision and insert the next one. */
export function supersede(write: ContentWrite, content: Content): Statement[] {
  const { kind, head, document, bundle: definition } = content;
  const { revisionId, bundle, ownerId, status, changed, layout, isDangling, revisionLog } = head;
  const { uuid, id } = write.draft;
  const snapshot: RevisionSnapshot = { bundle, ownerId, status, changed, document };
  // If reading has not changed the document, the checksum of the first write stays, and reveals later damage.
  const isAsStored = layout === definition.layout && !isDangling;
  const rest = document.slice(identityOf(kind, id, uuid, revisionId ?? 0).length);
  const checksum = isAsStored ? null : revisionChecksum(kind, { uuid, bundle, ownerId, status, revisionLog }, rest);
  const { keepSnapshot, insertNext } = statementsOf(kind);
  return [
    keepSnapshot({ id: Number(revisionId), snapshot: JSON.stringify(snapshot), checksum }),
    insertNext({ entityId: id, ...revisionValues(write) }),
  ];
}

type Revised = Pick<ContentWrite, 'kind' | 'draft' | 'rest'>;

/** Returns the values of the revision that a write creates. */
export function revisionValues(write: Revised): RevisionValues {
  const { revisionCreated: created, revisionUserId: userId, revisionLog: log } = write.draft;
  return { created, userId, log, checksum: checksumOf(write) };
}

/** Returns the checksum of the revision that a write creates. */
export function checksumOf({ kind, draft, rest }: Revised): string {
  return revisionChecksum(kind, draft, rest);
}
