import type { JsonObject } from '../../base/json.ts';
import type { AgentName } from '../description/agent.ts';
import { textsOf } from '../description/description.ts';
import { DCTERMS } from '../description/mapped-values.ts';
import type { CitationDate, DatePoint } from './citation-date.ts';
import type { CitedWork } from './cited-work.ts';

/** Returns a work in CSL-JSON (https://docs.citationstyles.org), which reference managers import. */
export function cslItem(work: CitedWork): JsonObject {
  const { id, title, authors, editors, translators, date, archive, publisher, described } = work;
  const { kind, identifiers, citeAs, container, volume, issue, place, summary, language, values } = described;
  const keywords = textsOf(values, [`${DCTERMS}subject`]);
  return withoutEmpty({
    id,
    type: kind.csl,
    title,
    author: authors.map(cslName),
    editor: editors.map(cslName),
    translator: translators.map(cslName),
    issued: date && cslDate(date),
    publisher,
    'publisher-place': place,
    'container-title': container,
    volume,
    issue,
    genre: kind.words,
    DOI: identifiers.doi,
    ISBN: identifiers.isbn[0],
    ISSN: identifiers.issn[0],
    URL: citeAs,
    archive,
    language,
    abstract: summary,
    keyword: keywords.length > 0 ? keywords.join(', ') : undefined,
  });
}

function cslName(name: AgentName): JsonObject {
  if ('literal' in name) return { literal: name.literal };
  const { family, given, suffix } = name;
  return { family, given, ...(suffix !== undefined && { suffix }) };
}

function cslDate({ start, end, isRange, isApproximate, isUncertain }: CitationDate): JsonObject | undefined {
  const first = start ?? end;
  if (first === undefined) return undefined;
  const parts = [first, ...(isRange && start !== undefined && end !== undefined ? [end] : [])].map(dateParts);
  return {
    'date-parts': parts,
    ...(first.season !== undefined && { season: first.season }),
    ...((isApproximate || isUncertain || first.lastYear > first.firstYear) && { circa: true }),
  };
}

function dateParts({ firstYear, month, day }: DatePoint): number[] {
  return [firstYear, month, day].filter((part) => part !== undefined);
}

function withoutEmpty(members: Readonly<Record<string, JsonObject[string] | undefined>>): JsonObject {
  const whole: JsonObject = {};
  for (const [name, value] of Object.entries(members)) {
    if (value !== undefined && !(Array.isArray(value) && value.length === 0)) whole[name] = value;
  }
  return whole;
}
