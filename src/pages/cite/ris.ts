import { datePrecision, firstDate } from '../../field-types/first-date.ts';
import { textsOf } from '../description/description.ts';
import { DCTERMS } from '../description/mapped-values.ts';
import { oneLine } from '../description/plain-text.ts';
import { isJournalArticle } from '../description/work-kind.ts';
import { inverted } from './citation-names.ts';
import type { CitedWork } from './cited-work.ts';

const MAX_VALUE_CHARACTERS = 2000;

/** Returns a work as a RIS record, which EndNote, Zotero and others import. */
export function ris({ id, title, authors, editors, translators, publisher, archive, described }: CitedWork): string {
  const { kind, identifiers, citeAs, container, volume, issue, place, language, summary, values } = described;
  const first = described.date === undefined ? undefined : firstDate(described.date);
  const date = first !== undefined && datePrecision(first) !== undefined ? first : undefined;
  const tags: readonly (readonly [string, string | undefined])[] = [
    ['TY', isJournalArticle(described) ? 'JOUR' : kind.ris],
    ['ID', id],
    ['TI', title],
    ...authors.map((name) => ['AU', inverted(name)] as const),
    ...editors.map((name) => ['A2', inverted(name)] as const),
    ...translators.map((name) => ['A4', inverted(name)] as const),
    ['PY', date && /^-?\d+/.exec(date)?.[0]],
    ['DA', date && dateTag(date)],
    ['T2', container],
    ['VL', volume],
    ['IS', issue],
    ['PB', publisher],
    ['CY', place],
    ['SN', identifiers.isbn[0] ?? identifiers.issn[0]],
    ['DO', identifiers.doi],
    ['UR', citeAs],
    ['LA', language],
    ['AB', summary],
    ...textsOf(values, [`${DCTERMS}subject`]).map((subject) => ['KW', subject] as const),
    ['DP', archive],
  ];
  const lines = tags.flatMap(([tag, value]) =>
    value === undefined || value === '' ? [] : `${tag}  - ${oneLine(value, MAX_VALUE_CHARACTERS)}`,
  );
  return `${[...lines, 'ER  - '].join('\r\n')}\r\n`;
}

/** Returns `1908/05/12/`: four parts, of which the last is free text. */
function dateTag(date: string): string {
  const parts = date.split(/(?<!^)-/);
  return [0, 1, 2]
    .map((at) => parts[at] ?? '')
    .join('/')
    .concat('/');
}
