/** The first and last second of the years 0 to 9999, in seconds since 1970. */
const FIRST_SECOND = -62_167_219_200;
const LAST_SECOND = 253_402_300_799;
const ISO_SECONDS = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:Z|([+-])([01]\d|2[0-3]):?([0-5]\d)?)$/;

/** Returns a time in the format of responses: `2019-03-14T19:05:24+00:00`. Throws RangeError outside the years 0 to 9999. */
export function isoSeconds(epochSeconds: number): string {
  if (!isTellable(epochSeconds)) throw new RangeError(`${epochSeconds} s is not a time in the years 0 to 9999`);
  return `${new Date(epochSeconds * 1000).toISOString().slice(0, 19)}+00:00`;
}

/** Parses a time such as `2019-03-14T19:05:24+00:00` into seconds since 1970. Throws RangeError for other text. */
export function epochSeconds(iso: string): number {
  const seconds = parseIsoSeconds(iso);
  if (seconds === undefined) throw new RangeError(`"${iso.slice(0, 40)}" is not a date like 2019-03-14T19:05:24+00:00`);
  return seconds;
}

/** Parses an ISO 8601 time with whole seconds and an offset (`Z`, `+00:00`, `+0000` or `+00`). Returns undefined for other text. */
export function parseIsoSeconds(iso: string): number | undefined {
  const [, local, sign, hours = '0', minutes = '0'] = ISO_SECONDS.exec(iso) ?? [];
  if (local === undefined) return undefined;
  const milliseconds = Date.parse(`${local}Z`);
  // Date.parse turns 30 February into a day in March.
  if (Number.isNaN(milliseconds) || !new Date(milliseconds).toISOString().startsWith(local)) return undefined;
  const offsetSeconds = (sign === '-' ? -1 : 1) * (Number(hours) * 3600 + Number(minutes) * 60);
  const seconds = milliseconds / 1000 - offsetSeconds;
  return isTellable(seconds) ? seconds : undefined;
}

/** Returns true for a whole second in the years 0 to 9999. */
export function isTellable(seconds: number): boolean {
  return Number.isInteger(seconds) && seconds >= FIRST_SECOND && seconds <= LAST_SECOND;
}
