import { rememberTexts } from '../base/remember-texts.ts';
import { langWithin, localeOf, PAGE_LANGUAGE } from './display/language.ts';
import { parseIsoSeconds } from './epoch-seconds.ts';
import { datePrecision } from './first-date.ts';

const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const;
const UNIT_STEP = 1000;
const CALENDAR_DATE = /^(?!0000)\d{4}(?:-\d\d){0,2}$/;

const DAY_SECONDS = 86_400;

/** Cached, because creating a format is slow. */
const dateFormats = new Map<string, Intl.DateTimeFormat>();
const sizeFormats = new Map<string, Intl.NumberFormat>();

/** Returns the day of a time such as `2019-03-14T19:05:24+00:00` in a language. Undefined for other text. */
function readableDay(moment: string, language: string): string | undefined {
  const seconds = parseIsoSeconds(moment);
  if (seconds === undefined) return undefined;
  return dayIn(`${Math.floor(seconds / DAY_SECONDS)} ${localeOf(language)}`);
}

/** Returns a day, as the number of days since 1970, in a locale: `18000 en-GB`. */
const dayIn = rememberTexts((dayAndLocale) => {
  const [day = '', locale = ''] = dayAndLocale.split(' ');
  let format = dateFormats.get(locale);
  if (format === undefined) {
    format = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC', calendar: 'gregory' });
    dateFormats.set(locale, format);
  }
  return format.format(Number(day) * DAY_SECONDS * 1000);
});

/** Returns a number of bytes in a readable unit: `1.2 MB`. Undefined for other numbers. */
export function readableSize(bytes: number, language: string): string | undefined {
  if (!Number.isSafeInteger(bytes) || bytes < 0) return undefined;
  const highest = UNITS.length - 1;
  let power = 0;
  // 999 950 would be written as 1000 kB.
  while (power < highest && bytes / UNIT_STEP ** power >= UNIT_STEP - 0.05) power += 1;
  return sizeFormat(localeOf(language), UNITS[power] ?? 'byte').format(bytes / UNIT_STEP ** power);
}

/** Returns true for an EDTF expression that is valid in the `datetime` of HTML: a year, month or day. */
export function isCalendarDate(edtf: string): boolean {
  return CALENDAR_DATE.test(edtf) && datePrecision(edtf) !== undefined;
}

function sizeFormat(locale: string, unit: string): Intl.NumberFormat {
  const key = `${locale} ${unit}`;
  let format = sizeFormats.get(key);
  if (format === undefined) {
    const unitDisplay = unit === 'byte' ? 'long' : 'short';
    format = new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay, maximumFractionDigits: 1 });
    sizeFormats.set(key, format);
  }
  return format;
}

/** Shows the day of a time in a language. Its `datetime` has the full time. */
export function Day({ moment, language }: { moment: string; language: string }) {
  const day = readableDay(moment, language);
  if (day === undefined) return <span>{moment}</span>;
  const isEnglish = localeOf(language).startsWith(PAGE_LANGUAGE);
  return (
    <time datetime={moment} {...(isEnglish && langWithin(PAGE_LANGUAGE, language))}>
      {day}
    </time>
  );
}
