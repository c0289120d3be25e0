import { eq, sql } from 'drizzle-orm';
import { blob, sqliteTable } from 'drizzle-orm/sqlite-core';
import Libsql from 'libsql';
import { query } from '../../database/query-builder.ts';
import { files } from '../../database/schema/files.ts';
import { plain, prepare, statementOf } from '../../database/statement.ts';
import { rowsIn, runIn } from './database-file.ts';
import { BackupError } from './errors.ts';
import { listBackups, type Manifest, nameOfManifest, readDatabase, readManifest } from './manifest.ts';
import {
  type BackupPlace,
  DATABASES_FOLDER,
  FILES_FOLDER,
  folderOfContent,
  isContentName,
  isOwnName,
  nameOfDatabase,
} from './place.ts';

const findContents = prepare(() => query.selectDistinct({ sha256: files.sha256 }).from(files));

/** The contents that the kept backups need: a table of a temporary database, which has no file. */
const needed = sqliteTable('needed', { sha256: blob().primaryKey() });
const SHA256 = sql.placeholder('sha256');
const findNeeded = statementOf(query.select().from(needed).where(eq(needed.sha256, SHA256)));
const insertNeeded = statementOf(query.insert(needed).values({ sha256: SHA256 }).onConflictDoNothing());

const SHARDS = Array.from({ length: 256 }, (_, index) => index.toString(16).padStart(2, '0'));

interface PruneOptions {
  /** The number of backups to keep. */
  readonly keep: number;
  /** A backup that is kept in any case, and counts as the latest: others may have names in the future. */
  readonly made?: string | undefined;
  readonly isDryRun: boolean;
}

/** The removed backups and contents or, in a dry run, those that would be removed. */
interface PruneResult {
  /** The names of the backups, the oldest first. */
  readonly backups: readonly string[];
  readonly contents: number;
  readonly bytes: number;
}

/**
 * Removes all but the latest backups, then the contents that no other backup needs. Needs no room in the place. Removes
 * manifests first, so that an interruption leaves no backup without its files. Throws BackupError and removes nothing if a
 * manifest or a database is unreadable or damaged, since the contents that it needs are unknown then.
 */
export async function prune(place: BackupPlace, { keep, made, isDryRun }: PruneOptions): Promise<PruneResult> {
  await place.requireExisting();
  const lock = await place.lock();
  try {
    const all = await listBackups(place);
    const kept = new Set([...all.filter((name) => name !== made), ...(made === undefined ? [] : [made])].slice(-keep));
    const manifests: Manifest[] = [];
    for (const backup of kept) manifests.push(await readManifest(place, backup));
    const databases = new Set(manifests.map(({ database }) => nameOfDatabase(database.sha256)));
    const contents = await gatherNeeded(place, manifests);
    try {
      const remove = async (name: string) => {
        if (!isDryRun) await place.remove(name);
      };
      const backups = all.filter((name) => !kept.has(name));
      for (const backup of backups) await remove(nameOfManifest(backup));
      const removed = { contents: 0, bytes: 0 };
      const isNeeded = contents.prepare(findNeeded.sql);
      for (const folder of [DATABASES_FOLDER, ...SHARDS.map(folderOfContent)]) {
        for await (const { name, bytes } of place.list(folder)) {
          if (!isOwnName(name) || databases.has(name)) continue;
          const isContent = name.startsWith(FILES_FOLDER);
          if (isContent && isNeeded.get([digestOf(name)]) !== undefined) continue;
          await remove(name);
          if (isContent) removed.contents += 1;
          removed.bytes += bytes;
        }
      }
      return { backups, ...removed };
    } finally {
      contents.close();
    }
  } finally {
    await lock.release();
  }
}

/** Returns the checksum in the name of a content. */
function digestOf(name: string): Buffer {
  return Buffer.from(name.slice(name.lastIndexOf('/') + 1), 'hex');
}

/** Returns a database with the checksum of every content that one of these backups needs. */
async function gatherNeeded(place: BackupPlace, manifests: readonly Manifest[]): Promise<Libsql.Database> {
  const target = new Libsql(WITHOUT_FILE);
  try {
    runIn(target, statementOf(plain(sql`CREATE TABLE ${needed} (sha256 BLOB PRIMARY KEY) WITHOUT ROWID`)));
    const insert = target.prepare(insertNeeded.sql);
    for (const { database } of manifests)
      await readDatabase(place, database, NOTHING_REMOVED, (source) => {
        target.transaction(() => {
          for (const { sha256 } of rowsIn(source, findContents())) {
            if (!isContentName(sha256))
              throw new BackupError(`${database} has a file whose SHA-256 is damaged. ${NOTHING_REMOVED}`);
            insert.run([Buffer.from(sha256, 'hex')]);
          }
        })();
      });
    return target;
  } catch (error) {
    target.close();
    throw error;
  }
}

/** The name with which SQLite creates a temporary database. */
const WITHOUT_FILE = '';
const NOTHING_REMOVED = 'Nothing was removed, since the contents that this backup needs are unknown.';
