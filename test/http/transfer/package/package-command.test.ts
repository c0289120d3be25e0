import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, spyOn } from 'bun:test';
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { run } from '../../../../src/cli/run.ts';
import { emptyFolder } from '../../../support/empty-folder.ts';
import { type MadeEntry, madeZip } from '../../../support/made-zip.ts';
import { createTestRepository, type TestRepository } from '../../../support/test-repository.ts';

let folder: string;
let bags: string;
let source: TestRepository;
let target: TestRepository;
let lines: string[];
const spies = [spyOn(console, 'log'), spyOn(console, 'error'), spyOn(process.stderr, 'write')];

beforeAll(async () => {
  folder = await emptyFolder();
  bags = join(folder, 'bags');
  source = await createTestRepository();
  target = await createTestRepository();
  await source.node({ title: [{ value: 'One' }] });
  await source.node({ title: [{ value: 'Two' }] });
  await run(['export', '--bag', bags, '--data', source.dataFolder, '--quiet']);
}, 30_000);

afterAll(async () => {
  for (const spy of spies) spy.mockRestore();
  await source?.stop();
  await target?.stop();
});

beforeEach(() => {
  lines = [];
  for (const spy of spies)
    spy.mockImplementation((text: unknown) => {
      lines.push(String(text));
      return true;
    });
});

afterEach(() => {
  for (const spy of spies) spy.mockClear();
});

const load = (...args: string[]) => run(['import', ...args, '--data', target.dataFolder]);

describe('repo import of packages', () => {
  it('checks, loads, and loads nothing twice', async () => {
    expect(await load('--bag', bags, '--check')).toBe(0);
    expect(lines).toEqual(['2 packages with 0 files of 0 bytes can be loaded.']);
    lines = [];
    expect(await load('--bag', bags)).toBe(0);
    expect(lines).toEqual(['Loaded 2 nodes, 0 media, 0 new terms and 0 files of 0 bytes.']);
    lines = [];
    expect(await load('--bag', bags)).toBe(0);
    expect(lines.join()).toContain('2 packages are already loaded.');
  });

  it('takes one bag, in its folder or in a zip file', async () => {
    const [name = ''] = await readdir(bags);
    expect(await load('--bag', join(bags, name))).toBe(0);
    const zipped = join(folder, 'zipped');
    await mkdir(zipped);
    await writeFile(join(zipped, 'bag.zip'), madeZip(await entriesOf(bags, name)));
    await writeFile(join(zipped, 'notes.txt'), 'beside it');
    expect(await load('--bag', join(zipped, 'bag.zip'))).toBe(0);
    expect(await load('--bag', zipped)).toBe(0);
    expect(lines).toHaveLength(3);
  });

  it('takes all objects of a storage root whose folders are called the same', async () => {
    const nodes = [
      await source.node({ title: [{ value: 'Three' }] }),
      await source.node({ title: [{ value: 'Four' }] }),
    ];
    const ids = nodes.map(({ nid }) => nid[0].value).join(',');
    const root = join(folder, 'root');
    await run(['export', '--ocfl', root, '--node', ids, '--data', source.dataFolder, '--quiet']);
    const objects = (await readdir(root, { recursive: true })).filter((path) => path.endsWith('/0=ocfl_object_1.1'));
    const other = join(folder, 'other-layout');
    for (const [index, path] of objects.entries())
      await cp(join(root, dirname(path)), join(other, String(index), 'object'), { recursive: true });
    await cp(join(root, '0=ocfl_1.1'), join(other, '0=ocfl_1.1'));
    lines = [];
    expect(await load('--ocfl', other, '--quiet')).toBe(0);
    expect(lines).toEqual(['Loaded 2 nodes, 0 media, 0 new terms and 0 files of 0 bytes.']);
  });

  it('names the bag and the file that something is wrong with', async () => {
    const damaged = join(folder, 'damaged');
    await cp(bags, damaged, { recursive: true });
    const [name = ''] = await readdir(damaged);
    const node = join(damaged, name, 'data', 'node.json');
    await writeFile(node, (await readFile(node, 'utf8')).replace('"title"', '"titel"'));
    expect(await load('--bag', damaged)).toBe(1);
    expect(lines[0]).toStartWith(`${name}: `);
    expect(lines.join()).toContain('node.json');
    expect(lines.at(-1)).toBe('1 problem in 2 packages. Nothing was loaded.');
  });

  it('says what it did not understand', async () => {
    expect(await load()).toBe(2);
    expect(await load('nodes.csv', '--bag', bags)).toBe(2);
    expect(await load('--bag', bags, '--ocfl', bags)).toBe(2);
    expect(await load('--bag', bags, '--files', folder)).toBe(2);
    expect(lines.join('\n')).toContain('--files requires a table, and excludes --bag');
  });

  it('says where there are no packages', async () => {
    expect(await load('--bag', join(folder, 'nowhere'))).toBe(1);
    expect(await load('--ocfl', bags)).toBe(1);
    await mkdir(join(folder, 'empty'));
    expect(await load('--bag', join(folder, 'empty'))).toBe(1);
    expect(lines).toHaveLength(3);
    expect(lines[2]).toStartWith('No bags in ');
  });

  it('is for those who may administer content', async () => {
    await target.user('jane', 'content_editor');
    expect(await load('--bag', bags, '--user', 'jane')).toBe(1);
    expect(lines[0]).toContain('jane may not load packages');
    expect(await load('--bag', bags, '--user', 'jnae')).toBe(1);
    expect(lines[1]).toContain('did you mean jane?');
  });
});

/** Every file of a bag, below its folder. */
async function entriesOf(root: string, name: string): Promise<MadeEntry[]> {
  const found = await readdir(join(root, name), { recursive: true, withFileTypes: true });
  const files = found.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Promise.all(files.map(async (path) => ({ name: relative(root, path), content: await readFile(path) })));
}
