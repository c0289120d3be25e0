import { isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { codeOf } from '../../base/errors.ts';
import { TableError, tableProblem } from './row-plan.ts';

const CHUNK_BYTES = 256 * 1024;
const LINE_FEED = 0x0a;
const UTF8_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
const UTF16 = 'The table is UTF-16 ("Unicode text"). Save it as "CSV UTF-8".';
/** The first bytes of files that are often mistaken for a table, with advice. */
const NO_TABLES: readonly (readonly [Buffer, string])[] = [
  [Buffer.from([0xff, 0xfe]), UTF16],
  [Buffer.from([0xfe, 0xff]), UTF16],
  [Buffer.from([0xd0, 0xcf, 0x11, 0xe0]), 'The table is an old spreadsheet (.xls). Save it as .xlsx.'],
  [Buffer.from([0x1f, 0x8b]), 'The table is compressed (gzip). Unpack it first.'],
];

/** Observers of the reading of a table. */
export interface Reading {
  readonly signal?: AbortSignal | undefined;
  /** Called with all bytes of the file, in order. */
  readonly onBytes?: ((chunk: Uint8Array) => void) | undefined;
}

/**
 * Returns the text of a file as bytes, without its byte order mark. Throws TableError, with the line, for text that is
 * not UTF-8, for a NUL, and for an unreadable file; the signal's reason when it is aborted.
 */
export async function* tableBytes(file: string, { signal, onBytes }: Reading = {}): AsyncGenerator<Buffer> {
  let waiting: Buffer = Buffer.alloc(0);
  let line = 1;
  let isFirst = true;
  for await (const chunk of chunksOf(file)) {
    signal?.throwIfAborted();
    onBytes?.(chunk);
    const bytes = waiting.length === 0 ? chunk : Buffer.concat([waiting, chunk]);
    const text = isFirst ? withoutMark(bytes) : bytes;
    isFirst = false;
    const end = endOfCharacters(text);
    const whole = text.subarray(0, end);
    requireText(whole, line);
    yield whole;
    line += countLines(whole);
    waiting = text.subarray(end);
  }
  requireText(waiting, line);
}

async function* chunksOf(file: string): AsyncGenerator<Buffer> {
  const stream = createReadStream(file, { highWaterMark: CHUNK_BYTES });
  try {
    for await (const chunk of stream) yield chunk as Buffer;
  } catch (error) {
    const code = codeOf(error);
    if (code === undefined) throw error;
    const reason = code === 'ENOENT' ? 'no such file' : code === 'EISDIR' ? 'it is a folder' : code;
    throw new TableError(tableProblem(`Cannot read the table: ${reason}.`));
  } finally {
    stream.destroy();
  }
}

function withoutMark(bytes: Buffer): Buffer {
  if (bytes.subarray(0, UTF8_MARK.length).equals(UTF8_MARK)) return bytes.subarray(UTF8_MARK.length);
  const [, advice] = NO_TABLES.find(([start]) => bytes.subarray(0, start.length).equals(start)) ?? [];
  if (advice !== undefined || looksLikeUtf16(bytes)) throw new TableError(tableProblem(advice ?? UTF16));
  return bytes;
}

/** Returns true if every other byte is 0, as in two ASCII characters in UTF-16 of either byte order. */
function looksLikeUtf16([one, two, three, four]: Uint8Array): boolean {
  return (one === 0) !== (two === 0) && (one === 0) === (three === 0) && (two === 0) === (four === 0);
}

/** Returns the end of the last complete character. */
function endOfCharacters(bytes: Buffer): number {
  // A character has at most four bytes; all but the first begin with the bits 10.
  for (let back = 1; back <= 4 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back] as number;
    if ((byte & 0xc0) === 0x80) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

function requireText(bytes: Buffer, firstLine: number): void {
  const nul = bytes.indexOf(0);
  if (nul >= 0) throw badText(firstLine, bytes, nul, 'The file has a NUL character (U+0000), so that it is no text.');
  if (isUtf8(bytes)) return;
  // No byte within a character is a line feed, so that lines can be checked separately.
  let start = 0;
  for (;;) {
    const end = bytes.indexOf(LINE_FEED, start);
    if (end < 0 || !isUtf8(bytes.subarray(start, end))) break;
    start = end + 1;
  }
  const advice = 'It may be Windows-1252 or Latin-1: save it as "CSV UTF-8".';
  throw badText(firstLine, bytes, start, `The table is not UTF-8. ${advice}`);
}

function badText(firstLine: number, bytes: Buffer, at: number, message: string): TableError {
  const line = firstLine + countLines(bytes.subarray(0, at));
  return new TableError({ row: undefined, line, column: undefined, message });
}

function countLines(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(LINE_FEED); at >= 0; at = bytes.indexOf(LINE_FEED, at + 1)) count += 1;
  return count;
}
