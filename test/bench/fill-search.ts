import Libsql from 'libsql';
import { titleWordsOf } from '../../src/repository/title-words.ts';
import { createRandom } from '../support/random.ts';
import { makeWords, zipfOf } from './zipf-words.ts';

/** Rows of a repository with many nodes, written directly. The same on every run. */

const ROWS_PER_TRANSACTION = 20_000;
const WORDS_OF_NODE = 30;
const WORDS_OF_TEXT = 2_000;
const WORDS = 200_000;
/** Words in the order in which texts take them, each as frequent as Zipf's law says. */
const POOL = 4_000_000;
const COLLECTIONS = 500;

/** Vocabularies with their number of terms, in the order of their ids. */
const VOCABULARIES = [
  ['islandora_models', 10],
  ['resource_types', 12],
  ['subject', 50_000],
  ['person', 20_000],
  ['geo_location', 2_000],
] as const;

export interface SearchFill {
  readonly nodes: number;
  /** The number of nodes with extracted text. */
  readonly withText: number;
  /** The position of a facet in the configuration, by its name. */
  readonly facetNumber: (name: string) => number;
}

/** Fills the migrated database of a repository without content. */
export function fillSearch(file: string, { nodes, withText, facetNumber }: SearchFill): void {
  const database = new Libsql(file);
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA cache_size = -400000');
  const random = createRandom(1).fraction;
  const words = makeWords(WORDS);
  const zipf = zipfOf(WORDS, random);
  const pool = Array.from({ length: POOL }, () => words[zipf()] as string);
  const run = (length: number) => {
    const start = Math.floor(random() * (POOL - length));
    return pool.slice(start, start + length).join(' ');
  };
  const firstTerm = fillTerms(database, words, random);
  const agents = fillAgents(database, firstTerm('person'));
  const pick = {
    model: pickerOf(firstTerm('islandora_models'), 10, random),
    type: pickerOf(firstTerm('resource_types'), 12, random),
    subject: pickerOf(firstTerm('subject'), 50_000, random),
    place: pickerOf(firstTerm('geo_location'), 2_000, random),
    agent: zipfOf(agents.length, random),
  };
  const insert = insertsOf(database);
  const now = 1_700_000_000;
  inTransactions(database, nodes, (index) => {
    const nid = index + 1;
    const text = run(WORDS_OF_NODE);
    const title = text.split(' ', 6).join(' ');
    const hasText = nid > COLLECTIONS && index % Math.round(nodes / withText) === 0;
    const isPublished = index % 50 !== 7;
    const year = 1500 + Math.floor(Math.sqrt(random()) * 520);
    const parent = nid <= 10 ? [] : [1 + Math.floor(random() ** 2 * Math.min(nid - 1, COLLECTIONS))];
    const groups: [string, number[]][] = [
      ['collection', parent],
      ['model', [pick.model()]],
      ['type', [pick.type()]],
      ['subject', [pick.subject()]],
      ['agent', [agents[pick.agent()] as number]],
      ['place', [pick.place()]],
      ['decade', [Math.floor(year / 10) * 10]],
      ['full_text', hasText ? [1] : []],
    ];
    const document = JSON.stringify({ title: [{ value: title }], field_description: [{ value: text }] });
    insert.node.run(nid, uuidOf(nid), title, isPublished ? 1 : 0, now + nid, document);
    const fulltext = hasText ? run(WORDS_OF_TEXT) : '';
    const facets = blobOf(groups.map(([name, values]) => [facetNumber(name), values]));
    const collections = JSON.stringify(parent);
    insert.record.run(
      nid,
      nid,
      isPublished ? 1 : 0,
      now + nid,
      now + nid,
      title,
      year,
      year,
      hasText ? 1 : 0,
      facets,
      collections,
    );
    insert.words.run(nid, JSON.stringify(titleWordsOf(title)));
    insert.text.run(nid, title, text, fulltext);
    if (hasText) insert.extracted.run(nid, nid, Bun.zstdCompressSync(fulltext));
  });
  database.exec("INSERT INTO search_text(search_text) VALUES ('optimize'); PRAGMA wal_checkpoint(TRUNCATE)");
  database.exec('ANALYZE');
  database.close();
}

