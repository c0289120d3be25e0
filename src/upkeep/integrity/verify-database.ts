import { setImmediate } from 'node:timers/promises';
import { and, asc, count, eq, getTableColumns, getTableName, gt, isNull, lte, not, sql } from 'drizzle-orm';
import { isDamaged, messageOfDamage } from '../../database/damage.ts';
import type { Database } from '../../database/database.ts';
import { query } from '../../database/query-builder.ts';
import { paragraphs } from '../../database/schema/content.ts';
import { namesOf } from '../../database/sql.ts';
import { plain, statementOf } from '../../database/statement.ts';
import type { ContentKind, ContentKinds } from '../../repository/content/kinds.ts';
import { isMerged } from '../../repository/merged-terms.ts';
import { type DatabaseProblem, findDamagedValues } from './find-damaged-values.ts';
import { judgeRevision, type StoredRevision, type StoredRow } from './judge-revision.ts';

/** Maximum number of revisions in a batch, and of the bytes of their content unless a single one is larger. */
const MAX_REVISIONS = 500;
const MAX_BYTES = 8 * 1024 * 1024;
/** Maximum number of entities without their revision in one query. */
const MAX_LISTED = 500;

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

interface VerifyDatabaseOptions {
  readonly onProgress: (progress: DatabaseProgress) => void;
  readonly onProblem: (problem: DatabaseProblem) => void;
  readonly signal: AbortSignal;
}

/**
 * Finds damaged values in all tables. Compares every revision of nodes, media, terms and paragraphs with its checksum, and
 * every row with its current revision. Stores a checksum for intact revisions of older versions that have none. Servers may write at the same
 * time. Reports damage as a problem. Rejects with the reason of the signal, and if the database is unusable.
 */
export async function verifyDatabase(
  database: Database,
  kinds: ContentKinds,
  { onProgress, onProblem, signal }: VerifyDatabaseOptions,
): Promise<DatabaseVerification> {
  let [checked, problems, damaged, recorded] = [0, 0, 0, 0];
  const report = (subject: string, detail: string) => {
    problems += 1;
    onProblem({ subject, detail });
  };
  const all = Object.values(kinds) as ContentKind[];
  let total = 0;
  for (const kind of all) total += await unlessDamaged(() => countRevisions(database, kind), 0);
  onProgress({ total, checked, problems });
  for await (const { subject, detail } of findDamagedValues(database, signal)) report(subject, detail);
  for (const kind of all) {
    const table = getTableName(kind.table);
    let position = 0;
    try {
      for (;;) {
        // Reads of a local file never yield: without this, signals and writers that wait for the snapshot would starve.
        await setImmediate();
        signal.throwIfAborted();
        const batch = await readRevisions(database, kind, position);
        if (batch === undefined) break;
        const unrecorded: UnrecordedChecksum[] = [];
        for (const revision of batch.revisions) {
          const { problems: problemsHere, checksum } = judgeRevision(kind, revision);
          for (const detail of problemsHere) report(`${table} ${revision.entityId}, revision ${revision.id}`, detail);
          if (problemsHere.length > 0) damaged += 1;
          else if (revision.checksum === null && checksum !== undefined) unrecorded.push({ revision, checksum });
        }
        recorded += await record(database, kind, unrecorded);
        checked += batch.revisions.length;
        position = batch.last;
        onProgress({ total: Math.max(total, checked), checked, problems });
      }
      for await (const { id, revisionId } of entitiesWithoutRevision(database, kind))
        report(`${table} ${id}`, `its current revision, ${revisionId ?? 'none'}, does not exist`);
    } catch (error) {
      if (!isDamaged(error)) throw error;
      report(
        `table ${getTableName(kind.revisionTable)}`,
        `the rows after revision ${position} cannot be read: ${messageOfDamage(error)}`,
      );
    }
  }
  return { total: Math.max(total, checked), checked, problems, damaged, recorded };
}

interface UnrecordedChecksum {
  readonly revision: StoredRevision;
  readonly checksum: string;
}

/** Stores checksums of revisions that have not changed since they were read. Returns their number. */
async function record(
  database: Database,
  kind: ContentKind,
  unrecorded: readonly UnrecordedChecksum[],
): Promise<number> {
  if (unrecorded.length === 0) return 0;
  const { table, revisionTable: revisions } = kind;
  const rows = unrecorded.map(({ revision, checksum }) => [revision.id, checksum, revision.row?.version]);
  const { recorded } = await database.write({
    recorded: statementOf(
      plain(sql`UPDATE ${revisions} SET ${namesOf(revisions.checksum)} = j.value ->> 1
        FROM json_each(${JSON.stringify(rows)}) j WHERE ${revisions.id} = j.value ->> 0 AND ${revisions.checksum} IS NULL
        AND (SELECT ${table.version} FROM ${table} WHERE ${table.id} = ${revisions.entityId}) = j.value ->> 2`),
    ),
  });
  return recorded.changes;
}

