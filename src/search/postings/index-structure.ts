/** The segments of a full-text index of FTS5, as its own tables have them ("Overview" of `fts5_index.c` of SQLite). */

/** A part of the index with words and rows of its own, in pages that are numbered. */
export interface Segment {
  readonly id: number;
  /** 0 for a segment whose rows have all moved to another one. */
  readonly firstPage: number;
}

/** The sums over all rows by which relevance is computed. */
export interface Averages {
  readonly rows: number;
  /** The words of a row on average. */
  readonly words: number;
}

const COOKIE_BYTES = 4;
/** What follows the cookie in an index whose rows can be deleted without their content. */
const VERSION_2 = 0xff000001;
/** The numbers of a segment: id, first and last page, first and last origin, pages and entries of tombstones, entries. */
const NUMBERS_OF_SEGMENT = 8;

/** Reads the structure record. Throws RangeError for a damaged one. */
export function readStructure(block: Uint8Array): Segment[] {
  const view = new DataView(block.buffer, block.byteOffset, block.byteLength);
  if (view.getUint32(COOKIE_BYTES) !== VERSION_2) throw new RangeError('the full-text index has an unknown structure');
  const numbers = varintsIn(block, COOKIE_BYTES * 2);
  const next = () => {
    const { value } = numbers.next();
    if (value === undefined) throw new RangeError('the structure of the full-text index is damaged');
    return value;
  };
  const levels = next();
  // The number of segments, and the counter of writes.
  next();
  next();
  const segments: Segment[] = [];
  let isMerged = false;
  for (let level = 0; level < levels; level++) {
    const merging = next();
    const count = next();
    // A merge writes to the next level, as FTS5 checks, too.
    if ((isMerged && count === 0) || (merging > 0 && level === levels - 1))
      throw new RangeError('the structure of the full-text index is damaged');
    isMerged = merging > 0;
    for (let left = count; left > 0; left--) {
      const [id = 0, firstPage = 0] = Array.from({ length: NUMBERS_OF_SEGMENT }, next);
      segments.push({ id, firstPage });
    }
  }
  return segments;
}

/** Reads the record of averages, which is empty for an index without rows. */
export function readAverages(block: Uint8Array): Averages {
  const [rows = 0, ...words] = varintsIn(block, 0);
  const all = words.reduce((sum, count) => sum + count, 0);
  return { rows, words: rows === 0 ? 1 : all / rows };
}

/** Yields the variable-length integers of SQLite from a place on. */
export function* varintsIn(bytes: Uint8Array, from: number): Generator<number, undefined> {
  for (let at = from; at < bytes.length; ) {
    let value = 0;
    let byte: number;
    do {
      byte = bytes[at++] ?? 0;
      value = value * 128 + (byte & 0x7f);
    } while (byte >= 0x80 && at < bytes.length);
    yield value;
  }
}

/** The bytes before the slots of a page of tombstones. */
const TOMBSTONE_HEADER_BYTES = 8;

/** Yields the ids of the rows that a page of tombstones names. */
export function* tombstonesIn(page: Uint8Array): Generator<number> {
  const view = new DataView(page.buffer, page.byteOffset, page.byteLength);
  const slotBytes = page[0] === 4 ? 4 : 8;
  for (let at = TOMBSTONE_HEADER_BYTES; at + slotBytes <= page.length; at += slotBytes) {
    const rowid = slotBytes === 4 ? view.getUint32(at) : Number(view.getBigUint64(at));
    if (rowid !== 0) yield rowid;
  }
}