function insertsOf(database: Libsql.Database) {
  return {
    node: database.prepare(
      `INSERT INTO node (id, uuid, bundle, label, owner_id, status, changed, version, layout, is_dangling, document)
       VALUES (?, ?, 'islandora_object', ?, 1, ?, ?, 1, 1, 0, ?)`,
    ),
    record: database.prepare(
      `INSERT INTO node_record (nid, sequence, is_deleted, status, owner_id, bundle, created, changed, title_key, date_from,
         date_to, has_text, facets, collections, text_hash)
       VALUES (?, ?, 0, ?, 1, 'islandora_object', ?, ?, ?, ?, ?, ?, ?, ?, '')`,
    ),
    words: database.prepare(
      'INSERT INTO search_title_word (id, key) SELECT ? * 32 + j.key, j.value FROM json_each(?) j',
    ),
    text: database.prepare(
      "INSERT INTO search_text (rowid, title, subject, creator, identifier, text, fulltext) VALUES (?, ?, '', '', '', ?, ?)",
    ),
    extracted: database.prepare('INSERT INTO extracted_text (media_id, node_id, is_hocr, text) VALUES (?, ?, 0, ?)'),
  };
}

/** Returns a function that gives the first id of a vocabulary. */
function fillTerms(database: Libsql.Database, words: readonly string[], random: () => number) {
  const insert = database.prepare(
    `INSERT INTO taxonomy_term (id, uuid, bundle, label, owner_id, status, changed, version, layout, is_dangling, document,
       folded_label)
     VALUES (?, ?, ?, ?, 1, 1, 1, 1, 1, 0, '{}', ?)`,
  );
  const highest = database.prepare('SELECT coalesce(max(id), 0) FROM taxonomy_term').raw().get() as unknown as number[];
  const first = new Map<string, number>();
  let id = (highest[0] as number) + 1;
  database.exec('BEGIN');
  for (const [bundle, count] of VOCABULARIES) {
    first.set(bundle, id);
    for (let number = 0; number < count; number++, id++) {
      const label = `${words[Math.floor(random() * words.length)]} ${words[Math.floor(random() * words.length)]} ${number}`;
      insert.run(id, uuidOf(1e9 + id), bundle, label, label);
    }
  }
  database.exec('COMMIT');
  return (bundle: string) => first.get(bundle) as number;
}

function fillAgents(database: Libsql.Database, firstPerson: number): number[] {
  const insert = database.prepare('INSERT INTO facet_value (text) VALUES (?)');
  database.exec('BEGIN');
  const ids = Array.from({ length: 20_000 }, (_, number) =>
    Number(insert.run(`${number % 3 === 0 ? 'relators:pht' : 'relators:aut'}|${firstPerson + number}`).lastInsertRowid),
  );
  database.exec('COMMIT');
  return ids;
}

function inTransactions(database: Libsql.Database, count: number, insert: (index: number) => void): void {
  for (let index = 0; index < count; index++) {
    if (index % ROWS_PER_TRANSACTION === 0) database.exec(index === 0 ? 'BEGIN' : 'COMMIT; BEGIN');
    insert(index);
  }
  database.exec('COMMIT');
}

function blobOf(groups: readonly (readonly [number, readonly number[]])[]): Buffer {
  const words = groups.flatMap(([number, values]) => (values.length === 0 ? [] : [number, values.length, ...values]));
  return Buffer.from(new Uint32Array(words).buffer);
}

function uuidOf(number: number): string {
  return `00000000-0000-4000-8000-${number.toString(16).padStart(12, '0')}`;
}

function pickerOf(first: number, count: number, random: () => number): () => number {
  const zipf = zipfOf(count, random);
  return () => first + zipf();
}
