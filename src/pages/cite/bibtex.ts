import { firstDate } from '../../field-types/first-date.ts';
import type { AgentName } from '../description/agent.ts';
import { oneLine } from '../description/plain-text.ts';
import type { CitedWork } from './cited-work.ts';

const MAX_VALUE_CHARACTERS = 2000;
const ESCAPES: Readonly<Record<string, string>> = {
  ...{ '\\': '\\textbackslash{}', '{': '\\{', '}': '\\}', '~': '\\textasciitilde{}', '^': '\\textasciicircum{}' },
  ...{ '#': '\\#', $: '\\$', '%': '\\%', '&': '\\&', _: '\\_' },
};

/** Returns a work as a BibTeX entry, in UTF-8. */
export function bibtex({ id, title, authors, editors, date, publisher, archive, described }: CitedWork): string {
  const { kind, identifiers, citeAs, container, volume, issue, place, language } = described;
  const month = date?.isRange === false ? date.start?.month : undefined;
  const members: readonly (readonly [string, string | undefined])[] = [
    ['author', namesOf(authors)],
    ['editor', namesOf(editors)],
    ['title', `{${escaped(title)}}`],
    ['year', yearOf(described.date)],
    ['month', month === undefined ? undefined : String(month)],
    ['journal', text(container)],
    ['volume', text(volume)],
    ['number', text(issue)],
    ['publisher', text(publisher)],
    ['address', text(place)],
    ['doi', text(identifiers.doi)],
    ['isbn', text(identifiers.isbn[0])],
    ['issn', text(identifiers.issn[0])],
    ['url', escaped(citeAs)],
    ['language', text(language)],
    ['howpublished', text(archive)],
  ];
  const lines = members.flatMap(([name, value]) => (value === undefined ? [] : `  ${name} = {${value}}`));
  const type = container === undefined ? kind.bibtex : 'article';
  return `@${type}{${id},\n${lines.join(',\n')}\n}\n`;
}

function namesOf(names: readonly AgentName[]): string | undefined {
  if (names.length === 0) return undefined;
  // Braces keep the name of an organization together.
  return names
    .map((name) => {
      if ('literal' in name) return `{${escaped(name.literal)}}`;
      const { family, given, suffix } = name;
      return [family, ...(suffix === undefined ? [] : [suffix]), given].map(escaped).join(', ');
    })
    .join(' and ');
}

function yearOf(edtf: string | undefined): string | undefined {
  const [, year] = /^(-?\d+)/.exec((edtf && firstDate(edtf)) ?? '') ?? [];
  return year;
}

function text(value: string | undefined): string | undefined {
  return value === undefined ? undefined : escaped(value);
}

function escaped(value: string): string {
  return oneLine(value, MAX_VALUE_CHARACTERS).replace(/[\\{}~^#$%&_]/g, (character) => ESCAPES[character] ?? character);
}
