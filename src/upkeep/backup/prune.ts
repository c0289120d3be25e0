import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import Libsql from 'libsql';
import { query } from '../../database/query-builder.ts';
import { files } from '../../database/schema/files.ts';
import { prepare } from '../../database/statement.ts';
import { rowsIn } from './database-file.ts';
import { fetchDatabase, listBackups, type Manifest, nameOfManifest, readManifest } from './manifest.ts';
import {
  type BackupPlace,
  DATABASES_FOLDER,
  FILES_FOLDER,
  folderOfContent,
  isOwnName,
  nameOfContent,
  nameOfDatabase,
} from './place.ts';

const findContents = prepare(() => query.selectDistinct({ sha256: files.sha256 }).from(files));

const SHARDS = Array.from({ length: 256 }, (_, index) => index.toString(16).padStart(2, '0'));

/** The removed backups and contents or, in a dry run, those that would be removed. */
export interface Pruned {
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
  const needed = join(await place.workFolder(), 'needed.db');
  try {
    const all = await listBackups(place);
    const backups = all.slice(0, Math.max(0, all.length - keep));
    const kept: Manifest[] = [];
    for (const backup of all.slice(backups.length)) kept.push(await readManifest(place, backup));
    const database = await gatherNeeded(place, kept, needed);
    try {
      const remove = async (name: string) => {
        if (!isDryRun) await place.remove(name);
      };
      for (const backup of backups) await remove(nameOfManifest(backup));
      const removed = { contents: 0, bytes: 0 };
      const isNeeded = database.prepare('SELECT 1 FROM needed WHERE name = ?');
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
    await rm(needed, { force: true });
    await lock.release();
  }
}

/** Returns a database with every name that one of these backups needs. SQL text: it is no part of the schema. */
async function gatherNeeded(
  place: BackupPlace,
  manifests: readonly Manifest[],
  file: string,
): Promise<Libsql.Database> {
  const needed = new Libsql(file);
  try {
    needed.exec('PRAGMA journal_mode = OFF');
    needed.exec('CREATE TABLE needed (name TEXT PRIMARY KEY) WITHOUT ROWID');
    const insert = needed.prepare('INSERT OR IGNORE INTO needed (name) VALUES (?)');
    for (const { database } of manifests) {
      insert.run([nameOfDatabase(database.sha256)]);
      const copy = `${file}.copy`;
      await fetchDatabase(place, database, copy, 'Nothing was removed, for what this backup needs is not known.');
      const source = new Libsql(copy);
      try {
        needed.exec('BEGIN');
        for (const { sha256 } of rowsIn(source, findContents())) insert.run([nameOfContent(sha256)]);
        needed.exec('COMMIT');
      } finally {
        source.close();
        await rm(copy, { force: true });
      }
    }
    return needed;
  } catch (error) {
    needed.close();
    throw error;
  }
}
