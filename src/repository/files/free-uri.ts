import { ServiceError } from '../../base/errors.ts';
import type { Database } from '../../database/database.ts';
import { failedUniqueness } from '../../database/errors.ts';

/** More files of one name in one folder get a random part instead of a number. */
const MAX_NUMBERED = 1_000;
const NUMBERS_AT_ONCE = 100;
const MAX_ATTEMPTS = 20;
/** Of a file's `uri` and `filename` (spec: model, base fields). */
export const MAX_URI_CHARS = 255;

/**
 * A stream URI that no file has: the wanted one, else with `_0`, `_1` … before the extension (decisions: "file
 * already at that URI"), counted from `first`.
 */
export async function freeUri({ client, first: firstRow }: Database, wanted: string, first = -1): Promise<string> {
  // Nearly always it is free as it is.
  if (first < 0 && (await firstRow('SELECT 1 FROM file WHERE uri = ?', [wanted])) === undefined) return wanted;
  for (let number = first; number < MAX_NUMBERED; number += NUMBERS_AT_ONCE) {
    const candidates = Array.from({ length: NUMBERS_AT_ONCE }, (_, index) => numbered(wanted, number + index));
    const { rows } = await client.execute({
      sql: 'SELECT uri FROM file WHERE uri IN (SELECT value FROM json_each(?))',
      args: [JSON.stringify(candidates)],
    });
    const taken = new Set(rows.map((row) => String(row[0])));
    const free = candidates.find((candidate) => !taken.has(candidate));
    if (free !== undefined) return free;
  }
  return withSuffix(wanted, Bun.randomUUIDv7());
}

/** Saves under a free URI, and under another one if someone was faster. */
export async function withFreeUri<T>(
  database: Database,
  wanted: string,
  save: (uri: string) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    // Of many who meet at one number one gets it: the others spread out, further with each time.
    const first = attempt === 1 ? -1 : Math.floor(Math.random() * 2 ** attempt);
    try {
      return await save(await freeUri(database, wanted, first));
    } catch (error) {
      if (failedUniqueness(error) !== 'file.uri') throw error;
      if (attempt === MAX_ATTEMPTS)
        throw new ServiceError('conflict', 'Too many files of this name are being uploaded. Try again.', {
          cause: error,
        });
    }
  }
}

function numbered(uri: string, number: number): string {
  return number < 0 ? uri : withSuffix(uri, String(number));
}

function withSuffix(uri: string, suffix: string): string {
  const dot = uri.lastIndexOf('.');
  const end = dot > uri.lastIndexOf('/') + 1 ? dot : uri.length;
  const extension = uri.slice(end);
  // Code points, so that no character is cut in two.
  const stem = [...uri.slice(0, end)].slice(0, MAX_URI_CHARS - extension.length - suffix.length - 1).join('');
  return `${stem}_${suffix}${extension}`;
}
