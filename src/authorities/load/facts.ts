import type { Quad } from 'n3';
import { AUTHORITY_KINDS, type AuthorityKind, type AuthorityRecord, type LanguageName } from '../authority-record.ts';
import { sourceOfUri } from '../source-of-uri.ts';
import { factOfType, type Role, roleOf } from './rdf-vocabulary.ts';

/** The fact about its subject that a statement holds. */
export type Fact = readonly [role: Role, value: string, language: string];

const MAX_NAME_CHARACTERS = 1_000;
const MAX_NOTE_CHARACTERS = 500;
const MAX_DATE_CHARACTERS = 60;
/** Names of one record that count: some files have thousands of transliterations. */
const MAX_NAMES = 500;
/** Nodes behind nodes, such as the biography of an agent of a concept. */
const MAX_DEPTH = 3;

/** Returns the fact of a statement; undefined for one that is of no use. `scope` begins the keys of its blank nodes. */
export function factOf({ predicate, object }: Pick<Quad, 'predicate' | 'object'>, scope = ''): Fact | undefined {
  const isNode = object.termType !== 'Literal';
  const role = roleOf(predicate.value, isNode);
  if (role === undefined) return undefined;
  if (role === 'kind') {
    const fact = factOfType(object.value);
    return fact && [...fact, ''];
  }
  if (object.termType !== 'Literal') return [role, keyOf(object, scope), ''];
  const text = cleanText(object.value);
  return text === '' ? undefined : [role, text, object.language];
}

/** Returns the key of a subject or object: its URI, or the label of a blank node. */
export function keyOf(term: { readonly termType: string; readonly value: string }, scope = ''): string {
  return term.termType === 'BlankNode' ? `_:${scope}${term.value}` : term.value;
}

/** Returns true for the key of a blank node. */
export function isBlank(key: string): boolean {
  return key.startsWith('_:');
}

function cleanText(text: string): string {
  return text
    .toWellFormed()
    .replace(/\p{Cc}+/gu, ' ')
    .normalize('NFC')
    .trim();
}

/** Returns true if a subject has what makes it a record: an URI and a preferred name. */
export function isRecord(key: string, facts: readonly Fact[]): boolean {
  return !isBlank(key) && facts.some(([role]) => role === 'pref' || role === 'node:pref');
}

/** Returns true if facts could belong to a record that refers to their subject. */
export function isOfUse(facts: readonly Fact[]): boolean {
  return facts.some(([role]) => role !== 'kind' && role !== 'skipped');
}

/** Returns facts with those of the nodes to which they refer. `nodes` returns undefined for an unknown node. */
export function resolveNodes(
  facts: readonly Fact[],
  nodes: (key: string) => readonly Fact[] | undefined,
  depth = 0,
): { readonly facts: readonly Fact[]; readonly missing: readonly Fact[] } {
  if (!facts.some(([role]) => role.startsWith('node:'))) return { facts, missing: [] };
  const resolved: Fact[] = [];
  const missing: Fact[] = [];
  for (const fact of facts) {
    const [role, key] = fact;
    const own = role.startsWith('node:') ? (depth < MAX_DEPTH ? nodes(key) : []) : undefined;
    if (!role.startsWith('node:')) resolved.push(fact);
    else if (own === undefined) missing.push(fact);
    else {
      const inner = resolveNodes(own, nodes, depth + 1);
      missing.push(...inner.missing);
      for (const [innerRole, value, language] of inner.facts) {
        const taken = roleThrough(role, innerRole);
        if (taken !== undefined) resolved.push([taken, value, language]);
      }
    }
  }
  return { facts: resolved, missing };
}

/** Returns the role of a fact of a node for whom refers to the node. */
function roleThrough(role: Role, inner: Role): Role | undefined {
  if (role === 'node:facts') return inner === 'begin' || inner === 'end' || inner === 'scope' ? inner : undefined;
  if (inner !== 'literal' && inner !== 'pref') return undefined;
  return role.slice('node:'.length) as Role;
}

/** The rules by which facts become records. */
export interface RecordRules {
  /** The kind of records of which the file tells none (default: that of their URIs). */
  readonly kind: AuthorityKind | undefined;
  /** The language of the name that is shown, where there are several. */
  readonly language: string;
}

/** Returns the record of a subject; undefined if it has no preferred name, or is none. */
export function recordOf(uri: string, facts: readonly Fact[], rules: RecordRules): AuthorityRecord | undefined {
  const preferred = namesIn(facts, 'pref');
  const label = (preferred.find(([, tag]) => tag === rules.language) ??
    preferred.find(([, tag]) => tag === '') ??
    preferred.find(([, tag]) => tag.split('-', 1)[0] === rules.language) ??
    preferred[0])?.[0];
  if (label === undefined || facts.some(([role]) => role === 'skipped')) return undefined;
  const known = new Set(preferred.map(([name]) => name));
  const kind = facts.find(([role]) => role === 'kind')?.[1];
  const first = (role: Role) => facts.find((fact) => fact[0] === role)?.[1];
  const notes = facts.filter(([role]) => role === 'scope');
  const scope = (notes.find(([, , tag]) => tag === rules.language) ?? notes[0])?.[1];
  return {
    uri,
    kind: AUTHORITY_KINDS.find((each) => each === kind) ?? rules.kind ?? sourceOfUri(uri).kind,
    label,
    preferred: preferred.slice(0, MAX_NAMES),
    variants: namesIn(facts, 'variant')
      .filter(([name]) => !known.has(name))
      .slice(0, MAX_NAMES),
    dateBegin: dateText(first('begin')) ?? datesInName(label).begin,
    dateEnd: dateText(first('end')) ?? datesInName(label).end,
    scope: scope && [...scope].slice(0, MAX_NOTE_CHARACTERS).join(''),
  };
}

/** Returns the facts of which `recordOf` makes a stored record again. */
export function factsOf({ kind, preferred, variants, dateBegin, dateEnd, scope }: AuthorityRecord): Fact[] {
  return [
    ...preferred.map(([name, tag]): Fact => ['pref', name, tag]),
    ...variants.map(([name, tag]): Fact => ['variant', name, tag]),
    ['kind', kind, ''],
    ...(dateBegin === undefined ? [] : [['begin', dateBegin, ''] as const]),
    ...(dateEnd === undefined ? [] : [['end', dateEnd, ''] as const]),
    ...(scope === undefined ? [] : [['scope', scope, ''] as const]),
  ];
}

function namesIn(facts: readonly Fact[], role: Role): LanguageName[] {
  const names = new Map<string, LanguageName>();
  for (const [each, value, language] of facts) {
    if (each !== role) continue;
    const name = value.length > MAX_NAME_CHARACTERS ? [...value].slice(0, MAX_NAME_CHARACTERS).join('') : value;
    if (!names.has(`${language} ${name}`)) names.set(`${language} ${name}`, [name, language.toLowerCase()]);
  }
  return [...names.values()];
}

/** Returns a date without the note of its syntax, `(edtf) 1835-11-30`. */
function dateText(text: string | undefined): string | undefined {
  return text?.replace(/^\((edtf|naf)\)\s*/i, '').slice(0, MAX_DATE_CHARACTERS) || undefined;
}

/** Returns the dates at the end of a heading of the Library of Congress, `Twain, Mark, 1835-1910`. */
function datesInName(label: string): { readonly begin?: string; readonly end?: string } {
  const [, begin, end] = /, (\d{4})?-(\d{4})?$/.exec(label) ?? [];
  return { ...(begin !== undefined && { begin }), ...(end !== undefined && { end }) };
}
