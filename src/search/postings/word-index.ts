import { getTableName, type SQL, sql } from 'drizzle-orm';
import type { Database } from '../../database/database.ts';
import { searchTexts } from '../../database/schema/search.ts';
import { type Named, plain, prepare } from '../../database/statement.ts';
import { type Doclist, findDoclist } from './find-doclist.ts';
import { type Averages, readAverages, readStructure, type Segment, tombstonesIn } from './index-structure.ts';
import type { IdSet } from './read-postings.ts';

/** The rows of a word in one segment. */
export interface SegmentRows {
  readonly doclist: Doclist;
  /** The rows of the segment that were deleted or replaced. */
  readonly dead: IdSet;
}

/** The rows of some words, all of one state of the index. */
export interface WordRows {
  /** In the order of the words: their segments. */
  readonly words: readonly (readonly SegmentRows[])[];
  readonly averages: Averages;
}

const table = (name: string): SQL => sql`${sql.identifier(`${getTableName(searchTexts)}_${name}`)}`;
const [DATA, IDX] = [table('data'), table('idx')];
const number = (value: number): SQL => sql.raw(String(value));

/** The ids of the records of the averages and of the structure. */
const AVERAGES = 1;
const STRUCTURE = 10;
/** The bits of the number of a page in the id of a record; those above are the id of its segment. */
const PAGE_BITS = number(37);
const PAGES_OF_SEGMENT = 2 ** 37;
/** The highest number of a page. */
const LAST_PAGE = number(2 ** 31 - 1);
/** What is added to the id of a segment for its tombstones. */
const TOMBSTONES = number(65_536);
/** Words of the index begin with a letter for the index of whole words. */
const MAIN_INDEX = '0';
/** The word of the rows that belong to none. */
const NO_WORD = -1;

/** The segments, one after another by the index of their words. */
const SEGMENTS = sql`WITH RECURSIVE segment(id) AS (
  SELECT min(segid) FROM ${IDX}
  UNION ALL SELECT (SELECT min(segid) FROM ${IDX} WHERE segid > segment.id) FROM segment WHERE segment.id IS NOT NULL)`;

// The index of a segment has the first words of its pages, each with the number of the page, which is shifted by a flag.
const findPages = prepare(({ words }: Named<{ words: string }>) =>
  plain(
    sql`${SEGMENTS}
      SELECT ${number(NO_WORD)} AS word, id, block FROM ${DATA} WHERE id IN (${number(AVERAGES)}, ${number(STRUCTURE)})
      UNION ALL SELECT word.key, page.id, page.block
        FROM json_each(${words}) word CROSS JOIN segment CROSS JOIN ${DATA} page
        WHERE segment.id IS NOT NULL AND page.id BETWEEN
          (segment.id << ${PAGE_BITS}) + coalesce((SELECT pgno >> 1 FROM ${IDX} WHERE segid = segment.id
            AND term <= CAST(word.value AS BLOB) ORDER BY term DESC LIMIT 1), 1)
          AND (segment.id << ${PAGE_BITS}) + coalesce((SELECT pgno >> 1 FROM ${IDX} WHERE segid = segment.id
            AND term > CAST(word.value AS BLOB) ORDER BY term LIMIT 1), ${LAST_PAGE})`,
    { word: sql<number>`word`, id: sql<number>`id`, block: sql<ArrayBuffer>`block` },
  ),
);

const findTombstones = prepare(() =>
  plain(
    sql`SELECT (id >> ${PAGE_BITS}) - ${TOMBSTONES}, block FROM ${DATA} WHERE id >= ${TOMBSTONES} << ${PAGE_BITS}`,
    { segment: sql<number>`segment`, block: sql<ArrayBuffer>`block` },
  ),
);

type PageRow = { readonly word: number; readonly id: number; readonly block: ArrayBuffer };

/** Reads the rows of words from the pages of the full-text index, in which SQLite would look for each row on its own. */
export class WordIndex {
  readonly #database: Database;
  /** The structure to which the segments and tombstones belong: it changes with every write. */
  #structure: Buffer | undefined;
  #segments: readonly Segment[] = [];
  #dead = new Map<number, IdSet>();

  constructor(database: Database) {
    this.#database = database;
  }

  /** Returns the rows of each word. Throws RangeError for a damaged index. */
  async find(words: readonly string[]): Promise<WordRows> {
    const asked = findPages({ words: JSON.stringify(words.map((word) => MAIN_INDEX + word)) });
    let pages = await this.#database.all(asked);
    if (this.#structure?.equals(recordOf(pages, STRUCTURE)) !== true) {
      const state = await this.#database.read({ pages: asked, tombstones: findTombstones() });
      pages = state.pages;
      this.#structure = undefined;
      const structure = recordOf(pages, STRUCTURE);
      // The pages of a segment whose rows have all moved to another one stay until the merge ends.
      this.#segments = readStructure(structure).filter(({ firstPage }) => firstPage > 0);
      this.#dead = deadRows(state.tombstones);
      this.#structure = structure;
    }
    const blocks = blocksOf(pages);
    return {
      words: words.map((word, index) => this.#rowsOf(Buffer.from(MAIN_INDEX + word), index, blocks)),
      averages: readAverages(recordOf(pages, AVERAGES)),
    };
  }

  #rowsOf(word: Uint8Array, index: number, blocks: ReadonlyMap<string, readonly Uint8Array[]>): SegmentRows[] {
    return this.#segments.flatMap(({ id }) => {
      const doclist = findDoclist(blocks.get(keyOf(index, id)) ?? [], word);
      return doclist === undefined ? [] : { doclist, dead: this.#dead.get(id) };
    });
  }
}

function recordOf(pages: readonly PageRow[], record: number): Buffer {
  const page = pages.find(({ word, id }) => word === NO_WORD && id === record);
  return Buffer.from(page?.block ?? new ArrayBuffer());
}

const keyOf = (word: number, segment: number) => `${word} ${segment}`;

/** Returns the pages of each word in each segment. Throws RangeError if one is missing. */
function blocksOf(pages: readonly PageRow[]): Map<string, Uint8Array[]> {
  const blocks = new Map<string, Uint8Array[]>();
  let previous = 0;
  for (const { word, id, block } of pages) {
    if (word === NO_WORD) continue;
    const key = keyOf(word, Math.floor(id / PAGES_OF_SEGMENT));
    const those = blocks.get(key);
    if (those === undefined) blocks.set(key, [new Uint8Array(block)]);
    else {
      if (id !== previous + 1) throw new RangeError('a page of the full-text index is missing');
      those.push(new Uint8Array(block));
    }
    previous = id;
  }
  return blocks;
}

function deadRows(pages: readonly { readonly segment: number; readonly block: ArrayBuffer }[]): Map<number, IdSet> {
  const ids = new Map<number, number[]>();
  for (const { segment, block } of pages) {
    const those = ids.get(segment) ?? [];
    for (const id of tombstonesIn(new Uint8Array(block))) those.push(id);
    ids.set(segment, those);
  }
  return new Map(Array.from(ids, ([segment, those]) => [segment, setOf(those)]));
}

function setOf(ids: readonly number[]): IdSet {
  const highest = ids.reduce((most, id) => Math.max(most, id), 0);
  const bits = new Uint32Array((highest >>> 5) + 1);
  for (const id of ids) bits[id >>> 5] = (bits[id >>> 5] as number) | (1 << (id & 31));
  return bits;
}
