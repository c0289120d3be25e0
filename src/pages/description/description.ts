import { DOI } from '../../base/doi.ts';
import { madeOnce } from '../../base/made-once.ts';
import { rememberTexts } from '../../base/remember-texts.ts';
import { usualLanguage } from '../../field-types/display/language.ts';
import type { Link } from '../../http/link-header.ts';
import type { Signpost } from '../../model/signposting.ts';
import { entityPath } from '../../paths.ts';
import type { Neighbour } from '../../repository/content/read/surroundings.ts';
import { addressesOf, permanentAddress } from '../../representation/signpost-addresses.ts';
import { firstText, type View } from '../view.ts';
import type { Agent } from './agent.ts';
import { DC, DCTERMS, type MappedValue, mappedValues, PERSON, SCHEMA } from './mapped-values.ts';
import { type WorkKind, workKind } from './work-kind.ts';

/** The predicates of dates, from the one that a citation prefers. */
const DATES = ['issued', 'created', 'date', 'dateCopyrighted'].map((name) => DCTERMS + name);
const SUMMARIES = [`${DCTERMS}abstract`, `${DCTERMS}description`, `${SCHEMA}description`, `${SCHEMA}text`];
const PLACE = 'http://id.loc.gov/vocabulary/relators/pup';
/** The fields of a part of a publication. They have no predicate. */
const PART = { container: 'field_parent_publication_title', volume: 'field_volume', issue: 'field_issue' } as const;
const MAX_AGENTS = 100;

/** Content as the head of its page and its citations describe it, with what the caller may view. */
export interface Description {
  readonly title: string;
  /** The canonical address of its page. */
  readonly url: string;
  /** The permanent address by which it is cited: a DOI, Handle or ARK, or `url`. */
  readonly citeAs: string;
  readonly kind: WorkKind;
  readonly summary: string | undefined;
  /** The agents whose roles make them authors (config/signposting.yaml). */
  readonly creators: readonly Agent[];
  readonly contributors: readonly Agent[];
  /** The EDTF expression of the first date. */
  readonly date: string | undefined;
  readonly publishers: readonly string[];
  readonly place: string | undefined;
  readonly identifiers: Identifiers;
  readonly container: string | undefined;
  readonly volume: string | undefined;
  readonly issue: string | undefined;
  /** The language of the work: a language tag of its first term, else that of the record. */
  readonly language: string;
  readonly values: readonly MappedValue[];
  /** True if the content is a page or an article itself, and not the record of an object. */
  readonly isPage: boolean;
}

const described = new WeakMap<View, Description>();

/**
 * Describes content for machines, from the RDF mapping and the Signposting configuration of its bundle. Several parts of a
 * page use the description: it is made once per view.
 */
export function describeContent(view: View, links: readonly Link[]): Description {
  const known = described.get(view) ?? descriptionOf(view, links);
  described.set(view, known);
  return known;
}

function descriptionOf(view: View, links: readonly Link[]): Description {
  const { content, members, around, source, label } = view;
  const { kind, bundle, head } = content;
  const { baseUrl, model } = source;
  const rules = model.signposting[kind.type].get(bundle.name);
  const classes = model.rdf.mappings[kind.type].get(bundle.name)?.types ?? [];
  const isPage = kind.type === 'node' && classes.some((each) => each.startsWith(SCHEMA));
  const values = mappedValues(view);
  const textOf = (...predicates: readonly string[]) => textsOf(values, predicates)[0];
  const types = rules ? addressesOf(rules.type, 'type', members, around, baseUrl) : [];
  const url = links.find(({ rel }) => rel === 'canonical')?.href ?? baseUrl + entityPath[kind.type](head.id);
  const permanent = rules?.citeAs.flatMap((field) => permanentIn(view, field))[0];
  return {
    title: label,
    url,
    citeAs: permanent ?? url,
    kind: workKind([...types, ...classes.filter((each) => each.startsWith(SCHEMA))], model.models),
    summary: SUMMARIES.map((predicate) => textOf(predicate)).find((text) => text !== undefined),
    ...agentsOf(view, rules?.author ?? []),
    date: dateOf(values, isPage),
    publishers: textsOf(values, [`${DC}publisher`, `${DCTERMS}publisher`]),
    place: values.find(({ predicates, target }) => predicates.includes(PLACE) && target === undefined)?.text,
    identifiers: findIdentifiers(values, permanent),
    container: firstText(members, PART.container),
    volume: firstText(members, PART.volume),
    issue: firstText(members, PART.issue),
    language: languageTagOf(values) ?? view.language,
    values,
    isPage,
  };
}

/** Returns the texts under any of these predicates. */
export function textsOf(values: readonly MappedValue[], predicates: readonly string[]): readonly string[] {
  const [only, ...others] = predicates;
  if (only !== undefined && others.length === 0) return textsByPredicate(values).get(only) ?? [];
  return values.filter((value) => value.predicates.some((each) => predicates.includes(each))).map(({ text }) => text);
}

