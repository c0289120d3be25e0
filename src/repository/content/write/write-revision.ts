import { eq, sql } from 'drizzle-orm';
import { madeOnce } from '../../../base/made-once.ts';
import { query } from '../../../database/query-builder.ts';
import type { RevisionRow } from '../../../database/schema/content.ts';
import { type Named, prepare, type Statement } from '../../../database/statement.ts';
import type { Draft, Head } from '../base-field.ts';
import { type Content, identityOf } from '../content.ts';
import type { ContentKind } from '../kinds.ts';
import type { ContentWrite } from './content-rows.ts';

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
  // If the document is as stored, its first checksum stays, and reveals later damage.
  const isAsStored = layout === definition.layout && !isDangling;
  const rest = document.slice(identityOf(kind, id, uuid, revisionId ?? 0).length);
  const checksum = isAsStored ? null : revisionChecksum(kind, { uuid, bundle, ownerId, status, revisionLog }, rest);
  const { keepSnapshot, insertNext } = statementsOf(kind);
  return [
    keepSnapshot({ id: Number(revisionId), snapshot: JSON.stringify(snapshot), checksum }),
    insertNext({ entityId: id, ...revisionValues(write) }),
  ];
}

type RevisionInput = Pick<ContentWrite, 'kind' | 'draft' | 'rest'>;

/** Returns the values of the revision that a write creates. */
export function revisionValues(write: RevisionInput): RevisionValues {
  const { revisionCreated: created, revisionUserId: userId, revisionLog: log } = write.draft;
  return { created, userId, log, checksum: checksumOf(write) };
}

/** Returns the checksum of the revision that a write creates. */
export function checksumOf({ kind, draft, rest }: RevisionInput): string {
  return revisionChecksum(kind, draft, rest);
}

/** Facts about a revision that the documents of some kinds lack. */
export type RevisionFacts = Pick<Draft, 'uuid' | 'bundle' | 'ownerId' | 'status' | 'revisionLog'>;

/**
 * Returns the SHA-256 (base64url) of a revision: of its facts, and of its document without its leading identity
 * (`restOf`) and without the members of the entity. The identity holds ids that the database assigns only during the
 * write; verification compares them with the row.
 */
export function revisionChecksum(kind: ContentKind, facts: RevisionFacts, rest: string): string {
  const { uuid, bundle, ownerId, status, revisionLog } = facts;
  const log = revisionLog === null ? '' : JSON.stringify(revisionLog);
  let text = `${uuid}\n${bundle}\n${ownerId}\n${status}\n${log}\n`;
  let from = 0;
  for (const begin of membersOfEntity(kind)) {
    const at = rest.indexOf(begin, from);
    if (at < 0) continue;
    text += rest.slice(from, at);
    from = endOfList(rest, at + begin.length);
  }
  return Bun.CryptoHasher.hash('sha256', text + rest.slice(from), 'base64url');
}

/** The beginnings of the entity's members, in document order. Texts cannot match: their quotes are escaped. */
const membersOfEntity = madeOnce(({ baseFields }: ContentKind): readonly string[] =>
  baseFields.flatMap(({ definition, isOfEntity }) => (isOfEntity ? [`,"${definition.name}":`] : [])),
);

const [QUOTE, BACKSLASH, OPENING, CLOSING] = [34, 92, 91, 93];

/** Returns the index after the JSON list that begins at `from`. */
function endOfList(text: string, from: number): number {
  let depth = 0;
  let isInString = false;
  for (let at = from; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (isInString && char === BACKSLASH) at++;
    else if (char === QUOTE) isInString = !isInString;
    else if (!isInString && char === OPENING) depth++;
    else if (!isInString && char === CLOSING && --depth === 0) return at + 1;
  }
  return text.length;
}
