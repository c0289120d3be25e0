import { closeSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { hash } from 'bun';
import type { NodeTable, TableArrays, TableCounts } from './node-table.ts';

/** A file with a table of nodes as it was at a write, so that a start need not read all rows. */
export interface SnapshotPlace {
  readonly file: string;
  /** True for the thread that writes the file; all threads read it. */
  readonly isWritten: boolean;
}

/** What a file tells of its table. */
interface Header {
  /** As the database has it: only the latest file belongs to the database. */
  readonly token: string;
  readonly sequence: number;
  /** The terms of the models whose nodes are books, as a JSON list. */
  readonly bookTerms: string;
  readonly counts: TableCounts;
  /** The number of elements of each array. */
  readonly lengths: Readonly<Record<string, number>>;
  /** A hash of the arrays. */
  readonly hash: string;
}

/** The last write that a table includes, and the terms by which its books are marked. */
type TableState = Pick<Header, 'sequence' | 'bookTerms'>;

/** Changes with the layout of the file. */
const MAGIC = 'repo nodes 1\n';
const LENGTH_BYTES = 4;
const ALIGNMENT = 8;

/** Returns the sequence of a token; 0 for no token. */
export function sequenceOf(token: string | null): number {
  return Number(token?.split(':', 1)[0] ?? 0);
}

/** Writes a table to a file, and returns the token that makes the file valid once the database has it. */
export function writeSnapshot(file: string, table: NodeTable, { sequence, bookTerms }: TableState): string {
  const token = `${sequence}:${crypto.randomUUID()}`;
  const { counts, arrays } = table.save();
  const body = bodyOf(arrays);
  const lengths = Object.fromEntries(Object.entries(arrays).map(([name, { length }]) => [name, length]));
  const header: Header = { token, sequence, bookTerms, counts, lengths, hash: hashOf(body) };
  const text = Buffer.from(JSON.stringify(header));
  const size = Buffer.alloc(LENGTH_BYTES);
  size.writeUInt32LE(text.length);
  // One that is interrupted, or written by two processes, differs from its hash.
  const unfinished = `${file}.unfinished`;
  const handle = openSync(unfinished, 'w', 0o600);
  try {
    for (const part of [Buffer.from(MAGIC), size, text, body]) writeAll(handle, part);
  } finally {
    closeSync(handle);
  }
  renameSync(unfinished, file);
  return token;
}

/** Reads a table from a file. Returns undefined, and leaves the table as it is, for a missing, damaged or outdated file. */
export function readSnapshot(file: string, token: string, table: NodeTable): TableState | undefined {
  try {
    const bytes = readFileSync(file);
    const begin = MAGIC.length + LENGTH_BYTES;
    if (bytes.toString('latin1', 0, MAGIC.length) !== MAGIC) return undefined;
    const end = begin + bytes.readUInt32LE(MAGIC.length);
    const header: Header = JSON.parse(bytes.toString('utf8', begin, end));
    const body = bytes.subarray(end);
    const { counts, lengths, sequence, bookTerms } = header;
    const isOfTable = counts.collectionFacet === table.collectionFacet;
    if (header.token !== token || !isOfTable || header.hash !== hashOf(body)) return undefined;
    table.restore(counts, arraysOf(body, lengths));
    return { sequence, bookTerms };
  } catch {
    // The rows are read instead.
    return undefined;
  }
}

const ARRAYS = {
  ...{
    state: Uint8Array,
    bundle: Uint8Array,
    owner: Uint32Array,
    created: Uint32Array,
    from: Int16Array,
    to: Int16Array,
  },
  ...{ words: Uint16Array, start: Uint32Array, size: Uint16Array, values: Uint32Array },
  ...{ facetsOfValues: Uint32Array, valuesOfFacets: Uint32Array },
} as const satisfies { readonly [Name in keyof TableArrays]: unknown };

function bodyOf(arrays: TableArrays): Uint8Array {
  const all = Object.keys(ARRAYS).map((name) => arrays[name as keyof TableArrays]);
  const body = new Uint8Array(all.reduce((sum, { byteLength }) => sum + aligned(byteLength), 0));
  let at = 0;
  for (const { buffer, byteOffset, byteLength } of all) {
    body.set(new Uint8Array(buffer, byteOffset, byteLength), at);
    at += aligned(byteLength);
  }
  return body;
}

function arraysOf(body: Uint8Array, lengths: Header['lengths']): TableArrays {
  let at = 0;
  const arrays = Object.entries(ARRAYS).map(([name, Numbers]) => {
    const array = new Numbers(lengths[name] ?? 0);
    new Uint8Array(array.buffer).set(body.subarray(at, at + array.byteLength));
    at += aligned(array.byteLength);
    return [name, array];
  });
  return Object.fromEntries(arrays);
}

function aligned(bytes: number): number {
  return Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;
}

function hashOf(body: Uint8Array): string {
  return hash.xxHash64(body).toString(16);
}

function writeAll(handle: number, part: Uint8Array): void {
  for (let at = 0; at < part.length; ) at += writeSync(handle, part, at);
}
