import { type CitationDate, yearWords } from './citation-date.ts';
import { inverted, listed, natural } from './citation-names.ts';
import type { CitedWork } from './cited-work.ts';
import { MONTHS, qualified, rangeOf, SEASONS } from './date-words.ts';
import { address, italic, plain, quoted, type Run, sentences } from './runs.ts';

const MAX_NAMES = 10;
/** The number of names before "et al." */
const SHORTENED_NAMES = 7;
/** Types whose titles are in quotation marks: they are not published. */
const UNPUBLISHED: ReadonlySet<string> = new Set(['manuscript', 'document']);

/** Cites a work in the author-date style of the Chicago Manual of Style, 17th edition. */
export function chicago(work: CitedWork): Run[] {
  const { title, authors, editors, date, archive, publisher, described } = work;
  const { container, volume, issue, place, citeAs, kind } = described;
  const names = authors.length > 0 ? namesOf(authors) : editorsOf(editors);
  const dated = plain(date === undefined ? 'n.d.' : qualified(rangeOf(date, yearWords), date, 'ca. '));
  const isQuoted = container !== undefined || UNPUBLISHED.has(kind.csl);
  const titled = isQuoted ? quoted(title) : italic(title);
  const published = [place, publisher].filter((part) => part !== undefined).join(': ');
  return sentences(
    [
      ...(names === undefined ? [titled, dated] : [plain(names), dated, titled]),
      container === undefined ? undefined : containerOf(container, volume, issue),
      [kind.words, dayOf(date)].some((part) => part !== undefined)
        ? plain([kind.words, dayOf(date)].filter((part) => part !== undefined).join(', '))
        : undefined,
      published === '' ? undefined : plain(published),
      publisher === archive ? undefined : plain(archive),
      address(citeAs),
    ],
    '.',
  );
}

function namesOf(names: CitedWork['authors']): string {
  const [first, ...others] = names;
  const all = [...(first === undefined ? [] : [inverted(first)]), ...others.map(natural)];
  if (all.length > MAX_NAMES) return `${all.slice(0, SHORTENED_NAMES).join(', ')}, et al.`;
  return listed(all, { two: ', and ', last: ', and ' });
}

function editorsOf(editors: CitedWork['editors']): string | undefined {
  return editors.length === 0 ? undefined : `${namesOf(editors)}, ${editors.length > 1 ? 'eds.' : 'ed.'}`;
}

function containerOf(container: string, volume: string | undefined, issue: string | undefined): Run[] {
  const number = [volume, issue === undefined ? undefined : volume === undefined ? `no. ${issue}` : `(${issue})`];
  const text = number.filter((part) => part !== undefined).join(' ');
  return [...italic(container), ...(text === '' ? [] : plain(` ${text}`))];
}

/** Returns the month and the day of a single date: `May 12`. The year is beside the author. */
function dayOf(date: CitationDate | undefined): string | undefined {
  if (date?.start === undefined || date.isRange) return undefined;
  const { month, day, season } = date.start;
  if (month === undefined) return season === undefined ? undefined : SEASONS[season - 1];
  return day === undefined ? MONTHS[month - 1] : `${MONTHS[month - 1]} ${day}`;
}
