import { type DatePoint, yearWords } from './citation-date.ts';
import { inverted, natural } from './citation-names.ts';
import type { CitedWork } from './cited-work.ts';
import { MONTHS, qualified, rangeOf, SEASONS } from './date-words.ts';
import { address, italic, plain, quoted, type Run, sentences } from './runs.ts';

/** Months of at most four letters are not abbreviated. */
const LONGEST_FULL_MONTH = 4;
const ABBREVIATED: Readonly<Record<string, string>> = { September: 'Sept.' };

/** Cites a work in the style of the Modern Language Association, 9th edition, which omits missing dates. */
export function mla(work: CitedWork): Run[] {
  const { title, authors, editors, date, archive, publisher, described } = work;
  const { container, volume, issue, citeAs } = described;
  const names = authors.length > 0 ? namesOf(authors) : editorsOf(editors);
  const dated = date === undefined ? undefined : qualified(rangeOf(date, pointWords), date, 'circa ');
  const published = [
    volume === undefined ? undefined : `vol. ${volume}`,
    issue === undefined ? undefined : `no. ${issue}`,
    publisher === archive ? undefined : publisher,
    dated,
  ].filter((part) => part !== undefined);
  return sentences(
    [
      names === undefined ? undefined : plain(names),
      container === undefined ? italic(title) : quoted(title),
      container === undefined
        ? published.length > 0
          ? plain(capitalized(published.join(', ')))
          : undefined
        : [...italic(container), ...plain(published.map((part) => `, ${part}`).join(''))],
      [...italic(archive), ...plain(', '), ...address(citeAs)],
    ],
    '.',
  );
}

function namesOf(names: CitedWork['authors']): string {
  const [first, second] = names;
  if (first === undefined) return '';
  if (second === undefined) return inverted(first);
  return names.length > 2 ? `${inverted(first)}, et al.` : `${inverted(first)}, and ${natural(second)}`;
}

function editorsOf(editors: CitedWork['editors']): string | undefined {
  return editors.length === 0 ? undefined : `${namesOf(editors)}, ${editors.length > 1 ? 'editors' : 'editor'}`;
}

/** Returns `12 May 1908`, or `Dec. 1960`. */
function pointWords(point: DatePoint): string {
  const { month, day, season } = point;
  const name = month === undefined ? season && SEASONS[season - 1] : abbreviated(MONTHS[month - 1] ?? '');
  if (!name) return yearWords(point);
  return `${day === undefined ? '' : `${day} `}${name} ${yearWords(point)}`;
}

function abbreviated(month: string): string {
  return month.length <= LONGEST_FULL_MONTH ? month : (ABBREVIATED[month] ?? `${month.slice(0, 3)}.`);
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
