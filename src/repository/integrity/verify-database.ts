import { setImmediate } from 'node:timers/promises';
import { isDamaged, messageOfDamage } from '../../database/damage.ts';
import type { Database } from '../../database/database.ts';
import type { ContentKind, ContentKinds } from '../content/kinds.ts';
import { tableNames } from '../content/write-content.ts';
import { judgeRevision, type StoredRevision } from './judge-revision.ts';
import { readRevisions } from './read-revisions.ts';

/** Maximum number of entities without their revision in one query. */
const MAX_LISTED = 500;

/** A problem of the stored rows of a database. */
export interface DatabaseProblem {
  /** The row with the problem, such as `node 12, revision 34`. */
  readonly subject: string;
  readonly detail: string;
}

/** The progress of a verification. */
export interface DatabaseProgress {
  readonly total: number;
  readonly checked: number;
  readonly problems: number;
}

/** The result of a verification. */
export interface DatabaseVerification extends DatabaseProgress {
  /** Revisions with a problem. */
  readonly damaged: number;
  /** Revisions without a checksum that have received one. */
  readonly recorded: number;
}

export interface VerifyDatabaseOptions {
  readonly onProgress: (progress: DatabaseProgress) => void;
  readonly onProblem: (problem: DatabaseProblem) => void;
  readonly signal: AbortSignal;
}

/**
 * Compares every revision of nodes, media, terms and paragraphs with its checksum, and every row with its current
 * revision. Stores a checksum for intact revisions of older versions that have none. Servers may write at the same
 * time. Reports damage as a problem. Rejects with the reason of the signal, and if the database is unusable.
 */
export async function verifyDatabase(
  database: Database,
  kinds: ContentKinds,
  { onProgress, onProblem, signal }: VerifyDatabaseOptions,
): Promise<DatabaseVerification> {
  let [checked, problems, damaged, recorded] = [0, 0, 0, 0];
  const tell = (subject: string, detail: string) => {
    problems += 1;
    onProblem({ subject, detail });
  };
  const all = Object.values(kinds) as ContentKind[];
  let total = 0;
  for (const kind of all) total += await unlessDamaged(() => countRevisions(database, kind), 0);
  onProgress({ total, checked, problems });
  for (const kind of all) {
    const [table, revisions] = tableNames(kind);
    let position = 0;
    try {
      for (;;) {
        // Reads of a local file never yield: without this, signals and writers that wait for the snapshot would starve.
        await setImmediate();
        signal.throwIfAborted();
        const batch = await readRevisions(database, kind, position);
        if (batch === undefined) break;
        const unrecorded: Unrecorded[] = [];
        for (const revision of batch.revisions) {
          const { problems: found, checksum } = judgeRevision(kind, revision);
          for (const detail of found) tell(`${table} ${revision.entityId}, revision ${revision.id}`, detail);
          if (found.length > 0) damaged += 1;
          else if (revision.checksum === null && checksum !== undefined) unrecorded.push({ revision, checksum });
        }
        recorded += await record(database, kind, unrecorded);
        checked += batch.revisions.length;
        position = batch.last;
        onProgress({ total: Math.max(total, checked), checked, problems });
      }
      for await (const { id, revisionId } of entitiesWithoutRevision(database, kind))
        tell(`${table} ${id}`, `its current revision, ${revisionId ?? 'none'}, does not exist`);
    } catch (error) {
      if (!isDamaged(error)) throw error;
      tell(`table ${revisions}`, `what comes after revision ${position} cannot be read: ${messageOfDamage(error)}`);
    }
  }
  return { total: Math.max(total, checked), checked, problems, damaged, recorded };
}

interface Unrecorded {
  readonly revision: StoredRevision;
  readonly checksum: string;
}

/** Stores checksums of revisions that have not changed since they were read. Returns how many. */
async function record(database: Database, kind: ContentKind, unrecorded: readonly Unrecorded[]): Promise<number> {
  if (unrecorded.length === 0) return 0;
  const [table, revisions] = tableNames(kind);
  const rows = unrecorded.map(({ revision, checksum }) => [revision.id, checksum, revision.row?.version]);
  const [result] = await database.write([
    {
      sql: `UPDATE ${revisions} SET checksum = j.value ->> 1 FROM json_each(?) j
        WHERE ${revisions}.id = j.value ->> 0 AND ${revisions}.checksum IS NULL
          AND (SELECT version FROM ${table} e WHERE e.id = ${revisions}.entity_id) = j.value ->> 2`,
      args: [JSON.stringify(rows)],
    },
  ]);
  return result?.rowsAffected ?? 0;
}

async function countRevisions({ first }: Database, kind: ContentKind): Promise<number> {
  return Number((await first(`SELECT count(*) FROM ${tableNames(kind)[1]}`, []))?.[0] ?? 0);
}

async function unlessDamaged<T>(work: () => Promise<T>, otherwise: T): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isDamaged(error)) throw error;
    return otherwise;
  }
}

/** Returns the entities whose current revision is missing or belongs to another entity. */
async function* entitiesWithoutRevision(
  { client }: Database,
  kind: ContentKind,
): AsyncGenerator<{ readonly id: number; readonly revisionId: number | null }> {
  const [table, revisions] = tableNames(kind);
  for (let position = 0; ; ) {
    const { rows } = await client.execute({
      sql: `SELECT e.id, e.revision_id FROM ${table} e
        LEFT JOIN ${revisions} r ON r.id = e.revision_id AND r.entity_id = e.id
        WHERE e.id > ? AND r.id IS NULL ORDER BY e.id LIMIT ${MAX_LISTED}`,
      args: [position],
    });
    for (const [id, revisionId] of rows as unknown as [number, number | null][]) {
      yield { id, revisionId };
      position = id;
    }
    if (rows.length < MAX_LISTED) return;
  }
}
