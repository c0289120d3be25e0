import { eq } from 'drizzle-orm';
import type { Database } from '../../database/database.ts';
import { query } from '../../database/query-builder.ts';
import { settings } from '../../database/schema/system.ts';
import { excluded } from '../../database/sql.ts';
import { type Named, prepare } from '../../database/statement.ts';
import type { Manifest } from './manifest.ts';

/** The name of the setting that stores the last backup. */
const SETTING = 'backup.last';

/** The last complete backup. Where it is, only its operator knows. */
export interface BackupRecord {
  /** Its name, such as `2026-11-22T010203Z`. */
  readonly backup: string;
  /** Seconds since 1970. */
  readonly finished: number;
  readonly files: number;
  readonly bytes: number;
  /** The number of files that were damaged when they were copied. */
  readonly damaged: number;
}

const saveRecord = prepare(({ value }: Named<{ value: string }>) =>
  query
    .insert(settings)
    .values({ name: SETTING, value })
    .onConflictDoUpdate({ target: settings.name, set: { value: excluded(settings.value) } }),
);
const findRecord = prepare(() =>
  query.select({ value: settings.value }).from(settings).where(eq(settings.name, SETTING)),
);

/** Records a complete backup, so that the repository can show when it was made. */
export async function recordBackup({ write }: Database, { backup, finished, files, damaged }: Manifest): Promise<void> {
  const record: BackupRecord = {
    backup,
    finished: Math.floor(Date.parse(finished) / 1_000),
    files: files.count,
    bytes: files.bytes,
    damaged: damaged.length,
  };
  await write([saveRecord({ value: JSON.stringify(record) })]);
}

/** Returns the last complete backup. Undefined if this version of the program has made none. */
export async function findLastBackup(database: Database): Promise<BackupRecord | undefined> {
  const row = await database.get(findRecord());
  return row && (JSON.parse(row.value) as BackupRecord);
}
