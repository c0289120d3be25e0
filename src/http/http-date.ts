const DAY = '(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)';
const MONTH = '(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)';
const TIME = '\\d{2}:\\d{2}:\\d{2}';
const IMF_FIXDATE = new RegExp(`^${DAY}, \\d{2} ${MONTH} \\d{4} ${TIME} GMT$`);
const RFC850_DATE = new RegExp(`^(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, \\d{2}-${MONTH}-\\d{2} ${TIME} GMT$`);
const ASCTIME_DATE = new RegExp(`^${DAY} ${MONTH} [ \\d]\\d ${TIME} \\d{4}$`);

/**
 * The seconds since 1970 of an HTTP date in any of its three forms (RFC 9110, 5.6.7); undefined for
 * anything else, which a recipient has to ignore.
 */
export function parseHttpDate(text: string): number | undefined {
  const isZoned = IMF_FIXDATE.test(text) || RFC850_DATE.test(text);
  if (!isZoned && !ASCTIME_DATE.test(text)) return undefined;
  const milliseconds = Date.parse(isZoned ? text : `${text} GMT`);
  return Number.isNaN(milliseconds) ? undefined : milliseconds / 1000;
}

/** A date as `Last-Modified` carries it. */
export function formatHttpDate(date: Date): string {
  return date.toUTCString();
}

/** The whole seconds since 1970, all that an HTTP date can tell. */
export function httpSeconds(date: Date): number {
  return Math.floor(date.getTime() / 1000);
}
