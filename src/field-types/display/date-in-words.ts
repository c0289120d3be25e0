import { parse } from 'edtf';
import { datePartsOf } from './date-point.ts';

const MONTHS = [
  ...['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October'],
  ...['November', 'December'],
];
/** The codes of EDTF from 21: seasons without, of the northern and of the southern hemisphere, and parts of a year. */
const SEASONS = ['spring', 'summer', 'autumn', 'winter'];
const FIRST_SEASON = 21;
const HEMISPHERES = ['', ' (northern hemisphere)', ' (southern hemisphere)'];
const PARTS_OF_YEAR = [
  ...['first quarter of', 'second quarter of', 'third quarter of', 'fourth quarter of'],
  ...['first third of', 'second third of', 'last third of', 'first half of', 'second half of'],
];
const FIRST_PART_OF_YEAR = 33;
/**
 * Most dates: a year, month and day, which may have unknown digits, and a qualifier of all of it. The parser of the library,
 * which reads the others, takes some hundred microseconds for each.
 */
const USUAL = /^(-?[\dX]{4})(?:-(0[1-9]|1[0-2]|[01]?X{1,2})(?:-(0[1-9]|[12]\d|3[01]|[0-3]?X{1,2}))?)?([?~%]?)$/;
/** Uncertain, approximate, and both. */
const QUALIFIERS: ReadonlySet<string> = new Set(['?', '~', '%']);
/** Maximum number of characters of an expression that is parsed: fields allow at most 128. */
const MAX_CHARACTERS = 256;

/** Masks of the library: the bits of the digits of a year, month and day. */
const MASKS = { year: 0b1111, month: 0b110000, day: 0b11000000 } as const;
type Part = keyof typeof MASKS;
const PARTS: readonly Part[] = ['year', 'month', 'day'];

/** Returns an EDTF expression in English words: "about 1929" for `1929~`. Returns other text unchanged. */
export function dateInWords(text: string): string {
  const trimmed = text.trim();
  if (trimmed.length > MAX_CHARACTERS) return text;
  return wordsOf(trimmed) ?? text;
}

function wordsOf(text: string): string | undefined {
  if (text.startsWith('[') || text.startsWith('{')) return setWords(text);
  if (text.includes('/')) return intervalWords(text);
  return dateWords(text);
}

function setWords(text: string): string | undefined {
  if (!/^(?:\[[^[\]{}]+\]|\{[^[\]{}]+\})$/.test(text)) return undefined;
  const members: string[] = [];
  for (const member of text.slice(1, -1).split(',')) {
    const [from = '', to] = member.trim().split('..');
    const [first, last] = [from, to ?? ''].map((end) => end && wordsOf(end));
    if (first === undefined || last === undefined || (first === '' && last === '')) return undefined;
    if (to === undefined) members.push(first);
    else if (first && last) members.push(`${first} to ${last}`);
    else members.push(first ? `${first} or later` : `${last} or earlier`);
  }
  const last = members.pop();
  return members.length === 0 ? last : `${members.join(', ')} ${text.startsWith('[') ? 'or' : 'and'} ${last}`;
}

function intervalWords(text: string): string | undefined {
  const ends = text.split('/');
  if (ends.length !== 2) return undefined;
  const isOpen = ends.map((end) => end === '' || end === '..');
  const [from, to] = ends.map((end, index) => (isOpen[index] ? '' : wordsOf(end)));
  if (from === undefined || to === undefined || (from === '' && to === '')) return undefined;
  if (from === '') return `until ${to}`;
  return to === '' ? `from ${from} on` : `between ${from} and ${to}`;
}

/** A date, year or season as the library returns it. `true` qualifies the whole date. */
interface ParsedDate {
  readonly type: string;
  readonly values: readonly number[];
  readonly uncertain?: boolean | number;
  readonly approximate?: boolean | number;
  readonly unspecified?: number;
  readonly significant?: number;
  readonly timeZone?: string;
}

/** Parses a usual date. Undefined for other text. */
function usual(text: string): ParsedDate | undefined {
  const [, year, month, day, qualifier] = USUAL.exec(text) ?? [];
  if (year === undefined || year === '-0000') return undefined;
  const digits = [year, month, day].filter((part) => part !== undefined);
  const isUnknown = (part: string, at: number) => part.includes('X') && MASKS[PARTS[at] as Part];
  return {
    type: 'Date',
    values: digits.map((part, at) => Number(part.replaceAll('X', '0')) - (at === 1 ? 1 : 0)),
    unspecified: digits.reduce((mask, part, at) => mask | Number(isUnknown(part, at)), 0),
    ...qualifiedBy(qualifier),
  };
}

/** Parses another date. The library knows no qualifier at the end of some valid ones, such as `201X~`. */
function parsed(text: string): ParsedDate | undefined {
  for (const [expression, qualified] of [
    [text, {}],
    [text.slice(0, -1), qualifiedBy(text.at(-1))],
  ] as const) {
    if (qualified === undefined) return undefined;
    try {
      return { ...(parse(expression) as unknown as ParsedDate), ...qualified };
    } catch {
      // The parser reports text that is no EDTF only by errors.
    }
  }
  return undefined;
}

