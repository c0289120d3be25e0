/** Seconds since 1970 of the first and the last moment that a four-digit year can say. */
const FIRST_SECOND = -62_167_219_200;
const LAST_SECOND = 253_402_300_799;
const ISO_SECONDS = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:Z|([+-])([01]\d|2[0-3]):?([0-5]\d)?)$/;

/** A moment as the API answers it: `2019-03-14T19:05:24+00:00`. Throws RangeError outside the years 0 to 9999. */
export function isoSeconds(epochSeconds: number): string {
  if (!isTellable(epochSeconds)) throw new RangeError(`${epochSeconds} s is not a moment of the years 0 to 9999`);
  return `${new Date(epochSeconds * 1000).toISOString().slice(0, 19)}+00:00`;
}

/** Seconds since 1970 of `2019-03-14T19:05:24+00:00` or the same in another offset. Throws RangeError for other text. */
export function epochSeconds(iso: string): number {
  const seconds = parseIsoSeconds(iso);
  if (seconds === undefined) throw new RangeError(`"${iso.slice(0, 40)}" is not a date like 2019-03-14T19:05:24+00:00`);
  return seconds;
}

/** The same, undefined for other text: ISO 8601 in whole seconds with an offset as `Z`, `+00:00`, `+0000` or `+00`. */
export function parseIsoSeconds(iso: string): number | undefined {
  const [, local, sign, hours = '0', minutes = '0'] = ISO_SECONDS.exec(iso) ?? [];
  if (local === undefined) return undefined;
  const milliseconds = Date.parse(`${local}Z`);
  // Date.parse moves 30 February into March; a date that is not in the calendar must not become another.
  if (Number.isNaN(milliseconds) || !new Date(milliseconds).toISOString().startsWith(local)) return undefined;
  const offsetSeconds = (sign === '-' ? -1 : 1) * (Number(hours) * 3600 + Number(minutes) * 60);
  const seconds = milliseconds / 1000 - offsetSeconds;
  return isTellable(seconds) ? seconds : undefined;
}

/** Whether a number is a whole second of the years 0 to 9999. */
export function isTellable(seconds: number): boolean {
  return Number.isInteger(seconds) && seconds >= FIRST_SECOND && seconds <= LAST_SECOND;
}
