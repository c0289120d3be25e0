import type { Row } from '@libsql/client';
import type { Database } from '../../database/database.ts';
import type { ContentKind } from '../content/kinds.ts';
import { tableNames } from '../content/write-content.ts';
import type { StoredRevision } from './judge-revision.ts';

/** Maximum number of revisions in a batch, and of the bytes of their content unless a single one is larger. */
const MAX_REVISIONS = 500;
const MAX_BYTES = 8 * 1024 * 1024;

/** Consecutive revisions. */
export interface RevisionBatch {
  readonly revisions: readonly StoredRevision[];
  /** The id of the last one. It may have been deleted since. */
  readonly last: number;
}

/** Returns the next revisions of a kind in the order of their ids; undefined at the end. */
export async function readRevisions(
  { client }: Database,
  kind: ContentKind,
  after: number,
): Promise<RevisionBatch | undefined> {
  const [table, revisions] = tableNames(kind);
  const from = `FROM ${revisions} r LEFT JOIN ${table} e ON e.id = r.entity_id WHERE r.id > ?`;
  const document = 'CASE WHEN e.revision_id = r.id THEN e.document END';
  const sizes = await client.execute({
    sql: `SELECT r.id, coalesce(octet_length(r.snapshot), octet_length(${document}), 0) ${from}
      ORDER BY r.id LIMIT ${MAX_REVISIONS}`,
    args: [after],
  });
  const last = lastWithin(sizes.rows as unknown as [number, number][]);
  if (last === undefined) return undefined;
  const host = kind.type === 'paragraph' ? 'e.host_type, e.host_id' : 'NULL, NULL';
  const { rows } = await client.execute({
    sql: `SELECT r.id, r.entity_id, r.created, r.user_id, r.log, r.snapshot, r.checksum, e.id, e.revision_id, e.uuid,
        e.bundle, e.label, e.owner_id, e.status, e.changed, e.version, e.alias_id, e.alias, e.revision_log,
        e.folded_label, ${host}, ${document} ${from} AND r.id <= ? ORDER BY r.id`,
    args: [after, last],
  });
  return { revisions: rows.map(toStoredRevision), last };
}

function lastWithin(sizes: readonly [id: number, bytes: number][]): number | undefined {
  let last: number | undefined;
  let sum = 0;
  for (const [id, bytes] of sizes) {
    sum += bytes;
    if (last !== undefined && sum > MAX_BYTES) break;
    last = id;
  }
  return last;
}

function toStoredRevision(columns: Row): StoredRevision {
  const number = (at: number) => columns[at] as number;
  const text = (at: number) => columns[at] as string | null;
  return {
    id: number(0),
    entityId: number(1),
    created: number(2),
    userId: columns[3] as number | null,
    log: text(4),
    snapshot: text(5),
    checksum: text(6),
    row:
      columns[7] === null
        ? undefined
        : {
            revisionId: columns[8] as number | null,
            uuid: String(columns[9]),
            bundle: String(columns[10]),
            label: String(columns[11]),
            ownerId: number(12),
            status: columns[13] === 1,
            changed: number(14),
            version: number(15),
            aliasId: columns[16] as number | null,
            alias: text(17),
            revisionLog: text(18),
            foldedLabel: text(19),
            hostType: text(20),
            hostId: columns[21] as number | null,
            document: text(22),
          },
  };
}
