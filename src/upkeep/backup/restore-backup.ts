import { rm, stat } from 'node:fs/promises';
import Libsql from 'libsql';
import { ServiceError } from '../../base/errors.ts';
import { forEachAtOnce } from '../../base/for-each-at-once.ts';
import { query } from '../../database/query-builder.ts';
import { secrets } from '../../database/schema/system.ts';
import { appliedMigrations } from '../../database/sqlite-tables.ts';
import { statementOf } from '../../database/statement.ts';
import { isKey } from '../../storage/key.ts';
import { readSource, streamOf } from '../../storage/read-source.ts';
import type { Storage } from '../../storage/storage.ts';
import { NO_CHECKSUM } from './copy-contents.ts';
import { rowsIn, type StoredFile, storedFilesOf } from './database-file.ts';
import { BackupError, differenceOf, reasonOf, SourceFailed, withReason } from './errors.ts';
import { type Progress, requireStores } from './make-backup.ts';
import { fetchDatabase, listBackups, type Manifest, readManifest } from './manifest.ts';
import { type BackupPlace, isContentName, isSame, nameOfContent } from './place.ts';

/** Maximum number of lost files that are listed; further ones are only counted. */
const MAX_LISTED = 1_000;

interface RestoreOptions {
  readonly place: BackupPlace;
  readonly stores: ReadonlyMap<string, Storage>;
  /** Number of files that are restored at the same time. */
  readonly atOnce: number;
  /** Waits until these bytes are within the rate limit, if there is one. */
  readonly pace: (bytes: number) => Promise<void>;
  /** The name of a backup; undefined: the latest. */
  readonly backup: string | undefined;
  /** The file in which the database is prepared. An interrupted restore leaves it for the next. */
  readonly workFile: string;
  /** The migrations that this program knows. */
  readonly knownMigrations: ReadonlySet<string>;
  /** True to restore without files that the backup has lost since it was made. */
  readonly acceptsLoss: boolean;
  /** Installs the database in `workFile`, with the secrets in it. The repository exists afterwards. */
  readonly install: (secrets: ReadonlyMap<string, string>, onRows: (count: number) => void) => Promise<void>;
  readonly onProgress: (progress: Progress) => void;
  readonly signal: AbortSignal;
}

export interface RestoreResult {
  readonly manifest: Manifest;
  readonly files: RestoredFiles;
  /** True if the repository exists now. */
  readonly isDone: boolean;
}

/**
 * Restores a backup: first verifies and copies its files, then installs the database, so that an interrupted restore is no
 * repository. Does not install it if files were lost since the backup was made. Throws BackupError.
 */
export async function restoreBackup(options: RestoreOptions): Promise<RestoreResult> {
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
  const files = await restoreFiles(options, new Set(manifest.damaged.map(({ id }) => id)), onFile);
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
  throw new BackupError(`There is no backup ${wanted} in ${place.address}. Latest backups: ${some}.`);
}

/** Fetches the database unless an interrupted restore has done so. */
async function fetchWhereMissing(place: BackupPlace, { database }: Manifest, workFile: string): Promise<void> {
  const stats = await stat(workFile).catch(() => undefined);
  if (stats?.size === database.bytes && isSame(database, await readSource(Bun.file(workFile).stream()))) return;
  await fetchDatabase(place, database, workFile, 'Choose another backup with --backup.');
}

async function checkDatabase({ backup, program }: Manifest, { workFile, ...options }: RestoreOptions): Promise<void> {
  const database = new Libsql(workFile);
  try {
    const lines = database.pragma('integrity_check') as readonly { readonly integrity_check: string }[];
    const problems = lines.map((line) => line.integrity_check).filter((line) => line !== 'ok');
    if (problems.length > 0)
      throw new BackupError(`The database of the backup ${backup} is damaged: ${problems.slice(0, 3).join('; ')}.`);
    const applied = [...rowsIn(database, statementOf(query.select().from(appliedMigrations)))];
    if (!applied.every(({ name }) => options.knownMigrations.has(name)))
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
    const rows = rowsIn(database, statementOf(query.select().from(secrets)));
    return new Map(Array.from(rows, ({ name, value }) => [name, value]));
  } finally {
    database.close();
  }
}

