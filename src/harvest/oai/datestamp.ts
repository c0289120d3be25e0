import { isoTime } from '../../base/iso-time.ts';

const DATESTAMP = /^\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\dZ)?$/;
const DAY_SECONDS = 86_400;

/** The granularities of dates in requests (OAI-PMH 2.0, 3.3.1). */
type Granularity = 'day' | 'second';

/** A date of a request, as the first and the last second that it covers. */
export interface Datestamp {
  readonly first: number;
  readonly last: number;
  readonly granularity: Granularity;
}

/** Parses a date of a request, a day or a second in UTC. Returns undefined for other text. */
export function parseDatestamp(text: string): Datestamp | undefined {
  const [, time] = DATESTAMP.exec(text) ?? [undefined];
  if (!DATESTAMP.test(text)) return undefined;
  const first = Date.parse(time === undefined ? `${text}T00:00:00Z` : text) / 1000;
  // Date.parse turns 30 February into a day in March.
  if (Number.isNaN(first) || !isoTime(first).startsWith(text)) return undefined;
  return time === undefined
    ? { first, last: first + DAY_SECONDS - 1, granularity: 'day' }
    : { first, last: first, granularity: 'second' };
}
