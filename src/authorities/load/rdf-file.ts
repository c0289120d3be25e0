import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { createGunzip } from 'node:zlib';
import { CommandError } from '../../base/errors.ts';

/** A syntax of RDF. */
export type RdfSyntax = 'N-Triples' | 'Turtle' | 'JSON-LD';

/** A file with RDF, which may be compressed. */
export interface RdfFile {
  readonly path: string;
  readonly bytes: number;
  readonly syntax: RdfSyntax;
  readonly isCompressed: boolean;
}

const SYNTAX_OF_NAME: readonly (readonly [pattern: RegExp, syntax: RdfSyntax])[] = [
  [/\.(nt|ntriples|nq|nquads)$/i, 'N-Triples'],
  [/\.(ttl|turtle|n3)$/i, 'Turtle'],
  [/\.(jsonld|json|ndjson|jsonl)$/i, 'JSON-LD'],
];
/** The part of a file that shows its syntax. */
const BEGINNING_BYTES = 4_096;
const READ_BYTES = 256 * 1024;

/** Finds out the syntax of a file, by its name or else by its beginning. Throws CommandError for a file of another kind. */
export async function openRdfFile(path: string): Promise<RdfFile> {
  const file = await open(path);
  try {
    const stat = await file.stat();
    if (!stat.isFile()) throw new CommandError(`${path} is not a file.`);
    if (stat.size === 0) throw new CommandError(`${path} is empty.`);
    const magic = Buffer.alloc(2);
    await file.read(magic, 0, 2, 0);
    const isCompressed = magic[0] === 0x1f && magic[1] === 0x8b;
    const facts = { path, bytes: stat.size, isCompressed };
    const beginning = await beginningOf({ ...facts, syntax: 'N-Triples' });
    if (/^\s*<(\?xml|rdf:RDF|!DOCTYPE|html)/i.test(beginning))
      throw new CommandError(`${path} is XML. Convert it to N-Triples first, such as with: riot --output=nt FILE`);
    const name = path.replace(/\.gz$/i, '');
    const syntax = SYNTAX_OF_NAME.find(([pattern]) => pattern.test(name))?.[1] ?? syntaxOf(beginning);
    if (syntax === undefined)
      throw new CommandError(`${path} is not N-Triples, Turtle or JSON-LD: it begins with ${quoted(beginning)}.`);
    return { ...facts, syntax };
  } finally {
    await file.close();
  }
}

function syntaxOf(beginning: string): RdfSyntax | undefined {
  const text = beginning.replace(/^\s*(#.*\n\s*)*/, '');
  if (/^[[{]/.test(text)) return 'JSON-LD';
  if (/^@?(prefix|base)\b/i.test(text)) return 'Turtle';
  return /^(<|_:)/.test(text) ? 'N-Triples' : undefined;
}

function quoted(text: string): string {
  return JSON.stringify(text.trim().slice(0, 40));
}

async function beginningOf(file: RdfFile): Promise<string> {
  let text = '';
  for await (const chunk of readText(file, () => {})) {
    text += chunk;
    if (text.length >= BEGINNING_BYTES) break;
  }
  return text.slice(0, BEGINNING_BYTES).replace(/^\uFEFF/, '');
}

/**
 * Reads the text of a file piece by piece. `onBytes` gets the number of bytes of the file that were read so far. Throws
 * CommandError for a compressed file that is cut off or damaged.
 */
export async function* readText(
  { path, isCompressed }: RdfFile,
  onBytes: (bytes: number) => void,
): AsyncGenerator<string> {
  const source = createReadStream(path, { highWaterMark: READ_BYTES });
  let bytes = 0;
  source.on('data', (chunk) => {
    bytes += chunk.length;
    onBytes(bytes);
  });
  const stream = isCompressed ? source.pipe(createGunzip({ chunkSize: READ_BYTES })) : source;
  // `pipe` passes no errors on.
  source.on('error', (error) => stream.destroy(error));
  const decoder = new TextDecoder();
  try {
    for await (const chunk of stream) yield decoder.decode(chunk as Buffer, { stream: true });
    yield decoder.decode();
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? '';
    if (!isCompressed || !code.startsWith('Z_')) throw error;
    throw new CommandError(`${path} is cut off or damaged: its compressed data ends or changes at a wrong place.`, {
      cause: error,
    });
  } finally {
    source.destroy();
  }
}