/** A file whose bytes are missing or damaged in the backup. */
interface LostFile {
  readonly id: number;
  readonly uri: string;
  readonly problem: string;
  /** True if it was damaged when the backup was made. */
  readonly wasDamaged: boolean;
}

interface RestoredFiles {
  files: number;
  bytes: number;
  /** Number of these files that an interrupted restore had written. */
  kept: number;
  /** Numbers of files that were lost since the backup was made, and before. */
  lost: number;
  wereDamaged: number;
  /** The first lost files of both kinds. */
  readonly listed: LostFile[];
}

/**
 * Copies the bytes of every file into the store that its row names, and verifies them. Returns files whose bytes the
 * backup lacks, and continues. `knownDamaged` has the ids of files that were damaged when the backup was made. Throws
 * BackupError if a store fails.
 */
async function restoreFiles(
  options: RestoreOptions,
  knownDamaged: ReadonlySet<number>,
  onFile: (file: StoredFile) => void,
): Promise<RestoredFiles> {
  const restored: RestoredFiles = { files: 0, bytes: 0, kept: 0, lost: 0, wereDamaged: 0, listed: [] };
  await forEachAtOnce(storedFilesOf(options.workFile), options.atOnce, async (file) => {
    options.signal.throwIfAborted();
    const outcome = await restoreOne(options, file);
    if (typeof outcome === 'object') {
      const { id, uri } = file;
      const wasDamaged = knownDamaged.has(id);
      restored[wasDamaged ? 'wereDamaged' : 'lost'] += 1;
      if (restored.listed.length < MAX_LISTED) restored.listed.push({ id, uri, problem: outcome.problem, wasDamaged });
    } else {
      restored.files += 1;
      restored.bytes += file.bytes;
      if (outcome === 'kept') restored.kept += 1;
    }
    onFile(file);
  });
  return restored;
}

async function restoreOne(
  options: RestoreOptions,
  file: StoredFile,
): Promise<'kept' | 'written' | { problem: string }> {
  const storage = options.stores.get(file.store);
  if (storage === undefined) throw new Error(`no store ${file.store}`);
  if (!isContentName(file.sha256)) return { problem: NO_CHECKSUM };
  if (!isKey(file.key)) return { problem: 'its key of the store in the database is invalid' };
  try {
    if (await isRestored(storage, file)) return 'kept';
    const staged = await storage.put(file.key, readContent(options, file), options.signal);
    if (isSame(file, staged)) {
      await staged.keep();
      return 'written';
    }
    await staged.discard();
    return { problem: differenceOf(file, staged) };
  } catch (error) {
    options.signal.throwIfAborted();
    if (error instanceof SourceFailed) return { problem: error.message };
    if (error instanceof ServiceError)
      throw new BackupError(`The storage ${file.store} cannot be used: ${reasonOf(error)}.`, { cause: error });
    throw error;
  }
}

/** Returns whether an interrupted restore has written the object. Removes a damaged one. */
async function isRestored(storage: Storage, file: StoredFile): Promise<boolean> {
  const stats = await storage.stat(file.key);
  if (stats === undefined) return false;
  if (stats.bytes === file.bytes) {
    const stored = await readSource(streamOf(await storage.read(file.key)));
    if (isSame(file, stored)) return true;
  }
  await storage.remove(file.key);
  return false;
}

async function* readContent({ place, pace, signal }: RestoreOptions, file: StoredFile): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of await place.get(nameOfContent(file.sha256))) {
      signal.throwIfAborted();
      await pace(chunk.byteLength);
      yield chunk;
    }
  } catch (error) {
    throw new SourceFailed(error);
  }
}
