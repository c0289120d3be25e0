import { matchesStrongly, parseEtag } from './etag.ts';
import { httpSeconds, parseHttpDate } from './http-date.ts';
import type { Validators } from './preconditions.ts';

/**
 * What a GET is answered with: the whole (200), a part (206, `first` and `last` included) or nothing (416).
 * `contentRange` is the header for the latter two.
 */
export type RangeAnswer =
  | { kind: 'whole' }
  | { kind: 'part'; first: number; last: number; contentRange: string }
  | { kind: 'unsatisfiable'; contentRange: string };

/** One range; a list of several is answered with the whole, which RFC 9110 (14.2) allows and which is simpler for all. */
const SINGLE_RANGE = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i;
const WHOLE: RangeAnswer = { kind: 'whole' };

/**
 * Chooses what of `bytes` bytes a request is for by its `Range` and `If-Range` (RFC 9110, 13.1.5 and 14.2). Only
 * for GET: with any other method a range means nothing. A range that is not valid is ignored.
 */
export function selectRange(headers: Headers, bytes: number, current: Validators, now = new Date()): RangeAnswer {
  const range = headers.get('Range');
  if (range === null || !isStillCurrent(headers.get('If-Range'), current, now)) return WHOLE;
  const [, from, to] = SINGLE_RANGE.exec(range) ?? [];
  if (from === undefined || to === undefined || from + to === '') return WHOLE;
  if (from !== '' && to !== '' && Number(to) < Number(from)) return WHOLE;
  // Clients that ask for `bytes=0-` of everything would take a 416 for an empty file as a failure.
  if (bytes === 0) return WHOLE;
  const first = from === '' ? Math.max(0, bytes - Number(to)) : Number(from);
  const last = from === '' || to === '' ? bytes - 1 : Math.min(Number(to), bytes - 1);
  if (first >= bytes) return { kind: 'unsatisfiable', contentRange: `bytes */${bytes}` };
  return { kind: 'part', first, last, contentRange: `bytes ${first}-${last}/${bytes}` };
}

/** Whether the part that the client has is of the file as it is now: by a strong tag, or a date that is as good. */
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
