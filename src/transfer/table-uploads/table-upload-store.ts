import { hostname } from 'node:os';
import { and, count, eq, lte, sql } from 'drizzle-orm';
import { ServiceError } from '../../base/errors.ts';
import type { Database } from '../../database/database.ts';
import { query } from '../../database/query-builder.ts';
import { runs } from '../../database/schema/runs.ts';
import { users } from '../../database/schema/users.ts';
import { isText } from '../../database/sql.ts';
import { type Named, prepare, statementOf } from '../../database/statement.ts';
import { isLeased } from '../../runs/lease.ts';
import { isHeld, type Lease, type Run, runsOf } from '../../runs/runs.ts';
import type { TableProblem } from '../table/row-plan.ts';
import type {
  HeldTableUpload,
  TableUpload,
  TableUploadOptions,
  TableUploadProgress,
  TableUploadReport,
  TableUploadState,
} from './table-upload.ts';

/** Number of tables that are imported at a time. */
const MAX_IMPORTS = 2;

/** What the rows of uploads store. */
interface StoredUpload extends Pick<TableUpload, 'folder' | 'host' | 'fileName' | 'options'> {
  /** What is done with it, or was done last. */
  readonly work: 'checking' | 'importing';
}

/** The result of the last work. */
interface StoredResult {
  readonly report?: TableUploadReport | null | undefined;
  readonly failure?: TableProblem | null | undefined;
  readonly run?: number | undefined;
}

/** The runs of uploaded tables: their check, then their import. */
const tableRuns = runsOf<StoredUpload, TableUploadProgress, StoredResult>('table', 'table');

/** The result of some work on an upload. */
export interface TableUploadOutcome {
  readonly state: 'checked' | 'stopped' | 'failed' | 'done';
  readonly report?: TableUploadReport | undefined;
  readonly progress?: TableUploadProgress | undefined;
  readonly failure?: TableProblem | undefined;
  /** The bulk change that makes the changes of the table. */
  readonly run?: number | undefined;
}

const IS_IMPORT = sql`${runs.about} ->> 'work' = 'importing'`;
const IS_AT_WORK = sql`${runs.state} IN ('running', 'stopping')`;
const IS_NOT_IMPORTED = sql`NOT (${IS_IMPORT} AND ${isText(runs.state, 'done')})`;

/** Adds an upload, whose files are in a folder of this server. Returns its id. */
export async function addTableUpload(
  { write }: Database,
  { user, ...upload }: Pick<TableUpload, 'folder' | 'fileName' | 'options'> & { readonly user: number },
): Promise<number> {
  const about: StoredUpload = { ...upload, host: hostname(), work: 'checking' };
  const { rows } = await write({ rows: tableRuns.add({ about, userId: user, state: 'stopped' }) });
  return rows[0]?.id ?? 0;
}

/** Returns an upload. Undefined if it does not exist. */
export async function findTableUpload(database: Database, upload: number): Promise<TableUpload | undefined> {
  const run = await tableRuns.find(database, eq(runs.id, upload));
  return run && toUpload(run);
}

/** Returns the last uploads of a user, the newest first. */
export async function listTableUploads(database: Database, user: number): Promise<TableUpload[]> {
  return (await tableRuns.list(database, eq(runs.userId, user), 50)).map(toUpload);
}

/** Returns the last uploads of all users, the newest first. */
export async function listLatestTableUploads(database: Database, limit: number): Promise<TableUpload[]> {
  return (await tableRuns.list(database, undefined, limit)).map(toUpload);
}

/** Returns the uploads that have not changed since a time (seconds since 1970), and that no process works on. */
export async function listOldTableUploads(database: Database, before: number): Promise<TableUpload[]> {
  const changed = sql`coalesce(${runs.endedAt}, ${runs.leaseUntil}, ${runs.createdAt})`;
  const old = await tableRuns.list(database, lte(changed, before));
  return old.filter(({ isUnderWay }) => !isUnderWay).map(toUpload);
}

const findFolders = prepare(() =>
  query
    .select({ folder: sql<string>`${runs.about} ->> 'folder'` })
    .from(runs)
    .where(tableRuns.isOfKind),
);
const countImporting = prepare(() =>
  query
    .select({ uploads: count() })
    .from(runs)
    .where(and(tableRuns.isOfKind, IS_IMPORT, IS_AT_WORK, isLeased)),
);
const findStop = prepare((held: Named<Lease>) =>
  query
    .select({ state: runs.state, isActive: users.status })
    .from(runs)
    .leftJoin(users, eq(users.id, runs.userId))
    .where(and(eq(runs.id, held.id), eq(runs.lease, held.lease))),
);