function qualifiedBy(character = ''): Pick<ParsedDate, 'uncertain' | 'approximate'> | undefined {
  if (!QUALIFIERS.has(character)) return undefined;
  return { ...(character !== '~' && { uncertain: true }), ...(character !== '?' && { approximate: true }) };
}

function dateWords(text: string): string | undefined {
  const date = usual(text) ?? parsed(text);
  if (date === undefined) return undefined;
  const { type, values, significant } = date;
  const [year = 0, second] = values;
  if (type === 'Season') return qualified(seasonWords(second ?? 0, yearWords(year)), date);
  if (type === 'Year') return (significant === undefined ? '' : 'about ') + qualified(yearWords(year), date);
  return type === 'Date' ? qualified(unspecifiedWords(text, date), date) : undefined;
}

/** Returns the words of a date some of whose digits may be unknown. */
function unspecifiedWords(text: string, { values, unspecified = 0, timeZone }: ParsedDate): string {
  const [year = 0, month, day, hours, minutes] = values;
  const isKnown = (part: Part) => (unspecified & MASKS[part]) === 0;
  const knownMonth = isKnown('month') ? month : undefined;
  const knownDay = knownMonth !== undefined && isKnown('day') ? day : undefined;
  if (isKnown('year')) {
    const words = calendarWords(yearWords(year), knownMonth, knownDay);
    return hours === undefined ? words : `${words}, ${timeWords(hours, minutes ?? 0, timeZone)}`;
  }
  const [point] = datePartsOf(text)?.points ?? [];
  const period = point && yearsInWords(point.firstYear, point.lastYear);
  if (knownMonth === undefined) return period ?? 'unknown';
  const inYear = knownDay === undefined ? MONTHS[knownMonth] : `${knownDay} ${MONTHS[knownMonth]}`;
  return period === undefined ? `${inYear}, year unknown` : `${inYear} in ${withArticle(period)}`;
}

function timeWords(hours: number, minutes: number, timeZone: string | undefined): string {
  const time = [hours, minutes].map((part) => String(part).padStart(2, '0')).join(':');
  return timeZone === undefined ? time : `${time} (UTC${timeZone === '+00:00' ? '' : timeZone})`;
}

/** Returns the words of years, from the first to the last one that a year with unknown digits may be: `1920s`, `20th century`. */
export function yearsInWords(first: number, last: number): string {
  if (first === last) return yearWords(first);
  if (last - first === 9 && first > 0) return `${first}s`;
  if (last - first === 99)
    return first < 0 ? `${ordinal(1 - last / 100)} century BCE` : `${ordinal(first / 100 + 1)} century`;
  return `between ${yearWords(first)} and ${yearWords(last)}`;
}

function calendarWords(year: string, month: number | undefined, day: number | undefined): string {
  if (month === undefined) return year;
  const ofYear = `${MONTHS[month]} ${year}`;
  return day === undefined ? ofYear : `${day} ${ofYear}`;
}

/** Returns a year in words. EDTF counts the year 1 BCE as 0. */
function yearWords(year: number): string {
  const shown = (number: number) => (number > 9999 ? number.toLocaleString('en-GB') : String(number));
  if (year <= 0) return `${shown(1 - year)} BCE`;
  return year < 1000 ? `${year} CE` : shown(year);
}

function seasonWords(code: number, year: string): string {
  if (code >= FIRST_PART_OF_YEAR) return `${PARTS_OF_YEAR[code - FIRST_PART_OF_YEAR]} ${year}`;
  const index = code - FIRST_SEASON;
  return `${SEASONS[index % SEASONS.length]} ${year}${HEMISPHERES[Math.floor(index / SEASONS.length)]}`;
}

/** Adds the qualifications of a date: before it if they concern all of its parts, and otherwise in parentheses. */
function qualified(words: string, { values, uncertain = 0, approximate = 0 }: ParsedDate): string {
  const parts = PARTS.slice(0, values.length);
  const partsOf = (flag: boolean | number) =>
    flag === true ? parts : parts.filter((part) => (Number(flag) & MASKS[part]) !== 0);
  const [uncertainParts, approximateParts] = [partsOf(uncertain), partsOf(approximate)];
  const isWhole = (matched: readonly Part[]) => matched.length === parts.length;
  const notes = [
    ...(isWhole(uncertainParts) || uncertainParts.length === 0 ? [] : [`${uncertainParts.join(' and ')} uncertain`]),
    ...(isWhole(approximateParts) || approximateParts.length === 0
      ? []
      : [`${approximateParts.join(' and ')} approximate`]),
  ];
  const before = (isWhole(uncertainParts) ? 'perhaps ' : '') + (isWhole(approximateParts) ? 'about ' : '');
  return before + (before === '' ? words : withArticle(words)) + (notes.length === 0 ? '' : ` (${notes.join(', ')})`);
}

/** Returns "the 1920s" for "1920s", and other words unchanged. */
function withArticle(words: string): string {
  return /^(?:\d+s|\d+(?:st|nd|rd|th) century)|^(?:first|second|third|fourth|last) /.test(words)
    ? `the ${words}`
    : words;
}

function ordinal(number: number): string {
  const isTeen = number % 100 >= 11 && number % 100 <= 13;
  const suffix = isTeen ? 'th' : (['th', 'st', 'nd', 'rd'][number % 10] ?? 'th');
  return `${number}${suffix}`;
}
