import { sql } from 'drizzle-orm';
import { foldText } from '../base/fold-text.ts';
import type { Database } from '../database/database.ts';
import { isMissingTable } from '../database/errors.ts';
import { plain, type Statement, statementOf } from '../database/statement.ts';
import type { Vocabulary } from '../model/content-model.ts';
import { type AuthorityList, listAuthorities } from './authority-lists.ts';
import { type AuthorityKind, type AuthorityRecord, namesOf } from './authority-record.ts';
import { findByIds, findByUris, type StoredRecord, toRecord, wordTable } from './list-statements.ts';
import { queriesOf, wordsOf } from './name-words.ts';
import { vocabulariesByKind } from './vocabulary-kinds.ts';

/** A record that a typed text may mean. */
export interface AuthorityHit {
  readonly record: AuthorityRecord;
  /** The name of its list or service. */
  readonly list: string;
  /** Its authority file, by its name in the content model. */
  readonly source: string;
  /** The vocabulary in which it becomes a term. */
  readonly vocabulary: Vocabulary;
  /** The other name that the text means; undefined if it means the shown one. */
  readonly match: string | undefined;
}

/** Candidates of a list, of which the best are hits: those that begin with the text, and those that contain its words. */
const CANDIDATES = 40;

/** Returns records of the loaded lists whose names begin with a text, or else contain its words, at most `limit`. */
export async function completeAuthority(
  database: Database,
  vocabularies: readonly Vocabulary[],
  text: string,
  limit: number,
): Promise<AuthorityHit[]> {
  if (wordsOf(text).length === 0 || vocabularies.length === 0) return [];
  try {
    return await complete(database, vocabularies, text, limit);
  } catch (error) {
    // A list was replaced meanwhile.
    if (!isMissingTable(error)) throw error;
    database.refresh();
    return complete(database, vocabularies, text, limit);
  }
}

/** A list with the vocabularies of its records. */
interface UsableList {
  readonly list: AuthorityList;
  readonly byKind: ReturnType<typeof vocabulariesByKind>;
}

async function complete(
  database: Database,
  vocabularies: readonly Vocabulary[],
  text: string,
  limit: number,
): Promise<AuthorityHit[]> {
  const lists = (await listAuthorities(database))
    .map((list): UsableList => ({ list, byKind: vocabulariesByKind(vocabularies, list.source) }))
    .filter(({ byKind }) => byKind.size > 0);
  if (lists.length === 0) return [];
  const ids = new Set(await candidates(database, lists, text, 'beginning'));
  if (ids.size < limit) for (const id of await candidates(database, lists, text, 'words')) ids.add(id);
  const rows = await database.all(findByIds({ ids: JSON.stringify([...ids]) }));
  const usable = new Map(lists.map((each) => [each.list.id, each]));
  const hits = rows.flatMap((row) => {
    const record = toRecord(row);
    const own = usable.get(record.listId);
    const vocabulary = own && (own.byKind.get(record.kind) ?? own.byKind.get('any'));
    return own === undefined || vocabulary === undefined ? [] : [hitOf(record, own.list, vocabulary, text)];
  });
  return rank(hits, text).slice(0, limit);
}

async function candidates(
  database: Database,
  lists: readonly UsableList[],
  text: string,
  which: 'beginning' | 'words',
): Promise<number[]> {
  const statements: Record<string, Statement<{ id: number }[]>> = {};
  for (const { list, byKind } of lists) {
    const kinds = byKind.has('any') ? undefined : ([...byKind.keys()] as AuthorityKind[]);
    const queries = queriesOf(text, kinds);
    if (queries === undefined) continue;
    const wanted = which === 'beginning' ? (['exact', 'beginning'] as const) : (['words'] as const);
    for (const name of wanted) statements[`${list.id} ${name}`] = wordsMatching(list.id, queries[name]);
  }
  const results = await database.read(statements);
  return Object.values(results).flatMap((rows) => rows.map(({ id }) => id));
}

function wordsMatching(listId: number, match: string): Statement<{ id: number }[]> {
  const table = wordTable(listId);
  return statementOf(
    plain(sql`SELECT rowid AS id FROM ${table} WHERE ${table} MATCH ${match} LIMIT ${CANDIDATES}`, {
      id: sql<number>`id`,
    }),
  );
}

function hitOf(
  record: StoredRecord,
  { name: list, source }: Pick<AuthorityList, 'name' | 'source'>,
  vocabulary: Vocabulary,
  text: string,
): AuthorityHit {
  return { record, list, source, vocabulary, match: matchIn(record, text) };
}

/** Returns the other name of a record that a text means; undefined if it means the shown one, or several together. */
export function matchIn(record: AuthorityRecord, text: string): string | undefined {
  const words = wordsOf(text);
  if (fits(record.label, words)) return undefined;
  return namesOf(record).find((name) => fits(name, words));
}

function fits(name: string, words: readonly string[]): boolean {
  const own = wordsOf(name);
  return words.every((word) => own.some((each) => each.startsWith(word)));
}

/** Returns hits with the best first: those with the name, that begin with it, and that contain it, each by name. */
export function rank(hits: readonly AuthorityHit[], text: string): AuthorityHit[] {
  const typed = wordsOf(text).join('');
  const scored = hits.map((hit) => {
    const { record } = hit;
    return { hit, score: scoreOf(record, typed), folded: foldText(record.label) };
  });
  scored.sort((one, other) => {
    if (one.score !== other.score) return one.score - other.score;
    return one.folded < other.folded ? -1 : Number(one.folded > other.folded);
  });
  return scored.map(({ hit }) => hit);
}

function scoreOf(record: AuthorityRecord, typed: string): number {
  const [label = '', ...others] = namesOf(record).map((name) => wordsOf(name).join(''));
  if (label === typed) return 0;
  if (others.includes(typed)) return 1;
  if (label.startsWith(typed)) return 2;
  return others.some((name) => name.startsWith(typed)) ? 3 : 4;
}

/** Returns the record of an URI, with its list; undefined if no list has it. */
export async function findAuthority(
  database: Database,
  uri: string,
): Promise<Pick<AuthorityHit, 'record' | 'list' | 'source'> | undefined> {
  for (const { id: listId, name: list, source } of await listAuthorities(database)) {
    const [row] = await database.all(findByUris({ listId, uris: JSON.stringify([uri]) }));
    if (row !== undefined) return { record: toRecord(row), list, source };
  }
  return undefined;
}
