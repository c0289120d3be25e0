import { hostname } from 'node:os';
import { and, count, desc, eq, inArray, lte, sql } from 'drizzle-orm';
import { ServiceError } from '../../base/errors.ts';
import type { Database } from '../../database/database.ts';
import { query } from '../../database/query-builder.ts';
import { tableUploads } from '../../database/schema/loading.ts';
import { users } from '../../database/schema/users.ts';
import { type Named, prepare, statementOf } from '../../database/statement.ts';
import {
  changeHeld,
  isFree,
  isLeased,
  isUnderWay,
  newLease,
  orphansAmong,
  RELEASED,
  RENEWED,
} from '../../runs/lease.ts';
import type { TableProblem } from '../table/row-plan.ts';
import type {
  HeldTableUpload,
  TableUpload,
  TableUploadOptions,
  TableUploadProgress,
  TableUploadReport,
  TableUploadState,
} from './table-upload.ts';

const { id, userId, state, lease, changedAt, stops } = tableUploads;
/** Number of tables that are imported at a time. */
const MAX_IMPORTS = 2;
const NOW = sql<number>`unixepoch()`;

type Row = typeof tableUploads.$inferSelect;
type StoredState = Row['state'];
const COLUMNS = {
  ...{
    id,
    folder: tableUploads.folder,
    host: tableUploads.host,
    userId,
    fileName: tableUploads.fileName,
    options: tableUploads.options,
  },
  ...{ state, progress: tableUploads.progress, report: tableUploads.report, failure: tableUploads.failure },
  ...{ createdAt: tableUploads.createdAt, changedAt, stops, lease },
  isLeased: isLeased(tableUploads),
};

const findOne = prepare((named: Named<{ id: number }>) =>
  query.select(COLUMNS).from(tableUploads).where(eq(id, named.id)),
);
const findOwn = prepare((named: Named<{ userId: number }>) =>
  query.select(COLUMNS).from(tableUploads).where(eq(userId, named.userId)).orderBy(desc(id)).limit(50),
);
const findLatest = prepare(({ limit }: Named<{ limit: number }>) =>
  query.select(COLUMNS).from(tableUploads).orderBy(desc(id)).limit(limit),
);
const findOld = prepare(({ before }: Named<{ before: number }>) =>
  query.select(COLUMNS).from(tableUploads).where(lte(changedAt, before)),
);
const findStop = prepare((named: Named<{ id: number; lease: string }>) =>
  query
    .select({ stops, isActive: users.status })
    .from(tableUploads)
    .leftJoin(users, eq(users.id, userId))
    .where(and(eq(id, named.id), eq(lease, named.lease))),
);

/** The result of some work on an upload. */
export interface TableUploadOutcome {
  readonly state: Exclude<StoredState, 'checking' | 'importing'>;
  readonly report?: TableUploadReport | undefined;
  readonly progress?: TableUploadProgress | undefined;
  readonly failure?: TableProblem | undefined;
}

/** Adds an upload, whose files are in a folder of this server. Returns its id. */
export async function addTableUpload(
  { write }: Database,
  { folder, user, fileName, options }: Pick<TableUpload, 'folder' | 'fileName' | 'options'> & { readonly user: number },
): Promise<number> {
  const added = query
    .insert(tableUploads)
    .values({
      ...{
        folder,
        host: hostname(),
        userId: user,
        fileName,
        options: JSON.stringify(options),
        state: 'stopped',
        stops: false,
      },
      ...{ createdAt: NOW, changedAt: NOW },
    })
    .returning({ id });
  const { rows } = await write({ rows: statementOf(added) });
  return rows[0]?.id ?? 0;
}

/** Returns an upload. Undefined if it does not exist. */
export async function findTableUpload(database: Database, upload: number): Promise<TableUpload | undefined> {
  const row = await database.get(findOne({ id: upload }));
  return row && toUpload(row);
}

/** Returns the last uploads of a user, the newest first. */
export async function listTableUploads(database: Database, user: number): Promise<TableUpload[]> {
  return (await database.all(findOwn({ userId: user }))).map(toUpload);
}

/** Returns the last uploads of all users, the newest first. */
export async function listLatestTableUploads(database: Database, limit: number): Promise<TableUpload[]> {
  return (await database.all(findLatest({ limit }))).map(toUpload);
}

