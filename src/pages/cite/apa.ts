import { type CitationDate, type DatePoint, yearWords } from './citation-date.ts';
import { listed, withInitials } from './citation-names.ts';
import type { CitedWork } from './cited-work.ts';
import { MONTHS, qualified, rangeOf, SEASONS } from './date-words.ts';
import { address, italic, plain, type Run, sentences } from './runs.ts';

const MAX_NAMES = 20;
/** Types that are dated by their year alone. */
const BY_YEAR: ReadonlySet<string> = new Set(['book', 'graphic', 'map', 'musical_score', 'collection']);

/** Cites a work in the style of the American Psychological Association, 7th edition. */
export function apa(work: CitedWork): Run[] {
  const { title, authors, editors, date, archive, publisher, described } = work;
  const { container, volume, issue, citeAs, kind } = described;
  const names = authors.length > 0 ? namesOf(authors) : editorsOf(editors);
  const dated = plain(`(${date === undefined ? 'n.d.' : dateWords(date, BY_YEAR.has(kind.csl))})`);
  const bracketed = kind.words === undefined ? [] : plain(` [${kind.words}]`);
  const titled = [...(container === undefined ? italic(title) : plain(title)), ...bracketed];
  const [first, second] = names === undefined ? [titled, undefined] : [plain(names), titled];
  return sentences(
    [
      // The date follows the author, or else the title, as a sentence of its own.
      first,
      dated,
      second,
      container === undefined ? undefined : containerOf(container, volume, issue),
      publisher === undefined ? undefined : plain(publisher),
      publisher === archive ? undefined : plain(archive),
      address(citeAs),
    ],
    '',
  );
}

function namesOf(names: CitedWork['authors']): string {
  const all = names.map(withInitials);
  if (all.length > MAX_NAMES) return `${all.slice(0, MAX_NAMES - 1).join(', ')}, . . . ${all.at(-1)}`;
  return listed(all, { two: ', & ', last: ', & ' });
}

function editorsOf(editors: CitedWork['editors']): string | undefined {
  if (editors.length === 0) return undefined;
  return `${namesOf(editors)} (${editors.length > 1 ? 'Eds.' : 'Ed.'})`;
}

function containerOf(container: string, volume: string | undefined, issue: string | undefined): Run[] {
  if (volume === undefined && issue === undefined) return italic(container);
  return [
    ...italic(volume === undefined ? container : `${container}, ${volume}`),
    ...(issue === undefined ? [] : plain(volume === undefined ? `, (${issue})` : `(${issue})`)),
  ];
}

function dateWords(date: CitationDate, isByYear: boolean): string {
  return qualified(
    rangeOf(date, (point) => (isByYear ? yearWords(point) : pointWords(point))),
    date,
    'ca. ',
  );
}

/** Returns `1908, May 12`. */
function pointWords(point: DatePoint): string {
  const { month, day, season } = point;
  const within = month === undefined ? season && SEASONS[season - 1] : MONTHS[month - 1];
  if (!within) return yearWords(point);
  return `${yearWords(point)}, ${within}${day === undefined ? '' : ` ${day}`}`;
}
