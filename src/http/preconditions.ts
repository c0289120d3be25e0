import {
  type EntityTag,
  matchesState,
  matchesStateWeakly,
  matchesStrongly,
  matchesWeakly,
  parseEtag,
  parseEtagList,
} from './etag.ts';

/** The validators of the current state of a resource. */
export interface Validators {
  /** The value of the `ETag` header, with quotes. */
  readonly etag?: string | undefined;
  readonly lastModified?: Date | undefined;
}

/** `not-modified` means 304, `failed` 412. */
export type PreconditionOutcome = 'proceed' | 'not-modified' | 'failed';

type Matches = (a: EntityTag, b: EntityTag) => boolean;

/**
 * Evaluates `If-Match`, `If-Unmodified-Since`, `If-None-Match` and `If-Modified-Since` in the order of RFC 9110, 13.2.2. For
 * a write, tags of all representations of the same state match. `current` is undefined if the address has no resource
 * yet. To be called when the request would otherwise succeed.
 */
export function checkPreconditions(
  method: string,
  headers: Headers,
  current: Validators | undefined,
): PreconditionOutcome {
  const isRead = method === 'GET' || method === 'HEAD';
  const ifMatch = headers.get('If-Match');
  if (ifMatch !== null) {
    if (!isAmong(ifMatch, current, isRead ? matchesStrongly : matchesState)) return 'failed';
  } else if (isModifiedSince(headers.get('If-Unmodified-Since'), current) === true) return 'failed';
  const ifNoneMatch = headers.get('If-None-Match');
  if (ifNoneMatch !== null) {
    if (isAmong(ifNoneMatch, current, isRead ? matchesWeakly : matchesStateWeakly))
      return isRead ? 'not-modified' : 'failed';
  } else if (isRead && isModifiedSince(headers.get('If-Modified-Since'), current) === false) return 'not-modified';
  return 'proceed';
}

function isAmong(list: string, current: Validators | undefined, matches: Matches): boolean {
  const wanted = parseEtagList(list);
  if (wanted === '*') return current !== undefined;
  const tag = parseEtag(current?.etag ?? '');
  return tag !== undefined && wanted.some((other) => matches(other, tag));
}

/** Returns undefined without a valid date in the request, or without a date of the resource. */
function isModifiedSince(date: string | null, current: Validators | undefined): boolean | undefined {
  if (date === null || current?.lastModified === undefined) return undefined;
  const since = parseHttpDate(date);
  if (since === undefined) return undefined;
  return httpSeconds(current.lastModified) > since;
}

const DAY = '(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)';
const MONTH = '(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)';
const TIME = '\\d{2}:\\d{2}:\\d{2}';
const IMF_FIXDATE = new RegExp(`^${DAY}, \\d{2} ${MONTH} \\d{4} ${TIME} GMT$`);
const RFC850_DATE = new RegExp(`^(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, \\d{2}-${MONTH}-\\d{2} ${TIME} GMT$`);
const ASCTIME_DATE = new RegExp(`^${DAY} ${MONTH} [ \\d]\\d ${TIME} \\d{4}$`);

/** Parses an HTTP date in any of its three formats (RFC 9110, 5.6.7), in seconds since 1970. Returns undefined for other text. */
export function parseHttpDate(text: string): number | undefined {
  const isZoned = IMF_FIXDATE.test(text) || RFC850_DATE.test(text);
  if (!isZoned && !ASCTIME_DATE.test(text)) return undefined;
  const milliseconds = Date.parse(isZoned ? text : `${text} GMT`);
  return Number.isNaN(milliseconds) ? undefined : milliseconds / 1000;
}

/** Returns a date in the format of `Last-Modified`. */
export function formatHttpDate(date: Date): string {
  return date.toUTCString();
}

/** Returns whole seconds since 1970, the precision of an HTTP date. */
export function httpSeconds(date: Date): number {
  return Math.floor(date.getTime() / 1000);
}