const textsByPredicate = madeOnce((values: readonly MappedValue[]) => {
  const texts = new Map<string, string[]>();
  for (const { predicates, text } of values)
    for (const predicate of new Set(predicates)) {
      const known = texts.get(predicate);
      if (known === undefined) texts.set(predicate, [text]);
      else known.push(text);
    }
  return texts;
});

function permanentIn({ members }: View, field: string): string[] {
  return (members[field] ?? []).flatMap(({ value, uri }) => permanentAddress(String(uri ?? value ?? '')) ?? []);
}

function dateOf(values: readonly MappedValue[], isPage: boolean): string | undefined {
  const predicates = isPage ? [...DATES, `${SCHEMA}datePublished`, `${SCHEMA}dateCreated`] : DATES;
  const [first] = predicates.flatMap((predicate) => textsOf(values, [predicate]));
  // Times of records have the form of RFC 3339.
  return first?.replace(/^(\d{4}-\d\d-\d\d)T.*$/, '$1');
}

/** Returns the agents of content: those that the configuration calls authors, and the others with a role. */
function agentsOf(view: View, signposts: readonly Signpost[]): Pick<Description, 'creators' | 'contributors'> {
  const { content, members, source } = view;
  const creators: Agent[] = [];
  const contributors: Agent[] = [];
  for (const field of content.bundle.fields) {
    const rules = signposts.filter((each) => 'field' in each && each.field === field.name);
    const type = source.fieldTypes.of(field);
    for (const item of members[field.name] ?? []) {
      const role = type.role(item);
      if (rules.length === 0 && role === undefined) continue;
      const target = view.targetOf(item);
      const label = target?.label ?? (item.target_id === undefined ? String(item.value ?? '') : '');
      if (label.trim() === '') continue;
      const isCreator = rules.some(
        (rule) => 'field' in rule && (rule.relations === undefined || (role !== undefined && rule.relations.has(role))),
      );
      const agents = isCreator ? creators : contributors;
      if (agents.length < MAX_AGENTS) agents.push({ label, isPerson: isPerson(view, target), role, target });
    }
  }
  return { creators: withoutRepeated(creators), contributors };
}

/** Returns true for a target whose class is a person. Authors in a text field are persons if their name is inverted. */
function isPerson({ source }: View, target: Neighbour | undefined): boolean {
  if (target === undefined) return true;
  return source.model.rdf.mappings[target.type].get(target.bundle)?.types.includes(PERSON) ?? false;
}

/** Returns each agent once: a person may have several roles of an author. */
function withoutRepeated(agents: readonly Agent[]): Agent[] {
  return [...new Map(agents.map((agent) => [agent.target?.id ?? agent.label, agent])).values()];
}

const LANGUAGE_ADDRESS = /\/iso639-[12]\/([a-z]{2,3})$/;

/** Returns the language tag of the first language with a code of ISO 639. */
function languageTagOf(values: readonly MappedValue[]): string | undefined {
  for (const { predicates, target } of values) {
    if (!predicates.includes(`${DCTERMS}language`)) continue;
    const [, code] = LANGUAGE_ADDRESS.exec(target?.authorityUri ?? '') ?? [];
    // Also replaces bibliographic codes such as `ger`.
    if (code !== undefined) return usualLanguage(code);
  }
  return undefined;
}

/** The identifiers of a work that catalogues and reference managers know. */
interface Identifiers {
  readonly doi: string | undefined;
  readonly isbn: readonly string[];
  readonly issn: readonly string[];
}

/** The ends of predicates for identifiers, in any vocabulary. */
const IDENTIFIER = /[/#:](doi|isbn|issn)$/i;
type IdentifierName = 'doi' | 'isbn' | 'issn';
/** Returns the kind of identifiers under a predicate; empty for other predicates. */
const identifierOf = rememberTexts((predicate) => IDENTIFIER.exec(predicate)?.[1]?.toLowerCase() ?? '');
const ISBN = /^(?:isbn(?:-1[03])?[:\s]*)?((?:97[89][- ]?)?(?:\d[- ]?){9}[\dxX])\b/i;
const ISSN = /^(?:issn[:\s]*)?(\d{4}-\d{3}[\dxX])\b/i;

/** Finds the identifiers among mapped values. `citeAs` is the permanent address of the work. */
function findIdentifiers(values: readonly MappedValue[], citeAs: string | undefined): Identifiers {
  const named = (name: IdentifierName) =>
    values.filter(({ predicates }) => predicates.some((each) => identifierOf(each) === name));
  const identifiers = values.filter(({ predicates }) => predicates.includes(`${DCTERMS}identifier`));
  const first = (pattern: RegExp, texts: readonly string[]) =>
    texts.flatMap((text) => pattern.exec(text.trim())?.[1] ?? []);
  const texts = (of: readonly MappedValue[]) => of.map(({ text }) => text);
  return {
    doi: first(DOI, [...(citeAs === undefined ? [] : [citeAs]), ...texts(named('doi')), ...texts(identifiers)])[0],
    isbn: [...new Set(first(ISBN, texts(named('isbn'))))],
    issn: [
      ...new Set(first(ISSN, [...texts(named('issn')), ...texts(identifiers).filter((text) => /^issn/i.test(text))])),
    ],
  };
}
