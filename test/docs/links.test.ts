import { describe, expect, it } from 'bun:test';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dir, '../..');

async function pagesIn(folder: string): Promise<string[]> {
  return (await readdir(join(ROOT, folder))).filter((name) => name.endsWith('.md')).map((name) => join(folder, name));
}

async function textOf(page: string): Promise<string> {
  return (await readFile(join(ROOT, page), 'utf8')).replaceAll(/^ *```[\s\S]*?^ *```$/gm, '');
}

/** Returns the anchors of a page's headings as GitHub generates them. */
async function anchorsOf(page: string): Promise<string[]> {
  return [...(await textOf(page)).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

describe('every page', async () => {
  const pages = [...(await pagesIn('.')), ...(await pagesIn('docs')), ...(await pagesIn('docs/decisions'))];

  it.each(pages)('links only to existing files and headings: %s', async (page) => {
    const broken: string[] = [];
    for (const [, target = ''] of (await textOf(page)).matchAll(/\]\(([^)]+)\)/g)) {
      if (/^https?:/.test(target)) continue;
      const [path = '', anchor] = target.split('#');
      const file = path === '' ? page : join(dirname(page), path);
      if (!existsSync(join(ROOT, file))) broken.push(target);
      else if (anchor !== undefined && !(await anchorsOf(file)).includes(anchor)) broken.push(target);
    }
    expect(broken).toEqual([]);
  });

  it.each(pages)('names only existing files: %s', async (page) => {
    const names = [...(await textOf(page)).matchAll(/`((?:src|test|config|drizzle)\/[\w/.-]+)`/g)].map(
      ([, name]) => name,
    );
    expect(names.filter((name) => !/NAME|NNNN/.test(name ?? '') && !existsSync(join(ROOT, name ?? '')))).toEqual([]);
  });

  it('is in the index', async () => {
    const index = await textOf('docs/README.md');
    const missing = (await pagesIn('docs')).filter((page) => page !== 'docs/README.md');
    expect(missing.filter((page) => !index.includes(`](${page.slice('docs/'.length)}`))).toEqual([]);
  });
});
