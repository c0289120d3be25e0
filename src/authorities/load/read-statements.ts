import { EventEmitter } from 'node:events';
import { JsonLdParser } from 'jsonld-streaming-parser';
import { Parser, type Quad } from 'n3';
import { CommandError } from '../../base/errors.ts';
import { baseOf, contextOf } from './known-contexts.ts';
import { type RdfFile, readText } from './rdf-file.ts';

/** Statements of a file that were read together. `scope` tells blank nodes of equal labels apart, where they differ. */
export interface StatementBatch {
  readonly quads: readonly Quad[];
  readonly scope?: string;
}

/** Hears of a line that cannot be read. May throw, which ends the reading. */
export type OnBrokenLine = (line: number, reason: string) => void;

/** The lines of N-Triples that are parsed together. */
const CHUNK_CHARACTERS = 256 * 1024;
const MAX_LINE_CHARACTERS = 64 * 1024 * 1024;

/**
 * Reads the statements of a file in bounded memory. A broken line of N-Triples, or of JSON-LD with one document in each line, is
 * reported and left out; other files end at their first error. Throws CommandError then.
 */
export function readStatements(
  file: RdfFile,
  onBytes: (bytes: number) => void,
  onBroken: OnBrokenLine,
): AsyncGenerator<StatementBatch> {
  const text = readText(file, onBytes);
  if (file.syntax === 'N-Triples') return readTriples(file, text, onBroken);
  return file.syntax === 'Turtle' ? readTurtle(file, text) : readJson(file, text, onBroken);
}

/** Whole lines of a text, and the number of the first one. */
interface Lines {
  readonly text: string;
  readonly first: number;
}

async function* linesOf(file: RdfFile, text: AsyncGenerator<string>): AsyncGenerator<Lines> {
  let rest = '';
  let first = 1;
  for await (const chunk of text) {
    rest += chunk;
    if (rest.length < CHUNK_CHARACTERS) continue;
    const end = rest.lastIndexOf('\n') + 1;
    if (end === 0 && rest.length > MAX_LINE_CHARACTERS)
      throw new CommandError(`${file.path}: line ${first} is too long.`);
    if (end === 0) continue;
    const lines = rest.slice(0, end);
    yield { text: lines, first };
    first += countLines(lines);
    rest = rest.slice(end);
  }
  if (rest !== '') yield { text: rest, first };
}

function countLines(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}

async function* readTriples(file: RdfFile, text: AsyncGenerator<string>, onBroken: OnBrokenLine) {
  for await (const { text: lines, first } of linesOf(file, text)) {
    try {
      yield { quads: parseTriples(lines) };
    } catch {
      yield { quads: parseEachLine(lines, first, onBroken) };
    }
  }
}

function parseTriples(text: string): Quad[] {
  // Quads are a superset: some publish them under the name of triples. The labels of blank nodes stay as they are.
  return new Parser({ format: 'N-Quads', blankNodePrefix: '' }).parse(text);
}

function parseEachLine(lines: string, first: number, onBroken: OnBrokenLine): Quad[] {
  const quads: Quad[] = [];
  for (const [index, line] of lines.split('\n').entries()) {
    try {
      quads.push(...parseTriples(line));
    } catch (error) {
      onBroken(first + index, reasonOf(error));
    }
  }
  return quads;
}

/** Returns the message of a parser without its own line number, which counts from the chunk. */
function reasonOf(error: unknown): string {
  return (error as Error).message.replace(/ on line \d+\.?$/, '').replace(/\.$/, '');
}

async function* readTurtle({ path }: RdfFile, text: AsyncGenerator<string>): AsyncGenerator<StatementBatch> {
  const input = new EventEmitter();
  let quads: Quad[] = [];
  let failure: Error | undefined;
  new Parser({ format: 'Turtle', blankNodePrefix: '' }).parse(input as never, (error, quad) => {
    if (error) failure ??= error;
    else if (quad) quads.push(quad);
  });
  const take = () => {
    if (failure !== undefined) throw new CommandError(`${path}: ${failure.message}`, { cause: failure });
    const taken = quads;
    quads = [];
    return { quads: taken };
  };
  for await (const chunk of text) {
    if (chunk !== '') input.emit('data', chunk);
    yield take();
  }
  input.emit('end');
  yield take();
}

async function* readJson(
  file: RdfFile,
  text: AsyncGenerator<string>,
  onBroken: OnBrokenLine,
): AsyncGenerator<StatementBatch> {
  const { value: beginning = '', done } = await text.next();
  const whole = done ? noText() : joined(beginning, text);
  if (!hasDocumentInEachLine(beginning)) return yield* readDocument(file, whole);
  for await (const { text: lines, first } of linesOf(file, whole)) {
    for (const [index, line] of lines.split('\n').entries()) {
      const number = first + index;
      if (line.trim() === '') continue;
      try {
        yield { quads: await parseDocument(line), scope: `${number}-` };
      } catch (error) {
        onBroken(number, reasonOf(error));
      }
    }
  }
}

async function* joined(first: string, rest: AsyncGenerator<string>): AsyncGenerator<string> {
  yield first;
  yield* rest;
}

async function* noText(): AsyncGenerator<string> {}

/** Returns true for JSON in lines: the first line is a document, and the next one begins another. */
function hasDocumentInEachLine(beginning: string): boolean {
  const [first = '', second = ''] = beginning.trimStart().split('\n', 2);
  if (!first.startsWith('{') || !/^\s*(\{|$)/.test(second)) return false;
  try {
    JSON.parse(first);
    return true;
  } catch {
    return second.trim() !== '' && first.trimEnd().endsWith('}');
  }
}

/** Parses pieces of one document as they come. */
class DocumentParser {
  readonly #parser: JsonLdParser;
  #quads: Quad[] = [];
  #failure: Error | undefined;

  constructor(beginning: string) {
    this.#parser = new JsonLdParser({ documentLoader: { load: contextOf }, baseIRI: baseOf(beginning) });
    this.#parser.on('data', (quad: Quad) => void this.#quads.push(quad));
    this.#parser.on('error', (error: Error) => {
      this.#failure ??= error;
    });
  }

  async write(text: string): Promise<Quad[]> {
    await new Promise<void>((resolve) => this.#parser.write(text, () => resolve()));
    return this.#take();
  }

  async end(): Promise<Quad[]> {
    if (this.#failure === undefined) {
      const ended = Promise.withResolvers<void>();
      this.#parser.once('close', () => ended.resolve());
      this.#parser.end();
      await ended.promise;
    }
    return this.#take();
  }

  #take(): Quad[] {
    if (this.#failure !== undefined) throw this.#failure;
    const quads = this.#quads;
    this.#quads = [];
    return quads;
  }
}

async function parseDocument(text: string): Promise<Quad[]> {
  const parser = new DocumentParser(text);
  return [...(await parser.write(text)), ...(await parser.end())];
}

async function* readDocument({ path }: RdfFile, text: AsyncGenerator<string>): AsyncGenerator<StatementBatch> {
  let parser: DocumentParser | undefined;
  try {
    for await (const chunk of text) {
      parser ??= new DocumentParser(chunk);
      if (chunk !== '') yield { quads: await parser.write(chunk) };
    }
    if (parser !== undefined) yield { quads: await parser.end() };
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw new CommandError(`${path}: ${(error as Error).message}`, { cause: error });
  }
}
