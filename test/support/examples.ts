import { readFile } from 'node:fs/promises';

/** One fenced block of a Markdown page. */
export interface Block {
  language: string;
  text: string;
  line: number;
}

/** The fenced blocks of a page, in order; those within a list as well. */
export async function blocksOf(page: string): Promise<Block[]> {
  const text = await readFile(page, 'utf8');
  return [...text.matchAll(/^( *)```(\w+)\n([\s\S]*?)^\1```$/gm)].map((match) => ({
    language: match[2] as string,
    text: (match[3] as string).replaceAll(new RegExp(`^${match[1]}`, 'gm'), ''),
    line: text.slice(0, match.index).split('\n').length,
  }));
}

/** The indented blocks of a page, in order: commands and files without output. */
export async function indentedBlocksOf(page: string): Promise<string[]> {
  const text = (await readFile(page, 'utf8')).replaceAll(/^( *)```[\s\S]*?^\1```$/gm, '');
  return [...text.matchAll(/(?<=\n\n)(?: {4}.+\n)+/g)].map(([block]) => block.replaceAll(/^ {4}/gm, ''));
}

/** Commands with the output that the page promises for them. */
export interface Transcript {
  commands: string;
  output: string;
  line: number;
}

export function transcripts(blocks: Block[]): Transcript[] {
  return blocks.flatMap((block, index) => {
    const next = blocks[index + 1];
    if (block.language !== 'sh') return [];
    if (next?.language !== 'text') throw new Error(`line ${block.line}: no output stands below these commands`);
    return { commands: block.text, output: next.text, line: block.line };
  });
}

export interface Reader {
  cwd: string;
  port: number;
  path: string;
  /** The variables that the reader has set. */
  env?: Record<string, string>;
  /** The folders, ports and servers of this run by those of the page. */
  places?: Record<string, string>;
}

/** A text of a page, with the places of this run in their place. */
export function inPlace(text: string, places: Record<string, string> = {}): string {
  const names = Object.keys(places).toSorted((one, other) => other.length - one.length);
  if (names.length === 0) return text;
  // All at once: a real place may have the name of another in it.
  const pattern = new RegExp(names.map((name) => RegExp.escape(name)).join('|'), 'g');
  return text.replaceAll(pattern, (name) => places[name] as string);
}

/**
 * Runs commands as a reader would paste them, with the port of the service under test. Links are followed from one
 * answer to the next request, so it is only what comes out that names the reader's address again.
 */
export async function paste(commands: string, { cwd, port, path, env = {}, places = {} }: Reader) {
  const service = `127.0.0.1:${port}`;
  const script = inPlace(commands, places).replaceAll(/localhost:80[08]0/g, service);
  const options = { cwd, env: { ...process.env, ...env, PATH: path }, stderr: 'pipe' } as const;
  const child = Bun.spawn(['sh', '-eu', '-c', script], options);
  const [output, errors] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  const named = Object.fromEntries(Object.entries(places).map(([name, real]) => [real, name]));
  return { code: await child.exited, output: inPlace(output.replaceAll(service, 'localhost:8000'), named), errors };
}

/** The values that differ between runs or versions: times, the size of a database, the program's version. */
const VARYING = [
  /\d{4}-\d\d-\d\d[T ]\d\d:?\d\d:?\d\dZ/g,
  /(?<=database(?:,| of) )[\d.]+ [kM]B/g,
  /(?<= by repo )[\d.]+/g,
];

/**
 * What the page promises, if that came out: `…` stands for something that the page leaves out of a line. Else what came
 * out, to be shown beside it.
 */
export function asPromised(output: string, promised: string): string {
  const [found, wanted] = [output, promised].map((text) =>
    VARYING.reduce((result, varying) => result.replaceAll(varying, '<varying>'), text.replaceAll('\r', '').trimEnd()),
  ) as [string, string];
  const parts = wanted.split('…').map((part) => RegExp.escape(part));
  return new RegExp(`^${parts.join('.+')}$`).test(found) ? promised : output;
}
