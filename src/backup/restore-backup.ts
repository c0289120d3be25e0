import { rm, stat } from 'node:fs/promises';
import Libsql from 'libsql';
import { BackupError, withReason } from './errors.ts';
import { fetchDatabase } from './fetch-database.ts';
import { hashOf } from './hash.ts';
import { type Progress, requireStores } from './make-backup.ts';
import { listBackups, type Manifest, readManifest } from './manifest.ts';
import { type BackupPlace, isSame } from './place.ts';
import { type RestoredFiles, type RestoreFilesOptions, restoreFiles } from './restore-files.ts';

export interface RestoreOptions extends Pick<RestoreFilesOptions, 'stores' | 'atOnce' | 'pace'> {
  readonly place: BackupPlace;
  /** The name of one; undefined: the latest. */
  readonly backup: string | undefined;
  /** Where the database is prepared; a restore that is broken off leaves it for the next. */
  readonly workFile: string;
  /** The migrations that this program knows. */
  readonly knownMigrations: ReadonlySet<string>;
  /** Whether what the backup has damaged is done without; otherwise only what was damaged when it was made. */
  readonly acceptsLoss: boolean;
  /** Puts the database in its place: the repository is there afterwards. It is given `workFile`, and the secrets in it. */
  readonly install: (secrets: ReadonlyMap<string, string>, onRows: (count: number) => void) => Promise<void>;
  readonly onProgress: (progress: Progress) => void;
  readonly signal: AbortSignal;
}

export interface Restored {
  readonly manifest: Manifest;
  readonly files: RestoredFiles;
  /** Whether there is a repository now. */
  readonly isDone: boolean;
}

/**
 * Restores a backup: its files first, each checked on the way, and the database last, so that what is broken off is no
 * repository. Where files are lost that were whole when the backup was made, the database is not put in its place. Throws
 * BackupError.
 */
export async function restoreBackup(options: RestoreOptions): Promise<Restored> {
  const { place, workFile, onProgress, signal } = options;
  const manifest = await findBackup(place, options.backup);
  requireStores(Object.keys(manifest.stores), new Set(options.stores.keys()));
  await fetchWhereMissing(place, manifest, workFile);
  await checkDatabase(manifest, options);
  const { count: totalFiles, bytes: totalBytes } = manifest.files;
  let progress: Progress = { step: 'files', rows: 0, files: 0, totalFiles, bytes: 0, totalBytes };
  const advance = (change: Partial<Progress>) => {
    progress = { ...progress, ...change };
    onProgress(progress);
  };
  advance({});
  const onFile = ({ bytes }: { bytes: number }) =>
    advance({ files: progress.files + 1, bytes: progress.bytes + bytes });
  const knownDamaged = new Set(manifest.damaged.map(({ id }) => id));
  const files = await restoreFiles({ ...options, database: workFile, knownDamaged, onFile, signal });
  if (files.lost > 0 && !options.acceptsLoss) return { manifest, files, isDone: false };
  signal.throwIfAborted();
  advance({ step: 'database' });
  const secrets = readSecrets(workFile);
  await withReason('The database cannot be put in its place', () =>
    options.install(secrets, (count) => advance({ rows: progress.rows + count })),
  );
  await rm(workFile, { force: true });
  return { manifest, files, isDone: true };
}

/** Returns the manifest of a backup by its name, or of the latest. Throws BackupError if there is none. */
export async function findBackup(place: BackupPlace, wanted: string | undefined): Promise<Manifest> {
  await place.requireExisting();
  return readManifest(place, await chooseBackup(place, wanted));
}

async function chooseBackup(place: BackupPlace, wanted: string | undefined): Promise<string> {
  const backups = await listBackups(place);
  const latest = backups.at(-1);
  if (latest === undefined) throw new BackupError(`There is no backup in ${place.address}.`);
  if (wanted === undefined) return latest;
  if (backups.includes(wanted)) return wanted;
  const some = backups.slice(-5).join(', ');
  throw new BackupError(`There is no backup ${wanted} in ${place.address}; the latest are ${some}.`);
}

/** The one that a restore of before has fetched will do. */
async function fetchWhereMissing(place: BackupPlace, { database }: Manifest, workFile: string): Promise<void> {
  const found = await stat(workFile).catch(() => undefined);
  if (found?.size === database.bytes && isSame(database, await hashOf(Bun.file(workFile).stream()))) return;
  await fetchDatabase(place, database, workFile, 'Choose another backup with --backup.');
}

async function checkDatabase({ backup, program }: Manifest, { workFile, ...options }: RestoreOptions): Promise<void> {
  const database = new Libsql(workFile);
  try {
    const column = (sql: string) => (database.prepare(sql).raw(true).all() as unknown[][]).map((row) => String(row[0]));
    const integrity = column('PRAGMA integrity_check');
    if (integrity[0] !== 'ok')
      throw new BackupError(
        `The database of the backup ${backup} is no whole database: ${integrity.slice(0, 3).join('; ')}.`,
      );
    const unknown = column('SELECT name FROM migration').filter((name) => !options.knownMigrations.has(name));
    if (unknown.length > 0)
      throw new BackupError(
        `The backup ${backup} was made by a newer version of repo, ${program.version}: restore it with that version.`,
      );
  } finally {
    database.close();
  }
}

function readSecrets(file: string): ReadonlyMap<string, string> {
  const database = new Libsql(file);
  try {
    return new Map(database.prepare('SELECT name, value FROM secret').raw(true).all() as [string, string][]);
  } finally {
    database.close();
  }
}
