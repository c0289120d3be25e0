import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { eq, sql } from 'drizzle-orm';
import { sqliteTable, text } from 'drizzle-orm/sqlite-core';
import Libsql from 'libsql';
import { query } from '../../database/query-builder.ts';
import { files } from '../../database/schema/files.ts';
import { plain, prepare, statementOf } from '../../database/statement.ts';
import { rowsIn, runIn } from './database-file.ts';
import { fetchDatabase, listBackups, type Manifest, nameOfManifest, readManifest } from './manifest.ts';
import {
  type BackupPlace,
  DATABASES_FOLDER,
  FILES_FOLDER,
  folderOfContent,
  isContentName,
  isOwnName,
  nameOfContent,
  nameOfDatabase,
} from './place.ts';

const findContents = prepare(() => query.selectDistinct({ sha256: files.sha256 }).from(files));

/** The names that the kept backups need: a table of a temporary database. */
const needed = sqliteTable('needed', { name: text().primaryKey() });
const NAME = sql.placeholder('name');
const findNeeded = statementOf(query.select().from(needed).where(eq(needed.name, NAME)));
const insertNeeded = statementOf(query.insert(needed).values({ name: NAME }).onConflictDoNothing());

const SHARDS = Array.from({ length: 256 }, (_, index) => index.toString(16).padStart(2, '0'));

/** The removed backups and contents or, in a dry run, those that would be removed. */
interface Pruned {
  readonly backups: readonly string[];
  readonly contents: number;
  readonly bytes: number;
}

/**
 * Removes all but the latest `keep` backups, then the contents that no other backup needs. Removes manifests first, so
 * that an interruption leaves no backup without its files. Throws BackupError and removes nothing if a manifest or a
 * database is unreadable or damaged, since the contents that it needs are unknown then.
 */
export async function prune(place: BackupPlace, keep: number, isDryRun: boolean): Promise<Pruned> {
  await place.requireExisting();
  const lock = await place.lock();
  const file = join(await place.workFolder(), 'needed.db');
  try {
    const all = await listBackups(place);
    const backups = all.slice(0, Math.max(0, all.length - keep));
    const kept: Manifest[] = [];
    for (const backup of all.slice(backups.length)) kept.push(await readManifest(place, backup));
    const database = await gatherNeeded(place, kept, file);
    try {
      const remove = async (name: string) => {
        if (!isDryRun) await place.remove(name);
      };
      for (const backup of backups) await remove(nameOfManifest(backup));
      const removed = { contents: 0, bytes: 0 };
      const isNeeded = database.prepare(findNeeded.sql);
      for (const folder of [DATABASES_FOLDER, ...SHARDS.map(folderOfContent)]) {
        for await (const { name, bytes } of place.list(folder)) {
          if (!isOwnName(name) || isNeeded.get([name]) !== undefined) continue;
          await remove(name);
          if (name.startsWith(FILES_FOLDER)) removed.contents += 1;
          removed.bytes += bytes;
        }
      }
      return { backups, ...removed };
    } finally {
      database.close();
    }
  } finally {
    await rm(file, { force: true });
    await lock.release();
  }
}

/** Returns a database with every name that one of these backups needs. */
async function gatherNeeded(
  place: BackupPlace,
  manifests: readonly Manifest[],
  file: string,
): Promise<Libsql.Database> {
  const target = new Libsql(file);
  try {
    target.pragma('journal_mode = OFF');
    runIn(target, statementOf(plain(sql`CREATE TABLE ${needed} (name TEXT PRIMARY KEY) WITHOUT ROWID`)));
    const insert = target.prepare(insertNeeded.sql);
    for (const { database } of manifests) {
      insert.run([nameOfDatabase(database.sha256)]);
      const copy = `${file}.copy`;
      await fetchDatabase(
        place,
        database,
        copy,
        'Nothing was removed, since the contents that this backup needs are unknown.',
      );
      const source = new Libsql(copy);
      try {
        target.transaction(() => {
          for (const { sha256 } of rowsIn(source, findContents()))
            if (isContentName(sha256)) insert.run([nameOfContent(sha256)]);
        })();
      } finally {
        source.close();
        await rm(copy, { force: true });
      }
    }
    return target;
  } catch (error) {
    target.close();
    throw error;
  }
}
