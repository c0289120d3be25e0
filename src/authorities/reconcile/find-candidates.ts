import { setImmediate } from 'node:timers/promises';
import type { Database } from '../../database/database.ts';
import type { ContentModel, Vocabulary } from '../../model/content-model.ts';
import type { Actor } from '../../repository/actor.ts';
import { membersOf } from '../../repository/content/content.ts';
import type { ContentKind } from '../../repository/content/kinds.ts';
import { completeTerm, findNamed, type NamedTarget } from '../../repository/content/lists/complete-target.ts';
import { findAllContent } from '../../repository/content/read/find-content.ts';
import { namesOf } from '../authority-record.ts';
import { completeAuthority } from '../complete-authority.ts';
import { wordsOf } from '../name-words.ts';
import { termsWithUris } from '../take-over.ts';
import type { ReconciliationQuery } from './parse-queries.ts';
import { MATCH_SCORE, scoreOf } from './score.ts';
import { valuesOf } from './term-properties.ts';

/** Terms that are scored for a text, for its longest words, and from authority lists. */
const BY_TEXT = 50;
const BY_WORD = 200;
const BY_LIST = 20;
/** The longest words of a text by which terms are found. */
const MAX_WORDS = 2;
/** Shorter words are in too many names. */
const MIN_WORD_CHARACTERS = 3;
const MIN_SCORE = 30;
/** The part of the score that properties decide. */
const PROPERTY_WEIGHT = 0.4;

/** A term that a query may mean. */
export interface Candidate {
  readonly id: number;
  readonly name: string;
  readonly vocabulary: Vocabulary;
  /** From 0 to 100. */
  readonly score: number;
  /** True if the program is sure: it is the only one with such a score. */
  readonly isMatch: boolean;
}

/** The parts that the search for candidates needs. */
export interface ReconcileServices {
  readonly database: Database;
  readonly model: ContentModel;
  /** The kind of terms. */
  readonly kind: ContentKind;
}

/** Returns the terms that a caller may view and a query may mean, the best first. Reads the index of names only. */
export async function findCandidates(
  services: ReconcileServices,
  actor: Actor,
  query: ReconciliationQuery,
): Promise<Candidate[]> {
  // Reads of a local file never yield: without this, other requests would wait for the whole batch.
  await setImmediate();
  const { database, model, kind } = services;
  const vocabularies = (query.types ?? [...model.vocabularies.keys()]).flatMap(
    (name) => model.vocabularies.get(name) ?? [],
  );
  if (vocabularies.length === 0) return [];
  const names = vocabularies.map(({ name }) => name);
  const scores = new Map<number, number>();
  const terms = new Map<number, NamedTarget>();
  const add = (term: NamedTarget, score: number) => {
    if (!names.includes(term.bundle) || !kind.access.view(actor, term).isAllowed) return;
    terms.set(term.id, term);
    scores.set(term.id, Math.max(score, scores.get(term.id) ?? 0));
  };
  if (query.text !== '') {
    for (const term of await termsLike(database, names, query.text)) add(term, scoreOf(query.text, term.label));
    for (const { term, score } of await termsOfLists(database, vocabularies, query.text)) add(term, score);
  }
  const uris = query.properties.flatMap(({ values }) => values.filter((value) => /^https?:\/\//.test(value)));
  for (const term of await termsWithUris(database, uris))
    add(term, query.text === '' ? 100 : scoreOf(query.text, term.label));
  const scored =
    query.properties.length === 0
      ? scores
      : await withProperties(services, scores, query.properties, query.text !== '');
  const best = [...scored]
    .filter(([, score]) => score >= MIN_SCORE)
    .sort(([a, one], [b, other]) => other - one || a - b);
  const sure = best.filter(([, score]) => score >= MATCH_SCORE).length;
  return best.slice(0, query.limit).flatMap(([id, score]) => {
    const term = terms.get(id);
    const vocabulary = term && model.vocabularies.get(term.bundle);
    if (term === undefined || vocabulary === undefined) return [];
    return [{ id, name: term.label, vocabulary, score, isMatch: sure === 1 && score >= MATCH_SCORE }];
  });
}

async function termsLike(database: Database, names: readonly string[], text: string): Promise<NamedTarget[]> {
  const terms = await completeTerm(database, names, text, BY_TEXT);
  const words = [...new Set(text.toLowerCase().split(/[^\p{L}\p{N}\p{M}]+/u))]
    .filter((word) => word.length >= MIN_WORD_CHARACTERS)
    .sort((one, other) => other.length - one.length)
    .slice(0, MAX_WORDS);
  for (const word of words) terms.push(...(await completeTerm(database, names, word, BY_WORD)));
  return terms;
}

/** Returns terms whose records in authority lists have a name like the text. */
async function termsOfLists(database: Database, vocabularies: readonly Vocabulary[], text: string) {
  if (wordsOf(text).length === 0) return [];
  const hits = await completeAuthority(database, vocabularies, text, BY_LIST);
  if (hits.length === 0) return [];
  const best = new Map(
    hits.map(({ record }) => [record.uri, Math.max(...namesOf(record).map((name) => scoreOf(text, name)))]),
  );
  const terms = await termsWithUris(database, [...best.keys()]);
  return terms.map((term) => ({ term, score: best.get(term.uri) ?? 0 }));
}

async function withProperties(
  { database, kind }: ReconcileServices,
  scores: ReadonlyMap<number, number>,
  properties: ReconciliationQuery['properties'],
  hasText: boolean,
): Promise<ReadonlyMap<number, number>> {
  const contents = await findAllContent(database, kind, [...scores.keys()]);
  const weight = hasText ? PROPERTY_WEIGHT : 1;
  return new Map(
    contents.map((content) => {
      const members = membersOf(content);
      const fitting = properties.filter(({ pid, values }) => {
        const own = valuesOf(content.bundle, members, pid).map(fold);
        return values.some((value) => own.includes(fold(value)));
      });
      const part = fitting.length / properties.length;
      const score = scores.get(content.head.id) ?? 0;
      return [content.head.id, Math.round(score * (1 - weight) + 100 * weight * part)];
    }),
  );
}

/** Addresses have few words in common with others, and are compared as they are. */
function fold(value: string): string {
  return /^https?:\/\//.test(value) ? value : wordsOf(value).join(' ');
}

/** Returns terms by their ids that a caller may view. */
export async function findVisible(
  { database, kind }: ReconcileServices,
  actor: Actor,
  ids: readonly number[],
): Promise<NamedTarget[]> {
  const terms = await findNamed(database, 'taxonomy_term', ids);
  return terms.filter((term) => kind.access.view(actor, term).isAllowed);
}
