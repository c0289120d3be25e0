import { type Static, Type } from '@sinclair/typebox';
import { checkShape } from '../base/check-shape.ts';
import { BackupError, reasonOf } from './errors.ts';
import { BACKUPS_FOLDER, type BackupPlace } from './place.ts';

/** Raised when a program of before could not restore it. */
export const FORMAT = 1;
/** No manifest is larger: it lists at most `MAX_DAMAGED` files. */
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
      Type.Object({ id: Count, uri: Text, sha256: Sha256, bytes: Count, problem: Text }, { description: 'a map' }),
      { description: 'a list' },
    ),
  },
  { description: 'a map' },
);

/** What a backup says of itself; docs/backup.md describes it. A backup is there when this is. */
export type Manifest = Static<typeof ManifestSchema>;
/** A file whose bytes were not those of its row when the backup was made. */
export type DamagedFile = Manifest['damaged'][number];

/** `2026-11-22T010203Z`: the name of a backup that began at a moment, in milliseconds since 1970. */
export function nameOfMoment(ms: number): string {
  return new Date(ms)
    .toISOString()
    .replace(/\.\d+Z$/, 'Z')
    .replaceAll(':', '');
}

export function nameOfManifest(backup: string): string {
  return `${BACKUPS_FOLDER}/${backup}.json`;
}

/** The names of the backups in a place, the oldest first. */
export async function listBackups(place: BackupPlace): Promise<string[]> {
  const names: string[] = [];
  for await (const { name } of place.list(BACKUPS_FOLDER)) {
    const backup = MANIFEST.exec(name)?.[1];
    if (backup !== undefined) names.push(backup);
  }
  return names.sort();
}

/** Throws BackupError for one that is not there, or is not as it was written. */
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

/** Makes the backup one: after everything that it names. */
export async function writeManifest(place: BackupPlace, manifest: Manifest): Promise<void> {
  const text = `${JSON.stringify(manifest, null, 2)}\n`;
  await place.put(nameOfManifest(manifest.backup), once(Buffer.from(text)));
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

function damaged({ address }: BackupPlace, name: string, why: string): BackupError {
  return new BackupError(
    `The manifest ${name} in ${address} cannot be used: ${why}. Choose another backup with --backup.`,
  );
}
