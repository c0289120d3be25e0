import { matchesStrongly, parseEtag } from './etag.ts';
import type { Validators } from './preconditions.ts';
import { httpSeconds, parseHttpDate } from './preconditions.ts';

/**
 * The part of a file that a GET returns: all (200), a range (206, `first` and `last` included) or none (416). `contentRange`
 * is the `Content-Range` header.
 */
type RangeAnswer =
  | { kind: 'whole' }
  | { kind: 'part'; first: number; last: number; contentRange: string }
  | { kind: 'unsatisfiable'; contentRange: string };

/** A single range. Several ranges return the whole file, as RFC 9110 (14.2) allows. */
const SINGLE_RANGE = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i;
const WHOLE: RangeAnswer = { kind: 'whole' };

/**
 * Selects the part of a file of `bytes` bytes by the `Range` and `If-Range` of a GET (RFC 9110, 13.1.5 and 14.2). Other
 * methods have no ranges. Ignores an invalid range.
 */
export function selectRange(headers: Headers, bytes: number, current: Validators, now = new Date()): RangeAnswer {
  const range = headers.get('Range');
  if (range === null || !isStillCurrent(headers.get('If-Range'), current, now)) return WHOLE;
  const [, from, to] = SINGLE_RANGE.exec(range) ?? [];
  if (from === undefined || to === undefined || from + to === '') return WHOLE;
  if (from !== '' && to !== '' && Number(to) < Number(from)) return WHOLE;
  // Clients that always send `bytes=0-` would take a 416 for an empty file as an error.
  if (bytes === 0) return WHOLE;
  const first = from === '' ? Math.max(0, bytes - Number(to)) : Number(from);
  const last = from === '' || to === '' ? bytes - 1 : Math.min(Number(to), bytes - 1);
  if (first >= bytes) return { kind: 'unsatisfiable', contentRange: `bytes */${bytes}` };
  return { kind: 'part', first, last, contentRange: `bytes ${first}-${last}/${bytes}` };
}

/** Returns true if the client's part belongs to the current version: by a strong tag, or by a date that identifies it. */
function isStillCurrent(ifRange: string | null, { etag, lastModified }: Validators, now: Date): boolean {
  if (ifRange === null) return true;
  const wanted = parseEtag(ifRange);
  const tag = parseEtag(etag ?? '');
  if (wanted !== undefined) return tag !== undefined && matchesStrongly(wanted, tag);
  if (lastModified === undefined) return false;
  // Within one second a file may change twice under the same date (RFC 9110, 8.8.2.2).
  const isStrong = httpSeconds(now) - httpSeconds(lastModified) >= 1;
  return isStrong && parseHttpDate(ifRange) === httpSeconds(lastModified);
}
