import { beforeEach, describe, expect, it } from 'bun:test';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { $ } from 'bun';
import { bagNameOf, writeBag } from '../../../../src/transfer/bagit/write-bag.ts';
import type { Package } from '../../../../src/transfer/files/package.ts';
import { emptyFolder } from '../../../support/empty-folder.ts';
import { madeFile, madePackage, madeVersion } from '../../../support/made-package.ts';

const OPTIONS = { agent: 'repo 1.2.3', now: new Date('2026-11-22T10:00:00Z') };

let folder: string;
let bag: string;
beforeEach(async () => {
  folder = await emptyFolder();
  bag = join(folder, 'bag');
});

const text = (name: string) => readFile(join(bag, name), 'utf8');

describe('writeBag', () => {
  it('writes the last version, its manifests and metadata', async () => {
    const user = { name: 'Jane Doe', address: 'urn:uuid:1' };
    const last = madeVersion({ 'node.json': '{}', 'files/a b.txt': 'hello' }, { message: 'Two\nlines, 100%', user });
    await writeBag(bag, madePackage(madeVersion({ old: 'old' }), last), OPTIONS);
    expect((await readdir(bag)).sort()).toEqual([
      'bag-info.txt',
      'bagit.txt',
      'data',
      'manifest-sha256.txt',
      'tagmanifest-sha256.txt',
    ]);
    expect(await text('bagit.txt')).toBe('BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n');
    expect((await text('bag-info.txt')).trimEnd().split('\n')).toEqual([
      'Bag-Software-Agent: repo 1.2.3',
      'Bagging-Date: 2026-11-22',
      'External-Identifier: urn:uuid:6f1c8a52-0000-7000-8000-000000000001',
      'Bag-Size: 0 kB',
      'Payload-Oxum: 7.2',
      'Version-Created: 2026-11-22T01:02:03.000Z',
      'Version-Message: Two%0Alines, 100%25',
      'Version-User-Name: Jane Doe',
      'Version-User-Address: urn:uuid:1',
    ]);
    expect(await text('data/files/a b.txt')).toBe('hello');
    expect(await readdir(join(bag, 'data'))).not.toContain('old');
  });

  it('is verified by sha256sum', async () => {
    await writeBag(
      bag,
      madePackage(madeVersion({ a: 'x'.repeat(5_000), 'b/ü.bin': Buffer.from([0, 255, 10]) })),
      OPTIONS,
    );
    const payload = await $`sha256sum --strict -c manifest-sha256.txt`.cwd(bag).quiet().nothrow();
    const tags = await $`sha256sum --strict -c tagmanifest-sha256.txt`.cwd(bag).quiet().nothrow();
    expect({ payload: payload.exitCode, tags: tags.exitCode }).toEqual({ payload: 0, tags: 0 });
    expect(payload.stdout.toString().trim().split('\n')).toEqual(['data/a: OK', 'data/b/ü.bin: OK']);
    expect(tags.stdout.toString()).toContain('manifest-sha256.txt: OK');
  });

  it('percent-encodes line ends and percent signs in paths', async () => {
    await writeBag(bag, madePackage(madeVersion({ 'a\nb\rc%d': '1' })), OPTIONS);
    expect(await text('manifest-sha256.txt')).toMatch(/^[0-9a-f]{64} {2}data\/a%0Ab%0Dc%25d\n$/);
  });

  it('writes each value of bag-info.txt on one line', async () => {
    const last = madeVersion({ a: '1' }, { message: 'One\u2028two\u0085three\u000bfour\u001efive' });
    await writeBag(bag, madePackage(last), OPTIONS);
    expect(await text('bag-info.txt')).toContain('Version-Message: One two three four five\n');
  });

  it('writes an empty payload', async () => {
    expect(await writeBag(bag, madePackage(madeVersion({})), OPTIONS)).toEqual({ bytes: 0, count: 0 });
    expect(await readdir(join(bag, 'data'))).toEqual([]);
  });

  it('refuses an existing folder', async () => {
    await mkdir(bag);
    await expect(writeBag(bag, madePackage(madeVersion({ a: '1' })), OPTIONS)).rejects.toThrow('exists. Remove');
    expect(await readdir(bag)).toEqual([]);
  });

  it.each([
    ['other bytes', madeFile('abc', { bytes: 4 }), 'has 3 bytes; it must have 4'],
    ['another digest', madeFile('abc', { sha256: 'f'.repeat(64) }), 'it must be ffff'],
    ['a source that fails', madeFile('', { open: failing }), 'the source is gone'],
  ])('leaves nothing behind for %s', async (_what, file, reason) => {
    const version = {
      ...madeVersion({}),
      files: new Map([
        ['a', madeFile('fine')],
        ['b', file],
      ]),
    };
    await expect(writeBag(bag, madePackage(version), OPTIONS)).rejects.toThrow(reason);
    expect(await readdir(folder)).toEqual([]);
  });

  it.each(['../out', '/abs', 'a\\b', '~x'])('refuses the path %j', async (path) => {
    await expect(writeBag(bag, madePackage(madeVersion({ [path]: '1' })), OPTIONS)).rejects.toThrow('invalid path');
  });

  it('refuses names that collide on some file systems', async () => {
    const source = madePackage(madeVersion({ 'A.txt': '1', 'a.txt': '2' }));
    await expect(writeBag(bag, source, OPTIONS)).rejects.toThrow('the same name on some file systems');
  });

  it('publishes the bag when complete, and never after an abort', async () => {
    const stop = new AbortController();
    const seen: string[][] = [];
    const spying = madeFile('x', {
      async *open() {
        seen.push(await readdir(folder));
        stop.abort(new Error('it was interrupted'));
        yield Buffer.from('x');
      },
    });
    const version = {
      ...madeVersion({}),
      files: new Map([
        ['a', spying],
        ['b', madeFile('y')],
      ]),
    };
    const writing = writeBag(bag, madePackage(version), { ...OPTIONS, signal: stop.signal });
    await expect(writing).rejects.toThrow('it was interrupted');
    expect(seen.flat().every((name) => name.startsWith('.incomplete-'))).toBe(true);
    expect(await readdir(folder)).toEqual([]);
  });

  it('refuses a package without versions', () => {
    const empty: Package = { identifier: 'x', versions: [] };
    expect(() => writeBag(bag, empty, OPTIONS)).toThrow('has no version');
  });
});

describe('the name of a bag', () => {
  it.each([
    ['urn:uuid:6f1c8a52', '6f1c8a52'],
    ['http://example.org/a?b', 'http-example.org-a-b'],
    ['../..', 'bag'],
  ])('for %s is %s', (identifier, name) => {
    expect(bagNameOf(identifier)).toBe(name);
  });
});

// biome-ignore lint/correctness/useYield: it fails before there is anything to yield
async function* failing(): AsyncGenerator<Uint8Array> {
  throw new Error('the source is gone');
}
