import { describe, expect, it } from 'bun:test';
import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';

const FOLDER = resolve(import.meta.dir, '../../docs/decisions');

interface Row {
  readonly number: number;
  readonly file: string;
  readonly title: string;
  readonly status: string;
}

/** Returns the lines of the index. */
async function indexOf(): Promise<Row[]> {
  const text = await readFile(join(FOLDER, 'README.md'), 'utf8');
  return [...text.matchAll(/^\| \[(\d+)\]\((\S+)\) \| (.+?) \| (.+?) \|$/gm)].map(
    ([, number, file = '', title = '', status = '']) => ({ number: Number(number), file, title, status }),
  );
}

/** Returns the name of a record: three digits, and the words of its title. */
function fileOf(number: number, title: string): string {
  const words = title.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  return `${String(number).padStart(3, '0')}-${words.join('-')}.md`;
}

describe('the index of decisions', async () => {
  const rows = await indexOf();

  it('has each record once, by number', async () => {
    const files = (await readdir(FOLDER)).filter((name) => name !== 'README.md');
    expect(rows.map(({ file }) => file)).toEqual(files.sort());
    expect(new Set(rows.map(({ number }) => number)).size).toBe(rows.length);
  });

  it.each(rows)('has the title and the file name of decision $number', async ({ number, file, title }) => {
    const [heading] = (await readFile(join(FOLDER, file), 'utf8')).split('\n', 1);
    expect(heading).toBe(`# ${number}. ${title}`);
    expect(file).toBe(fileOf(number, title));
  });

  it.each(rows)('has a status of decision $number', ({ status }) => {
    expect(status).toMatch(/^(accepted|(accepted, in part )?replaced by \[\d+\]\(\S+\.md\))$/);
  });
});

describe('comments', async () => {
  const numbers = new Set((await indexOf()).map(({ number }) => number));
  const root = resolve(import.meta.dir, '../../src');
  const paths = await Array.fromAsync(new Bun.Glob('**/*.{ts,tsx,js}').scan(root));

  it('name decisions by numbers that exist', async () => {
    const wrong: string[] = [];
    for (const path of paths) {
      const text = await readFile(join(root, path), 'utf8');
      if (/\(decisions:|docs\/decisions/.test(text)) wrong.push(`${path}: a decision without a number`);
      for (const [, number] of text.matchAll(/\bdecision (\d+)/g))
        if (!numbers.has(Number(number))) wrong.push(`${path}: decision ${number}`);
    }
    expect(wrong).toEqual([]);
  });
});
