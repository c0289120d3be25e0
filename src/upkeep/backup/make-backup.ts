import { dirname, join } from 'node:path';
import { and, eq, gt, lte, sql } from 'drizzle-orm';
import type { Database } from '../../database/database.ts';
import { CLOCK } from '../../database/database-time.ts';
import { query } from '../../database/query-builder.ts';
import { objectHolds } from '../../database/schema/system.ts';
import { type Named, prepare } from '../../database/statement.ts';
import { readSource } from '../../storage/read-source.ts';
import { type CopyOptions, copyContents } from './copy-contents.ts';
import { prepareSnapshot, removeSnapshot } from './database-file.ts';
import { BackupError, withReason } from './errors.ts';
import { FORMAT, listBackups, type Manifest, nameOfMoment, writeManifest } from './manifest.ts';
import { type BackupPlace, nameOfDatabase, renewEvery } from './place.ts';

/** The progress of a backup or a restore. */
export interface Progress {
  readonly step: 'database' | 'files';
  readonly rows: number;
  readonly files: number;
  readonly totalFiles: number;
  readonly bytes: number;
  readonly totalBytes: number;
}

interface BackupOptions extends Pick<CopyOptions, 'read' | 'atOnce' | 'pace' | 'isRechecked'> {
  readonly place: BackupPlace;
  readonly program: { readonly name: string; readonly version: string };
  /** The names of the stores that `read` can read. */
  readonly stores: ReadonlySet<string>;
  /** Keeps discarded objects. The snapshot is taken afterwards. */
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
 * Makes a backup of a repository, in its state at one moment, while it may be in use. Skips files that an earlier or
 * interrupted backup has copied. Lists damaged files in the manifest. Throws BackupError.
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
    const database = await readSource(Bun.file(snapshot).stream());
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
    await removeSnapshot(snapshot);
  }
}

/** Throws BackupError if the configuration lacks a store that contains files. */
export function requireStores(needed: readonly string[], stores: ReadonlySet<string>): void {
  const missing = needed.filter((name) => !stores.has(name));
  if (missing.length > 0)
    throw new BackupError(
      `Files are stored in ${missing.join(', ')}, and the configuration has no storage scheme of that name.`,
    );
}

/** Returns the name of a new backup: the second in which it starts. */
async function newName(place: BackupPlace, now: () => number): Promise<string> {
  for (;;) {
    const name = nameOfMoment(now());
    if (!(await listBackups(place)).includes(name)) return name;
    await Bun.sleep(200);
  }
}

/** The duration of a hold after its last renewal. */
const HOLD_S = 600;
const RENEW_MS = 30_000;

const { name: holdName, until } = objectHolds;
const expiry = sql<number>`${CLOCK} + ${HOLD_S}`;
const removeExpired = prepare(() => query.delete(objectHolds).where(lte(until, CLOCK)));
const insertHold = prepare(({ name }: Named<{ name: string }>) =>
  query.insert(objectHolds).values({ name, until: expiry }),
);
const renewHold = prepare(({ name }: Named<{ name: string }>) =>
  query
    .update(objectHolds)
    .set({ until: expiry })
    .where(and(eq(holdName, name), gt(until, CLOCK))),
);
const removeHold = prepare(({ name }: Named<{ name: string }>) => query.delete(objectHolds).where(eq(holdName, name)));

/** Keeps discarded objects while it is active. */
interface ObjectHold {
  /** Aborts when the hold has expired, as after a sleep of the machine: objects of the snapshot may be removed then. */
  readonly lost: AbortSignal;
  release(): Promise<void>;
}

/** Holds the objects that a later snapshot names, by the clock of the database. `name` is unique to the backup. */
export async function holdObjects(write: Database['write'], name: string, renewMs = RENEW_MS): Promise<ObjectHold> {
  const lost = new AbortController();
  await write([removeExpired(), insertHold({ name })]);
  const stop = renewEvery(renewMs, async () => {
    try {
      const { renewed } = await write({ renewed: renewHold({ name }) });
      if (renewed.changes === 0) lost.abort(new BackupError(HOLD_LOST));
    } catch {
      // The next renewal detects whether the hold has expired meanwhile.
    }
  });
  return {
    lost: lost.signal,
    async release() {
      await stop();
      await write([removeHold({ name })]);
    },
  };
}

const HOLD_LOST =
  'This backup could not renew its hold for ten minutes, so that files may be missing. Run it again: it skips what it has copied.';