async function countRevisions(database: Database, { revisionTable }: ContentKind): Promise<number> {
  const row = await database.get(statementOf(query.select({ revisions: count() }).from(revisionTable)));
  return row?.revisions ?? 0;
}

async function unlessDamaged<T>(work: () => Promise<T>, otherwise: T): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isDamaged(error)) throw error;
    return otherwise;
  }
}

/** Consecutive revisions. */
interface RevisionBatch {
  readonly revisions: readonly StoredRevision[];
  /** The id of the last one. It may have been deleted since. */
  readonly last: number;
}

/** Returns the next revisions of a kind in the order of their ids; undefined at the end. */
async function readRevisions(database: Database, kind: ContentKind, after: number): Promise<RevisionBatch | undefined> {
  const { table, revisionTable: revisions } = kind;
  const isEntity = eq(table.id, revisions.entityId);
  const document = sql<string | null>`CASE WHEN ${table.revisionId} = ${revisions.id} THEN ${table.document} END`;
  const bytes = sql<number>`coalesce(octet_length(${revisions.snapshot}), octet_length(${document}), 0)`;
  const sizes = query
    .select({ id: revisions.id, bytes })
    .from(revisions)
    .leftJoin(table, isEntity)
    .where(gt(revisions.id, after))
    .orderBy(asc(revisions.id))
    .limit(MAX_REVISIONS);
  const last = lastWithin(await database.all(statementOf(sizes)));
  if (last === undefined) return undefined;
  const isParagraph = kind.type === 'paragraph';
  const { revisionId, uuid, bundle, label, ownerId, status, changed, version, aliasId, alias, foldedLabel, sortLabel } =
    table;
  const joined = query
    .select({
      ...getTableColumns(revisions),
      rowId: table.id,
      ...{ revisionId, uuid, bundle, label, ownerId, status, changed, version, aliasId, alias, foldedLabel, sortLabel },
      revisionLog: table.revisionLog,
      hostType: isParagraph ? sql<string | null>`${paragraphs.hostType}` : sql<string | null>`NULL`,
      hostId: isParagraph ? sql<number | null>`${paragraphs.hostId}` : sql<number | null>`NULL`,
      document,
    })
    .from(revisions)
    .leftJoin(table, isEntity)
    // The row of a merged term has the name of another one until it is removed.
    .where(
      and(
        gt(revisions.id, after),
        lte(revisions.id, last),
        kind.type === 'taxonomy_term' ? not(isMerged(revisions.entityId)) : undefined,
      ),
    )
    .orderBy(asc(revisions.id));
  const rows = await database.all(statementOf(joined));
  return {
    last,
    revisions: rows.map(({ id, entityId, created, userId, log, snapshot, checksum, rowId, ...row }) => ({
      ...{ id, entityId, created, userId, log, snapshot, checksum },
      row: rowId === null ? undefined : (row as StoredRow),
    })),
  };
}

function lastWithin(sizes: readonly { readonly id: number; readonly bytes: number }[]): number | undefined {
  let last: number | undefined;
  let sum = 0;
  for (const { id, bytes } of sizes) {
    sum += bytes;
    if (last !== undefined && sum > MAX_BYTES) break;
    last = id;
  }
  return last;
}

/** Returns the entities whose current revision is missing or belongs to another entity. */
async function* entitiesWithoutRevision(
  database: Database,
  { table, revisionTable: revisions }: ContentKind,
): AsyncGenerator<{ readonly id: number; readonly revisionId: number | null }> {
  for (let position = 0, count = MAX_LISTED; count === MAX_LISTED; ) {
    const missing = query
      .select({ id: table.id, revisionId: table.revisionId })
      .from(table)
      .leftJoin(revisions, and(eq(revisions.id, table.revisionId), eq(revisions.entityId, table.id)))
      .where(and(gt(table.id, position), isNull(revisions.id)))
      .orderBy(asc(table.id))
      .limit(MAX_LISTED);
    const rows = await database.all(statementOf(missing));
    yield* rows;
    position = rows.at(-1)?.id ?? position;
    count = rows.length;
  }
}
