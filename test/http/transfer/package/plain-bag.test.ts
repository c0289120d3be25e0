import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, spyOn } from 'bun:test';
import { createHash } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from '../../../../src/cli/run.ts';
import { emptyFolder } from '../../../support/empty-folder.ts';
import { type BagFiles, manifestOf, withTags, writeFiles } from '../../../support/made-bag.ts';
import { PNG } from '../../../support/repository-routes.ts';
import { createTestRepository, type EntityJson, type TestRepository } from '../../../support/test-repository.ts';

/** A bag of plain files as bagit.py makes it. */
function plainBag(): BagFiles {
  const payload = {
    'letter.txt': 'Dear Margaret',
    'views/page10.png': PNG,
    'views/page2.png': Buffer.concat([PNG, Buffer.from('2')]),
    'views/notes.xyz': 'an unknown type',
  };
  const files: BagFiles = { 'bagit.txt': 'BagIt-Version: 0.97\nTag-File-Character-Encoding: UTF-8\n' };
  for (const [path, content] of Object.entries(payload)) files[`data/${path}`] = content;
  const bytes = Object.values(payload).reduce((sum, content) => sum + Buffer.byteLength(content), 0);
  files['bag-info.txt'] =
    `Bag-Software-Agent: bagit.py v1.8.1 <https://github.com/LibraryOfCongress/bagit-python>\nBagging-Date: 2026-11-28\nContact-Name: A Person\nPayload-Oxum: ${bytes}.4\n`;
  for (const algorithm of ['sha256', 'sha512'])
    files[`manifest-${algorithm}.txt`] = manifestOf(files, algorithm, (path) => path.startsWith('data/'));
  return withTags(files);
}

let folder: string;
let bag: string;
let plan: string;
let target: TestRepository;
let lines: string[];
const spies = [spyOn(console, 'log'), spyOn(console, 'error'), spyOn(process.stderr, 'write')];

beforeAll(async () => {
  folder = await emptyFolder();
  bag = await writeFiles(join(folder, 'scans'), plainBag());
  plan = join(folder, 'items.csv');
  target = await createTestRepository();
});

afterAll(async () => {
  for (const spy of spies) spy.mockRestore();
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

afterEach(async () => {
  for (const spy of spies) spy.mockClear();
  await rm(plan, { force: true });
});

const load = (...args: string[]) => run(['import', ...args, '--data', target.dataFolder]);
const sha256 = (path: string) =>
  createHash('sha256')
    .update(plainBag()[`data/${path}`] ?? '')
    .digest('hex');

describe('a bag of plain files', () => {
  it('is refused as a package, with the command that plans its items', async () => {
    expect(await load('--bag', bag)).toBe(1);
    expect(lines.join('\n')).toContain('repo import --bag BAG --plan items.csv');
  });

  it('becomes a table with an item for each file, which is loaded with the checksums of the bag', async () => {
    expect(await load('--bag', bag, '--plan', plan)).toBe(0);
    expect(lines).toEqual([
      expect.stringMatching(/items\.csv: 3 items with 3 files of /),
      'No media type accepts views/notes.xyz: left out.',
      `Edit the table if you wish, then import it: repo import ${plan} --files ${join(bag, 'data')}`,
    ]);
    expect(await readFile(plan, 'utf8')).toBe(
      `${[
        'id,parent_id,title,field_model,file,checksum,field_weight',
        `1,,letter,Digital Document,letter.txt,${sha256('letter.txt')},`,
        `2,,page2,Image,views/page2.png,${sha256('views/page2.png')},`,
        `3,,page10,Image,views/page10.png,${sha256('views/page10.png')},`,
      ].join('\n')}\n`,
    );
    lines = [];
    expect(await load(plan, '--files', join(bag, 'data'), '--quiet')).toBe(0);
    expect(lines[0]).toContain('Imported 3 nodes and 3 files of ');
    const node = (await (await target.get('/node/2?_format=json')).json()) as EntityJson;
    expect(node.title).toEqual([{ value: 'page2' }]);
  });

  it('becomes a table with an item for each folder, and its files as members in natural order', async () => {
    expect(await load('--bag', bag, '--plan', plan, '--folders-as-items')).toBe(0);
    const rows = (await readFile(plan, 'utf8')).trim().split('\n').slice(1);
    expect(rows.map((row) => row.replace(/,[0-9a-f]{64},/, ',…,'))).toEqual([
      '1,,letter,Digital Document,letter.txt,…,',
      '2,,views,Compound Object,,,',
      '3,2,page2,Image,views/page2.png,…,1',
      '4,2,page10,Image,views/page10.png,…,2',
    ]);
    lines = [];
    expect(await load(plan, '--files', join(bag, 'data'), '--quiet', '--check')).toBe(0);
  });

  it('is verified before its table is written', async () => {
    const damaged = await writeFiles(join(folder, 'damaged'), { ...plainBag(), 'data/letter.txt': 'Dear Margarex' });
    expect(await load('--bag', damaged, '--plan', plan)).toBe(1);
    expect(lines.join('\n')).toContain('letter.txt');
    expect(await readFile(plan, 'utf8').catch(() => 'none')).toBe('none');
  });

  it('overwrites no table', async () => {
    await writeFile(plan, 'mine');
    expect(await load('--bag', bag, '--plan', plan)).toBe(1);
    expect(await readFile(plan, 'utf8')).toBe('mine');
  });

  it.each([
    [['--plan', 'items.csv', 'nodes.csv'], '--plan requires --bag'],
    [['--bag', 'scans', '--folders-as-items'], '--folders-as-items requires --plan'],
  ])('needs its options together: %p', async (args, message) => {
    expect(await load(...args)).toBe(2);
    expect(lines.join('\n')).toContain(message);
  });
});
