import type { InStatement, InValue } from '@libsql/client';
import type { Head } from '../content/base-field.ts';
import { identityOf } from '../content/content.ts';
import type { ContentWrite, Replaced } from '../content/write-content.ts';
import { revisionChecksum } from './revision-checksum.ts';

/** The stored form of a superseded revision. */
export type RevisionSnapshot = Pick<Head, 'bundle' | 'ownerId' | 'status' | 'changed'> & { document: string };

/** Returns statements that store a snapshot of the superseded revision and insert the next one. */
export function supersede(write: ContentWrite, { content }: Replaced, revisions: string): InStatement[] {
  const { kind, head, document, bundle: definition } = content;
  const { revisionId, bundle, ownerId, status, changed, layout, isDangling, revisionLog } = head;
  const { uuid, id } = write.draft;
  const snapshot: RevisionSnapshot = { bundle, ownerId, status, changed, document };
  // If reading has not changed the document, the checksum of the first write stays, and reveals later damage.
  const isAsStored = layout === definition.layout && !isDangling;
  const rest = document.slice(identityOf(kind, id, uuid, revisionId ?? 0).length);
  const checksum = isAsStored ? null : revisionChecksum(kind, { uuid, bundle, ownerId, status, revisionLog }, rest);
  return [
    {
      sql: `UPDATE ${revisions} SET snapshot = ?, checksum = coalesce(?, checksum) WHERE id = ?`,
      args: [JSON.stringify(snapshot), checksum, revisionId],
    },
    {
      sql: `INSERT INTO ${revisions} (entity_id, created, user_id, log, checksum) VALUES (?, ?, ?, ?, ?)`,
      args: [id, ...revisionValues(write)],
    },
  ];
}

type Revised = Pick<ContentWrite, 'kind' | 'draft' | 'rest'>;

/** The values of a new revision: `created`, `user_id`, `log` and `checksum`. */
export function revisionValues(write: Revised): InValue[] {
  const { revisionCreated, revisionUserId, revisionLog } = write.draft;
  return [revisionCreated, revisionUserId, revisionLog, checksumOf(write)];
}

/** Returns the checksum of the revision that a write creates. */
export function checksumOf({ kind, draft, rest }: Revised): string {
  return revisionChecksum(kind, draft, rest);
}
