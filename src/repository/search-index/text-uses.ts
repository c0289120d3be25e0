import { Cache } from '../../base/cache.ts';
import type { Database } from '../../database/database.ts';
import { query } from '../../database/query-builder.ts';
import { termUris } from '../../database/schema/references.ts';
import { isAmong } from '../../database/sql.ts';
import { type Named, prepare } from '../../database/statement.ts';
import type { FieldValues } from '../../model/content-model.ts';
import { MEDIA_USE_URI } from '../../model/media-use.ts';

/** The role of a media for the index. */
type MediaRole = 'text' | 'hocr' | 'derivative' | 'file';

/** The terms of media uses that have a meaning for the index: term id to URI. */
export type UseTerms = ReadonlyMap<number, string>;

/** Finds the terms of media uses. */
export interface TextUses {
  find(): Promise<UseTerms>;
}

const { extractedText, transcript, hocr, thumbnail, service, fits, tiles } = MEDIA_USE_URI;
const TEXTS: ReadonlySet<string> = new Set([extractedText, transcript]);
const DERIVATIVES: ReadonlySet<string> = new Set([thumbnail, service, fits, tiles]);
const URIS = JSON.stringify([...TEXTS, hocr, ...DERIVATIVES]);

const findTerms = prepare(({ uris }: Named<{ uris: string }>) =>
  query.select({ id: termUris.termId, uri: termUris.uri }).from(termUris).where(isAmong(termUris.uri, uris)),
);

export function createTextUses(database: Database): TextUses {
  const cache = new Cache<UseTerms>({ maxBytes: 64 * 1024, bytesOf: () => 2_000, state: database.knownGeneration });
  return {
    async find() {
      const uses = await cache.read('uses', async () => {
        const rows = await database.all(findTerms({ uris: URIS }));
        return new Map(rows.map(({ id, uri }) => [id, uri]));
      });
      return uses ?? new Map();
    },
  };
}

/** Returns the role of a media with these uses: text takes precedence, so that a file of two uses is searched. */
export function roleOf(uses: readonly number[], terms: UseTerms): MediaRole {
  const uris = uses.map((id) => terms.get(id) ?? '');
  if (uris.some((uri) => TEXTS.has(uri))) return 'text';
  if (uris.includes(hocr)) return 'hocr';
  return uris.some((uri) => DERIVATIVES.has(uri)) ? 'derivative' : 'file';
}

const OF_NO_RECORD: ReadonlySet<string> = new Set([...DERIVATIVES, extractedText, hocr]);

/** Returns true if records for harvesters name the file of a media with these uses (`harvest/oai/find-related.ts`). */
export function isFileOfRecord(uses: readonly number[], terms: UseTerms): boolean {
  return !uses.some((id) => OF_NO_RECORD.has(terms.get(id) ?? ''));
}

const COPIES: ReadonlySet<string> = new Set([thumbnail, service, tiles]);

/** Returns true if the uses of a media are those of a copy that is served in the place of an original. */
export function isCopyOfImage(values: FieldValues, terms: UseTerms): boolean {
  return (values.field_media_use ?? []).some(({ target_id }) => COPIES.has(terms.get(Number(target_id)) ?? ''));
}