/** Returns the names of the folders of all uploads. */
export async function listFolders(database: Database): Promise<ReadonlySet<string>> {
  return new Set((await database.all(findFolders())).map(({ folder }) => folder));
}

/** Throws `conflict` while as many tables are being imported as a repository imports at a time. */
export async function requireRoom(database: Database): Promise<void> {
  const importing = (await database.get(countImporting()))?.uploads ?? 0;
  if (importing >= MAX_IMPORTS)
    throw new ServiceError('conflict', 'Other tables are being imported. Start this one when one of them has ended.');
}

/** Takes an upload for some work of this process. Throws `conflict` while another one works on it, or if it is imported. */
export async function takeTableUpload(
  database: Database,
  upload: TableUpload,
  work: StoredUpload['work'],
  options: TableUploadOptions,
): Promise<HeldTableUpload> {
  const run = await tableRuns.take(database, {
    where: and(eq(runs.id, upload.id), IS_NOT_IMPORTED),
    set: {
      ...{ state: 'running', progress: null, result: { report: upload.report } },
      about: storedOf({ ...upload, options }, work),
    },
  });
  if (run === undefined)
    throw new ServiceError(
      'conflict',
      'The table is being checked or imported, or is imported already. Open its page again.',
    );
  return { ...toUpload(run), lease: run.lease };
}

/** Stores how far the work is, and renews the lease. Returns whether the work must stop. Throws `conflict` if the lease is lost. */
export async function saveProgress(
  database: Database,
  { id, lease }: HeldTableUpload,
  progress: TableUploadProgress,
): Promise<boolean> {
  await tableRuns.change(database, { id, lease }, { progress });
  const row = await database.get(findStop({ id, lease }));
  return row === undefined || row.state === 'stopping' || row.isActive !== true;
}

/** Ends the work on an upload. */
export function settleTableUpload(
  database: Database,
  held: HeldTableUpload,
  { state, report = held.report, progress, failure, run }: TableUploadOutcome,
): Promise<void> {
  return tableRuns.settle(database, held, {
    ...(state === 'checked' ? { state: 'done', about: storedOf(held, 'checking') } : { state }),
    ...{ result: { report, failure, run }, ...(progress && { progress }) },
  });
}

/** Makes the process that works on an upload stop. */
export async function requestStop({ write }: Database, upload: number): Promise<void> {
  const isRunning = and(tableRuns.isOfKind, eq(runs.id, upload), isText(runs.state, 'running'));
  await write([statementOf(query.update(runs).set({ state: 'stopping' }).where(isRunning))]);
}

/** Removes an upload that no process works on. Returns false while one does. */
export async function removeTableUpload(database: Database, { id }: TableUpload): Promise<boolean> {
  const held = await tableRuns.take(database, { where: eq(runs.id, id) });
  if (held === undefined) return false;
  await database.write([statementOf(query.delete(runs).where(isHeld(held)))]);
  return true;
}

function storedOf({ folder, host, fileName, options }: TableUpload, work: StoredUpload['work']): StoredUpload {
  return { folder, host, fileName, options, work };
}

function toUpload({
  id,
  userId,
  about,
  progress,
  result,
  ...run
}: Run<StoredUpload, TableUploadProgress, StoredResult>): TableUpload {
  const { work, ...upload } = about;
  return {
    ...{ id, userId: Number(userId), ...upload, state: stateOf(run, work), stops: run.state === 'stopping', progress },
    ...{ report: result?.report ?? undefined, failure: result?.failure ?? undefined },
    run: result?.run,
    createdAt: Math.floor(run.createdAt),
  };
}

function stateOf(
  { state, isUnderWay }: Pick<Run<never, never, never>, 'state' | 'isUnderWay'>,
  work: StoredUpload['work'],
): TableUploadState {
  if (state === 'running' || state === 'stopping') return isUnderWay ? work : 'interrupted';
  if (state === 'done') return work === 'checking' ? 'checked' : 'done';
  return state === 'failed' ? 'failed' : 'stopped';
}
