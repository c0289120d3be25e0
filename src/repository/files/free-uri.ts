import { eq } from 'drizzle-orm';
import mime from 'mime';
import { ServiceError } from '../../base/errors.ts';
import type { Database } from '../../database/database.ts';
import { failedUniqueness } from '../../database/errors.ts';
import { query } from '../../database/query-builder.ts';
import { files } from '../../database/schema/files.ts';
import { isAmong } from '../../database/sql.ts';
import { type Named, prepare } from '../../database/statement.ts';
import type { FileIds, NewFile } from './file-rows.ts';

/** Maximum number in the name of a file; more files of one name in one folder get a random part. */
const MAX_NUMBERED = 1_000;
const NUMBERS_AT_ONCE = 100;
const MAX_ATTEMPTS = 20;
/** Maximum length of a file's `uri` and `filename`, in characters (spec: model, base fields). */
export const MAX_URI_CHARS = 255;

interface UriServices {
  readonly database: Database;
  readonly fileIds: FileIds;
}

/** A file to save. Its URI is the wanted one; its name, media type, UUID and id default to generated ones. */
export type FileToSave = Pick<NewFile, 'uri' | 'ingested'> & Partial<NewFile>;

/**
 * Saves files under free URIs (decision 90), and under others if another process takes one of
 * them meanwhile. Throws `conflict` if that goes on.
 */
export async function withFreeUris<T>(
  { database, fileIds }: UriServices,
  wanted: readonly FileToSave[],
  save: (files: readonly NewFile[]) => Promise<T>,
): Promise<T> {
  const ids: number[] = [];
  for (const { id } of wanted) ids.push(id ?? (await fileIds()));
  for (let attempt = 1; ; attempt++) {
    // Concurrent uploads of a name compete for a number: the losers spread out, further with each attempt.
    const first = attempt === 1 ? -1 : Math.floor(Math.random() * 2 ** attempt);
    const files: NewFile[] = [];
    for (const [index, file] of wanted.entries()) {
      const uri = await freeUri(database, file.uri, first);
      const filename = uri.slice(uri.lastIndexOf('/') + 1);
      const filemime = mime.getType(filename) ?? 'application/octet-stream';
      files.push({ uuid: Bun.randomUUIDv7(), filename, filemime, ...file, uri, id: ids[index] as number });
    }
    try {
      return await save(files);
    } catch (error) {
      if (failedUniqueness(error) !== 'file.uri') throw error;
      if (attempt === MAX_ATTEMPTS)
        throw new ServiceError('conflict', 'Too many files of this name are being uploaded. Try again.', {
          cause: error,
        });
    }
  }
}

/** Saves one file under a free URI. */
export function withFreeUri<T>(
  services: UriServices,
  wanted: FileToSave,
  save: (file: NewFile) => Promise<T>,
): Promise<T> {
  return withFreeUris(services, [wanted], ([file]) => save(file as NewFile));
}

const findUri = prepare(({ uri }: Named<{ uri: string }>) =>
  query.select({ uri: files.uri }).from(files).where(eq(files.uri, uri)),
);
const findUris = prepare(({ uris }: Named<{ uris: string }>) =>
  query.select({ uri: files.uri }).from(files).where(isAmong(files.uri, uris)),
);

/** Returns the wanted URI if no file has it, else one with `_0`, `_1` … before the extension, counted from `first`. */
async function freeUri(database: Database, wanted: string, first: number): Promise<string> {
  // Most names are free.
  if (first < 0 && (await database.get(findUri({ uri: wanted }))) === undefined) return wanted;
  for (let number = first; number < MAX_NUMBERED; number += NUMBERS_AT_ONCE) {
    const candidates = Array.from({ length: NUMBERS_AT_ONCE }, (_, index) => numbered(wanted, number + index));
    const rows = await database.all(findUris({ uris: JSON.stringify(candidates) }));
    const taken = new Set(rows.map(({ uri }) => uri));
    const free = candidates.find((candidate) => !taken.has(candidate));
    if (free !== undefined) return free;
  }
  return withSuffix(wanted, Bun.randomUUIDv7());
}

function numbered(uri: string, number: number): string {
  return number < 0 ? uri : withSuffix(uri, String(number));
}

function withSuffix(uri: string, suffix: string): string {
  const dot = uri.lastIndexOf('.');
  const end = dot > uri.lastIndexOf('/') + 1 ? dot : uri.length;
  const extension = uri.slice(end);
  // Code points, so that no character is split.
  const stem = [...uri.slice(0, end)].slice(0, MAX_URI_CHARS - extension.length - suffix.length - 1).join('');
  return `${stem}_${suffix}${extension}`;
}
