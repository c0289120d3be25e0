/** Numbers in spreadsheets have at most 15 significant digits; the last ones of a computed number are errors. */
const DIGITS = 15;
/** The serial number of 31 December 9999 in the date system of 1900, the last date of spreadsheets. */
const LAST_SERIAL = 2_958_465;
/** Spreadsheets count a 29 February 1900, which did not exist. */
const MISSING_DAY = 60;
const SECONDS_OF_DAY = 86_400;

/** The formats of numbers that every spreadsheet has without naming them, and that are dates or times (ECMA-376, 18.8.30). */
const USUAL_DATES: readonly (readonly [first: number, last: number])[] = [
  [14, 22],
  [27, 36],
  [45, 47],
  [50, 58],
];

/** The way in which a spreadsheet shows a number. */
export type NumberLook = 'plain' | 'date' | { readonly digits: number };

/** Returns the look of a number format by its id, and its code if the spreadsheet names it. */
export function numberLook(id: number, code: string | undefined): NumberLook {
  if (code === undefined) return USUAL_DATES.some(([first, last]) => id >= first && id <= last) ? 'date' : 'plain';
  if (/^0{2,}$/.test(code)) return { digits: code.length };
  // A spreadsheet library is not held in memory without need.
  const { isDateFormat }: typeof import('hucre') = require('hucre');
  return isDateFormat(code) ? 'date' : 'plain';
}

/** Returns the text of a number as written in a spreadsheet, without the errors of its last digits. */
export function plainNumber(written: string): string {
  const number = Number(written);
  if (/^-?\d+$/.test(written) || !Number.isFinite(number)) return written;
  return String(Number(number.toPrecision(DIGITS)));
}

/** Returns the text of a number with its look; undefined if it is no date that exists. */
export function numberText(written: string, look: NumberLook, is1904: boolean): string | undefined {
  if (look === 'plain') return plainNumber(written);
  const number = Number(written);
  if (typeof look === 'object')
    return Number.isInteger(number) ? padded(plainNumber(written), look.digits) : plainNumber(written);
  return dateText(number, is1904);
}

function padded(text: string, digits: number): string {
  return text.startsWith('-') ? text : text.padStart(digits, '0');
}

function dateText(serial: number, is1904: boolean): string | undefined {
  const day = Math.floor(serial);
  if (!(serial >= 0 && serial <= LAST_SERIAL) || (!is1904 && day === MISSING_DAY)) return undefined;
  const { serialToDate }: typeof import('hucre') = require('hucre');
  const seconds = Math.round((serial - day) * SECONDS_OF_DAY);
  const date = serialToDate(day, is1904);
  date.setUTCSeconds(seconds);
  const text = date.toISOString();
  // A number below 1 is a time without a date.
  if (day === 0 && seconds > 0) return text.slice(11, 19);
  return seconds === 0 ? text.slice(0, 10) : text.slice(0, 19);
}
