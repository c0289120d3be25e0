import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Static, Type } from '@sinclair/typebox';
import Libsql from 'libsql';
import { checkShape } from '../../base/check-shape.ts';
import { readSource } from '../../storage/read-source.ts';
import type { StoredBytes } from '../../storage/storage.ts';
import { BackupError, differenceOf, reasonOf } from './errors.ts';
import { writePrivateFile } from './local-place.ts';
import { BACKUPS_FOLDER, type BackupPlace, isSame, nameOfDatabase } from './place.ts';

/** The version of the format: a program rejects other versions. */
export const FORMAT = 1;
/** Maximum size of a manifest, which lists at most `MAX_DAMAGED` files. */
const MAX_MANIFEST_BYTES = 64 * 1024 * 1024;
const MANIFEST = /^backups\/(\d{4}-\d{2}-\d{2}T\d{6}Z)\.json$/;

const Count = Type.Integer({ minimum: 0, description: 'a number from 0' });
const Text = Type.String({ description: 'a text' });
const Sha256 = Type.String({ pattern: '^[0-9a-f]{64}$', description: '64 hexadecimal digits' });

const ManifestSchema = Type.Object(
  {
    format: Type.Literal(FORMAT, { description: `${FORMAT}, the form that this version of repo knows` }),
    program: Type.Object({ name: Text, version: Text }, { description: 'a map' }),
    backup: Text,
    started: Text,
    finished: Text,
    database: Type.Object({ sha256: Sha256, bytes: Count, migration: Text }, { description: 'a map' }),
    files: Type.Object(
      { count: Count, bytes: Count, contents: Count, contentBytes: Count, added: Count, addedBytes: Count },
      { description: 'a map' },
    ),
    stores: Type.Record(Type.String(), Type.Object({ files: Count, bytes: Count }, { description: 'a map' }), {
      description: 'a map',
    }),
    damaged: Type.Array(
      Type.Object({ id: Count, uri: Text, sha256: Text, bytes: Count, problem: Text }, { description: 'a map' }),
      { description: 'a list' },
    ),
  },
  { description: 'a map' },
);

/** The description of a backup (docs/backup.md). A backup exists when its manifest does. */
export type Manifest = Static<typeof ManifestSchema>;
/** A file whose bytes did not match its row when the backup was made. */
export type DamagedFile = Manifest['damaged'][number];

/** Returns the name of a backup that started at a time (milliseconds since 1970), such as `2026-11-22T010203Z`. */
export function nameOfMoment(ms: number): string {
  return new Date(ms)
    .toISOString()
    .replace(/\.\d+Z$/, 'Z')
    .replaceAll(':', '');
}

export function nameOfManifest(backup: string): string {
  return `${BACKUPS_FOLDER}/${backup}.json`;
}

/** Returns the names of the backups in a place, the oldest first. */
export async function listBackups(place: BackupPlace): Promise<string[]> {
  const names: string[] = [];
  for await (const { name } of place.list(BACKUPS_FOLDER)) {
    const backup = MANIFEST.exec(name)?.[1];
    if (backup !== undefined) names.push(backup);
  }
  return names.sort();
}

/** A backup in a list; without a manifest, `problem` says why. */
export type ListedBackup = { readonly backup: string } & (
  | { readonly manifest: Manifest }
  | { readonly problem: string }
);

/** Returns the backups in a place, the oldest first. Throws BackupError for a place that is not one of backups. */
export async function findBackups(place: BackupPlace): Promise<ListedBackup[]> {
  await place.requireExisting();
  const backups: ListedBackup[] = [];
  for (const backup of await listBackups(place)) {
    try {
      backups.push({ backup, manifest: await readManifest(place, backup) });
    } catch (error) {
      if (!(error instanceof BackupError)) throw error;
      backups.push({ backup, problem: error.message });
    }
  }
  return backups;
}

/** Reads the manifest of a backup. Throws BackupError for a missing or changed one. */
export async function readManifest(place: BackupPlace, backup: string): Promise<Manifest> {
  const name = nameOfManifest(backup);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of await place.get(name)) {
    bytes += chunk.byteLength;
    if (bytes > MAX_MANIFEST_BYTES) throw damaged(place, name, 'it is far too large');
    chunks.push(chunk);
  }
  let value: unknown;
  try {
    value = JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch (error) {
    throw damaged(place, name, `it is no JSON (${reasonOf(error)})`);
  }
  const [problem] = checkShape(ManifestSchema, value);
  if (problem !== undefined) throw damaged(place, name, problem.message);
  return value as Manifest;
}

/** Writes the manifest of a backup, after everything that it names. */
export async function writeManifest(place: BackupPlace, manifest: Manifest): Promise<void> {
  const text = `${JSON.stringify(manifest, null, 2)}\n`;
  await place.put(nameOfManifest(manifest.backup), new Blob([text]).stream());
}

function damaged({ address }: BackupPlace, name: string, why: string): BackupError {
  return new BackupError(
    `The manifest ${name} in ${address} cannot be used: ${why}. Choose another backup with --backup.`,
  );
}

/**
 * Copies the database of a backup to a file, which it replaces and only its owner may read, and verifies it: a damaged
 * database may be readable and name other files. Throws BackupError, which ends with `advice`, and leaves no file then.
 */
export async function fetchDatabase(
  place: BackupPlace,
  database: StoredBytes,
  file: string,
  advice: string,
): Promise<void> {
  await rm(file, { force: true });
  const source = await place.get(nameOfDatabase(database.sha256));
  try {
    requireSame(place, database, await writePrivateFile(file, source), advice);
  } catch (error) {
    await rm(file, { force: true });
    if (error instanceof BackupError) throw error;
    throw new BackupError(`${file} cannot be written: ${reasonOf(error)}.`, { cause: error });
  }
}

/**
 * Reads the database of a backup after its verification: in its place where that is a folder, otherwise in a copy of it. Throws
 * BackupError, which ends with `advice`, and leaves no copy.
 */
export async function readDatabase(
  place: BackupPlace,
  database: StoredBytes,
  advice: string,
  read: (source: Libsql.Database) => void,
): Promise<void> {
  const name = nameOfDatabase(database.sha256);
  const placed = place.fileOf?.(name);
  const file = placed ?? join(await place.workFolder(), 'copy.db');
  if (placed === undefined) await fetchDatabase(place, database, file, advice);
  else requireSame(place, database, await readSource(await place.get(name)), advice);
  try {
    const source = new Libsql(file);
    try {
      read(source);
    } finally {
      source.close();
    }
  } finally {
    if (placed === undefined) await rm(file, { force: true });
  }
}

function requireSame({ address }: BackupPlace, database: StoredBytes, found: StoredBytes, advice: string): void {
  if (isSame(database, found)) return;
  const name = nameOfDatabase(database.sha256);
  throw new BackupError(`The database ${name} in ${address} is damaged: ${differenceOf(database, found)}. ${advice}`);
}
