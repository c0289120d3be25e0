import {
  type EntityTag,
  matchesState,
  matchesStateWeakly,
  matchesStrongly,
  matchesWeakly,
  parseEtag,
  parseEtagList,
} from './etag.ts';
import { httpSeconds, parseHttpDate } from './http-date.ts';

/** What tells the current state of a resource from its others. */
export interface Validators {
  /** As in the `ETag` header, quotes included. */
  readonly etag?: string | undefined;
  readonly lastModified?: Date | undefined;
}

/** `not-modified` is 304, `failed` 412. */
export type PreconditionOutcome = 'proceed' | 'not-modified' | 'failed';

type Matches = (a: EntityTag, b: EntityTag) => boolean;

/**
 * Weighs `If-Match`, `If-Unmodified-Since`, `If-None-Match` and `If-Modified-Since` in the order of RFC 9110,
 * 13.2.2; of a write only as far as the state of the entity goes, whatever its representation. `current` is undefined
 * where there is nothing at the address yet. To be asked when the request would succeed otherwise.
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

/** Undefined where there is nothing to compare: no date, no valid one, or no resource with a date. */
function isModifiedSince(date: string | null, current: Validators | undefined): boolean | undefined {
  if (date === null || current?.lastModified === undefined) return undefined;
  const since = parseHttpDate(date);
  if (since === undefined) return undefined;
  return httpSeconds(current.lastModified) > since;
}