/** Returns the uploads that have not changed since a time (seconds since 1970), and that no process works on. */
export async function listOldTableUploads(database: Database, before: number): Promise<TableUpload[]> {
  const rows = await database.all(findOld({ before }));
  return rows.map(toUpload).filter(({ state }) => state !== 'checking' && state !== 'importing');
}

const findFolders = prepare(() => query.select({ folder: tableUploads.folder }).from(tableUploads));
const countImporting = prepare(() =>
  query
    .select({ uploads: count() })
    .from(tableUploads)
    .where(and(eq(state, 'importing'), isLeased(tableUploads))),
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
  { id: upload }: TableUpload,
  work: 'checking' | 'importing',
  options: TableUploadOptions,
): Promise<HeldTableUpload> {
  const own = newLease();
  const taking = query
    .update(tableUploads)
    .set({
      ...{ state: work, lease: own, ...RENEWED, stops: false, changedAt: NOW, failure: null, progress: null },
      options: JSON.stringify(options),
    })
    .where(and(eq(id, upload), await isFreeNow(database, upload), inArray(state, OPEN_STATES)))
    .returning(COLUMNS);
  const { taken } = await database.write({ taken: statementOf(taking) });
  const [row] = taken;
  if (row === undefined)
    throw new ServiceError(
      'conflict',
      'The table is being checked or imported, or is imported already. Open its page again.',
    );
  return { ...toUpload(row), lease: own };
}

const OPEN_STATES: StoredState[] = ['checking', 'checked', 'importing', 'stopped', 'failed'];

/** Stores how far the work is, and renews the lease. Returns whether the work must stop. Throws `conflict` if the lease is lost. */
export async function saveProgress(
  database: Database,
  held: HeldTableUpload,
  progress: TableUploadProgress,
): Promise<boolean> {
  await change(database, held, { progress: JSON.stringify(progress), ...RENEWED, changedAt: NOW });
  const row = await database.get(findStop({ id: held.id, lease: held.lease }));
  return row === undefined || row.stops || row.isActive !== true;
}

/** Ends the work on an upload. */
export function settleTableUpload(
  database: Database,
  held: HeldTableUpload,
  outcome: TableUploadOutcome,
): Promise<void> {
  const { state, report, progress, failure } = outcome;
  return change(database, held, {
    ...{ state, ...RELEASED, stops: false, changedAt: NOW },
    ...(report && { report: JSON.stringify(report) }),
    ...(progress && { progress: JSON.stringify(progress) }),
    failure: failure === undefined ? null : JSON.stringify(failure),
  });
}

/** Makes the process that works on an upload stop. */
export async function requestStop({ write }: Database, upload: number): Promise<void> {
  await write([statementOf(query.update(tableUploads).set({ stops: true }).where(eq(id, upload)))]);
}

/** Removes an upload that no process works on. Returns false while one does. */
export async function removeTableUpload(database: Database, { id: upload }: TableUpload): Promise<boolean> {
  const removing = query.delete(tableUploads).where(and(eq(id, upload), await isFreeNow(database, upload)));
  const { removed } = await database.write({ removed: statementOf(removing) });
  return removed.changes === 1;
}

/** Returns the condition that no process works on an upload: its lease is released, expired, or of a process that has ended. */
async function isFreeNow(database: Database, upload: number) {
  return isFree(tableUploads, orphansAmong(await database.all(findOne({ id: upload }))));
}

type Changes = Parameters<ReturnType<typeof query.update<typeof tableUploads>>['set']>[0];

function change(database: Database, held: HeldTableUpload, changes: Changes): Promise<void> {
  const own = and(eq(id, held.id), eq(lease, held.lease));
  const changing = statementOf(query.update(tableUploads).set(changes).where(own));
  return changeHeld(database, 'Another process has taken over this table.', changing);
}

type LeaseRow = Omit<Row, 'leaseUntil'> & { readonly isLeased: number };

function toUpload({ lease, isLeased, options, progress, report, failure, ...row }: LeaseRow): TableUpload {
  const isOpen = row.state === 'checking' || row.state === 'importing';
  const shown: TableUploadState = isOpen && !isUnderWay({ lease, isLeased }) ? 'interrupted' : row.state;
  return {
    ...row,
    state: shown,
    options: JSON.parse(options) as TableUploadOptions,
    progress: parsed<TableUploadProgress>(progress),
    report: parsed<TableUploadReport>(report),
    failure: parsed<TableProblem>(failure),
  };
}

function parsed<T>(text: string | null): T | undefined {
  return text === null ? undefined : (JSON.parse(text) as T);
}
