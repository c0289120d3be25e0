import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readBag } from '../../../../src/transfer/bagit/read-bag.ts';
import { writeBag } from '../../../../src/transfer/bagit/write-bag.ts';
import type { PackageFile } from '../../../../src/transfer/files/package.ts';
import { importPackages } from '../../../../src/transfer/package/import-packages.ts';
import { packageOf } from '../../../../src/transfer/package/package-of.ts';
import { emptyFolder } from '../../../support/empty-folder.ts';
import { withFiles } from '../../../support/made-package.ts';
import { loadContextOf } from '../../../support/table-site.ts';
import { createTestRepository, type TestRepository } from '../../../support/test-repository.ts';

const ORIGINAL_FILE = 'http://pcdm.org/use#OriginalFile';
const NAMES = [
  'K%C3%A4the%20M%C3%BCller-Service File.png',
  'Käthe Müller.png',
  '100%.png',
  '100%25.png',
  'a%2Fb.png',
  'a%0Ab%0D.png',
  'a%FFb.png',
  '%2e%2e.png',
  '%23 # 1.png',
  '頁 1.png',
  'CON.png',
  'con%2Epng.png',
  'Same.png',
  'same.png',
  '%53ame.png',
  'ideographic\u3000space.png',
];

let source: TestRepository;
let target: TestRepository;
let bag: string;

beforeAll(async () => {
  source = await createTestRepository();
  target = await createTestRepository();
  const { nid } = await source.node({ title: [{ value: 'Names' }] });
  const use = await source.termId(ORIGINAL_FILE);
  const { services } = source.running;
  for (const [index, name] of NAMES.entries()) {
    const upload = {
      'Content-Type': 'image/png',
      'Content-Location': Buffer.from(`public://${index}/${name}`).toString('latin1'),
    };
    // A media of its own for each: a second PUT would replace the first.
    const { status } = await source.put(`/node/${nid[0].value}/media/image/${use}`, `bytes ${index}`, upload, 'admin');
    if (status !== 201) throw new Error(`${name}: ${status}`);
    await services.database.write([
      { sql: "DELETE FROM reference WHERE source_type = 'media' AND field = 'field_media_use'", args: [] },
    ]);
  }
  // No upload can have these names; an older version may have stored them.
  const odd: [string, number][] = [
    ['line\u2028break.png', 1],
    ['.hidden.png', 2],
  ];
  for (const [name, id] of odd)
    await services.database.write([
      { sql: 'UPDATE file SET filename = ? WHERE uri LIKE ?', args: [name, `public://${id}/%`] },
    ]);
  bag = join(await emptyFolder(), 'bag');
  await exportTo(bag);
});
afterAll(async () => {
  await source?.stop();
  await target?.stop();
});

const WATCH = { isCheckOnly: false, signal: new AbortController().signal, onProgress: () => {} };

const packagesOf = (folder: string) =>
  async function* () {
    yield { name: folder, read: (signal: AbortSignal) => readBag(folder, { signal }) };
  };

async function filesOf({ running: { services } }: TestRepository): Promise<unknown[]> {
  const { rows } = await services.database.client.execute(
    "SELECT uuid, filename, uri, sha256 FROM file WHERE uri NOT LIKE '%/media-icons/%' ORDER BY uuid",
  );
  return rows.map((row) => Object.values(row));
}

const exportTo = async (folder: string) =>
  writeBag(folder, await packageOf(await loadContextOf(source), 1), { agent: 'repo', now: new Date() });

describe('a bag of files with odd names', () => {
  it('has names without % and control characters', async () => {
    const names = (await readdir(join(bag, 'data'), { recursive: true })).join('/');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must be missing
    expect(names).not.toMatch(/[%\u0000-\u001f\u007f-\u009f\u2028\u2029]/);
    for (const name of ['Käthe Müller-Service File.png', '100_.png', 'a_b.png', 'a_b_.png', 'a_FFb.png', '_png'])
      expect(names.split('/')).toContain(name);
  });

  it('lists each path as a validator finds it that decodes CR and LF only and strips lines', async () => {
    const manifest = await readFile(join(bag, 'manifest-sha256.txt'), 'utf8');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: Python ends lines at these
    const lines = manifest.trimEnd().split(/[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]/);
    expect(lines.filter((line) => line.includes('/files/')).length).toBe(2 * NAMES.length);
    for (const line of lines) {
      const [, path = ''] = /^\S+\s+(.*)$/s.exec(line.trim()) ?? [];
      expect({ path, isThere: existsSync(join(bag, path)) }).toEqual({ path, isThere: true });
    }
  });

  it('keeps the exact names and addresses of files through an import', async () => {
    const summary = await importPackages(await loadContextOf(target), packagesOf(bag), WATCH);
    expect(summary).toMatchObject({ problems: [], packages: 1 });
    expect(await filesOf(target)).toEqual(await filesOf(source));
  });

  it('is loaded although an older version wrote it, with % in its names', async () => {
    const old = join(await emptyFolder(), 'old');
    const found = await withFiles(await packageOf(await loadContextOf(source), 1), (files) => {
      const renamed: [string, PackageFile][] = [...files].map(([path, file]) => [
        path.replace('Käthe Müller-Service', 'K%C3%A4the%20M%C3%BCller-Service'),
        file,
      ]);
      files.clear();
      for (const [path, file] of renamed) files.set(path, file);
    });
    await writeBag(old, found, { agent: 'repo', now: new Date() });
    expect(await readFile(join(old, 'manifest-sha256.txt'), 'utf8')).toContain('/K%25C3%25A4the%2520M');
    const other = await createTestRepository();
    try {
      const summary = await importPackages(await loadContextOf(other), packagesOf(old), WATCH);
      expect(summary).toMatchObject({ problems: [], packages: 1 });
      expect(await filesOf(other)).toEqual(await filesOf(source));
    } finally {
      await other.stop();
    }
  });
});
