import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type CopyOptions, copyContents } from './copy-contents.ts';
import { BackupError, withReason } from './errors.ts';
import { hashOf } from './hash.ts';
import type { ObjectHold } from './hold.ts';
import { FORMAT, listBackups, type Manifest, nameOfMoment, writeManifest } from './manifest.ts';
import { type BackupPlace, nameOfDatabase } from './place.ts';
import { prepareSnapshot } from './prepare-snapshot.ts';

/** How far a backup or a restore is. */
export interface Progress {
  readonly step: 'database' | 'files';
  readonly rows: number;
  readonly files: number;
  readonly totalFiles: number;
  readonly bytes: number;
  readonly totalBytes: number;
}

export interface BackupOptions extends Pick<CopyOptions, 'read' | 'atOnce' | 'pace' | 'isRechecked'> {
  readonly place: BackupPlace;
  readonly program: { readonly name: string; readonly version: string };
  /** The names of the stores that `read` knows. */
  readonly stores: ReadonlySet<string>;
  /** Keeps discarded objects from now on; the snapshot is taken afterwards. */
  readonly hold: () => Promise<ObjectHold>;
  readonly takeSnapshot: (into: string, onRows: (count: number) => void) => Promise<void>;
  /** Secrets that are files beside the database. */
  readonly secrets: ReadonlyMap<string, string>;
  readonly onProgress: (progress: Progress) => void;
  readonly signal: AbortSignal;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/**
 * Makes a backup of a repository that may be in use: everything as it was at one moment. What an earlier one, or one that
 * was broken off, has brought already is not copied again. Files that are damaged are named in the manifest. Throws
 * BackupError.
 */
export async function makeBackup(options: BackupOptions): Promise<Manifest> {
  const { place } = options;
  const lock = await place.lock();
  try {
    const hold = await options.hold();
    try {
      const signal = AbortSignal.any([options.signal, lock.lost, hold.lost]);
      return await backUp({ ...options, signal });
    } finally {
      await hold.release();
    }
  } finally {
    await lock.release();
  }
}

async function backUp(options: BackupOptions): Promise<Manifest> {
  const { place, stores, onProgress, signal, now } = options;
  const backup = await newName(place, now);
  const started = now();
  const snapshot = join(await place.workFolder(), 'snapshot.db');
  try {
    let progress: Progress = { step: 'database', rows: 0, files: 0, totalFiles: 0, bytes: 0, totalBytes: 0 };
    const advance = (change: Partial<Progress>) => {
      progress = { ...progress, ...change };
      onProgress(progress);
    };
    advance({});
    const facts = await withReason(`The database cannot be copied into ${dirname(snapshot)}`, async () => {
      await options.takeSnapshot(snapshot, (count) => advance({ rows: progress.rows + count }));
      return prepareSnapshot(snapshot, options.secrets);
    });
    signal.throwIfAborted();
    requireStores(Object.keys(facts.stores), stores);
    advance({ step: 'files', totalFiles: facts.files.count, totalBytes: facts.files.bytes });
    const onFile = ({ bytes }: { bytes: number }) =>
      advance({ files: progress.files + 1, bytes: progress.bytes + bytes });
    const { damaged, ...copied } = await copyContents({ ...options, snapshot, signal, onFile });
    const database = await hashOf(Bun.file(snapshot).stream());
    await place.putFile(nameOfDatabase(database.sha256), snapshot);
    signal.throwIfAborted();
    const manifest: Manifest = {
      format: FORMAT,
      program: options.program,
      backup,
      started: new Date(started).toISOString(),
      finished: new Date(now()).toISOString(),
      database: { ...database, migration: facts.migration },
      files: { ...facts.files, ...copied },
      stores: facts.stores,
      damaged,
    };
    await writeManifest(place, manifest);
    return manifest;
  } finally {
    await rm(snapshot, { force: true });
  }
}

/** Throws BackupError for stores that hold files and that the configuration has not. */
export function requireStores(needed: readonly string[], stores: ReadonlySet<string>): void {
  const missing = needed.filter((name) => !stores.has(name));
  if (missing.length > 0)
    throw new BackupError(
      `Files are kept in ${missing.join(', ')}, and the configuration has no storage scheme of that name.`,
    );
}

/** Backups are named by the second in which they begin. */
async function newName(place: BackupPlace, now: () => number): Promise<string> {
  for (;;) {
    const name = nameOfMoment(now());
    if (!(await listBackups(place)).includes(name)) return name;
    await Bun.sleep(200);
  }
}
