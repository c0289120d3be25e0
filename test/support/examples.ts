import { readFile } from 'node:fs/promises';

/** One fenced block of a Markdown page. */
export interface Block {
  language: string;
  text: string;
  line: number;
}

/** The fenced blocks of a page, in order. */
export async function blocksOf(page: string): Promise<Block[]> {
  const text = await readFile(page, 'utf8');
  return [...text.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map((match) => ({
    language: match[1] as string,
    text: match[2] as string,
    line: text.slice(0, match.index).split('\n').length,
  }));
}

/** Commands with the output that the page promises for them. */
export function transcripts(blocks: Block[]): { commands: string; output: string; line: number }[] {
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
  /** What the reader has set. */
  env?: Record<string, string>;
}

/**
 * Runs commands as a reader would paste them, with the port of the service under test. Links are followed from one
 * answer to the next request, so it is only what comes out that names the reader's address again.
 */
export async function paste(commands: string, { cwd, port, path, env = {} }: Reader) {
  const service = `127.0.0.1:${port}`;
  const script = commands.replaceAll(/localhost:80[08]0/g, service);
  const options = { cwd, env: { ...process.env, ...env, PATH: path }, stderr: 'pipe' } as const;
  const child = Bun.spawn(['sh', '-eu', '-c', script], options);
  const [output, errors] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  return { code: await child.exited, output: output.replaceAll(service, 'localhost:8000'), errors };
}
