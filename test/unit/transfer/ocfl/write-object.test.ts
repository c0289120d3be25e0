import { beforeEach, describe, expect, it } from 'bun:test';
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { $ } from 'bun';
import fc from 'fast-check';
import { folderNameOf, thisProcess } from '../../../../src/base/process-identity.ts';
import type { Package } from '../../../../src/transfer/files/package.ts';
import type { Inventory } from '../../../../src/transfer/ocfl/inventory.ts';
import { type OcflRoot, openOcflRoot } from '../../../../src/transfer/ocfl/ocfl-root.ts';
import { writeOcflObject } from '../../../../src/transfer/ocfl/write-object.ts';
import { emptyFolder } from '../../../support/empty-folder.ts';
import { goodObject, sha512, writeObject } from '../../../support/made-ocfl.ts';
import { contentOf, madeFile, madePackage, madeVersion } from '../../../support/made-package.ts';
import { readOcfl } from '../../../support/read-ocfl.ts';

let folder: string;
let opened: OcflRoot;
let root: string;
beforeEach(async () => {
  folder = join(await emptyFolder(), 'root');
  opened = await openOcflRoot(folder);
  root = opened.folder;
});

const at = (day: number, message = '') => ({ created: new Date(Date.UTC(2026, 0, day)), message });
const FIRST = madeVersion(
  { 'node.json': '1', 'files/a': 'bytes', 'files/b': 'bytes' },
  { ...at(1, 'made'), user: { name: 'Jane' } },
);
const SECOND = madeVersion({ 'node.json': '2', 'files/a': 'bytes' }, at(2, 'changed'));
const THIRD = madeVersion({ 'node.json': '3', 'files/c': 'more' }, at(3));

const readAll = async () => Promise.all((await Array.fromAsync(readOcfl(root))).map(contentOf));
const objectFolder = (source: Package) => join(root, opened.pathOf(source.identifier));
const inventoryOf = async (source: Package) =>
  JSON.parse(await readFile(join(objectFolder(source), 'inventory.json'), 'utf8')) as Inventory;

describe('a storage root', () => {
  it('declares its version and layout', async () => {
    expect(await readFile(join(root, '0=ocfl_1.1'), 'utf8')).toBe('ocfl_1.1\n');
    const layout = JSON.parse(await readFile(join(root, 'ocfl_layout.json'), 'utf8'));
    expect(layout.extension).toBe('0003-hash-and-id-n-tuple-storage-layout');
    const config = await readFile(join(root, `extensions/${layout.extension}/config.json`), 'utf8');
    expect(JSON.parse(config)).toEqual({
      extensionName: '0003-hash-and-id-n-tuple-storage-layout',
      digestAlgorithm: 'sha256',
      tupleSize: 3,
      numberOfTuples: 3,
    });
  });

  it.each([
    ['object-01', '3c0/ff4/240/object-01'],
    ['..hor/rib:le-$id', '487/326/d8c/%2e%2ehor%2frib%3ale-%24id'],
    ['Käthe', 'c80/fa5/85e/K%c3%a4the'],
  ])('stores %s at the path of its layout', (identifier, path) => expect(opened.pathOf(identifier)).toBe(path));

  it('shortens long identifiers to 100 characters and their digest', () => {
    const folderName = opened.pathOf('..Hor/rib:lè-$id'.repeat(20)).split('/').at(-1) ?? '';
    expect(folderName.slice(0, 100)).toBe(`${'%2e%2eHor%2frib%3al%c3%a8-%24id'.repeat(3)}%2e%2eH`);
    expect(folderName.slice(100)).toMatch(/^-[0-9a-f]{64}$/);
  });

  it('keeps the layout that earlier versions of the program gave it', async () => {
    const layout = '0004-hashed-n-tuple-storage-layout';
    await rm(join(root, 'extensions'), { recursive: true });
    await mkdir(join(root, 'extensions', layout), { recursive: true });
    await writeFile(join(root, 'ocfl_layout.json'), JSON.stringify({ extension: layout, description: 'x' }));
    const settings = { digestAlgorithm: 'sha256', tupleSize: 3, numberOfTuples: 3, shortObjectRoot: false };
    await writeFile(
      join(root, 'extensions', layout, 'config.json'),
      JSON.stringify({ extensionName: layout, ...settings }),
    );
    const { pathOf } = await openOcflRoot(root);
    expect(pathOf('object-01')).toBe('3c0/ff4/240/3c0ff4240c1e116dba14c7627f2319b58aa3d77606d0d90dfc6161608ac987d4');
    expect(JSON.parse(await readFile(join(root, 'ocfl_layout.json'), 'utf8')).extension).toBe(layout);
  });

  it('is reopened, and completed after an interrupted creation', async () => {
    await rm(join(root, '0=ocfl_1.1'));
    await openOcflRoot(root);
    await openOcflRoot(root);
    expect(await readAll()).toEqual([]);
  });

  it('is not created in a folder with other files', async () => {
    await rm(root, { recursive: true });
    await mkdir(root);
    await writeFile(join(root, 'thesis.doc'), 'x');
    await expect(openOcflRoot(root)).rejects.toThrow('is neither empty nor an OCFL storage root');
    expect(await readdir(root)).toEqual(['thesis.doc']);
  });

  it('is refused with another layout', async () => {
    await writeFile(join(root, 'ocfl_layout.json'), '{"extension":"0002-flat-direct-storage-layout"}');
    await expect(openOcflRoot(root)).rejects.toThrow('has another layout');
    await writeFile(join(root, 'ocfl_layout.json'), 'x');
    await expect(openOcflRoot(root)).rejects.toThrow('is not valid JSON');
  });

  it('removes unfinished objects of ended processes', async () => {
    const gone = folderNameOf({ ...thisProcess(), pid: 2 ** 22 + 1 });
    await mkdir(join(root, 'extensions', `.incomplete-${gone}.1`, 'object'), { recursive: true });
    await openOcflRoot(root);
    expect(await readdir(join(root, 'extensions'))).toEqual(['0003-hash-and-id-n-tuple-storage-layout']);
  });
});

describe('writeOcflObject', () => {
  it('writes all versions, and shared content once', async () => {
    const source = madePackage(FIRST, SECOND);
    expect(await writeOcflObject(opened, source)).toEqual({ folder: objectFolder(source), isNew: true, versions: 2 });
    const { manifest, versions, head, fixity } = await inventoryOf(source);
    expect(head).toBe('v2');
    expect(manifest).toEqual({
      [sha512('1')]: ['v1/content/node.json'],
      [sha512('bytes')]: ['v1/content/files/a'],
      [sha512('2')]: ['v2/content/node.json'],
    });
    expect(versions.v1).toEqual({
      created: '2026-01-01T00:00:00.000Z',
      message: 'made',
      user: { name: 'Jane' },
      state: { [sha512('1')]: ['node.json'], [sha512('bytes')]: ['files/a', 'files/b'] },
    });
    const sha256 = new Bun.CryptoHasher('sha256').update('bytes').digest('hex');
    expect(fixity?.sha256?.[sha256]).toEqual(['v1/content/files/a']);
    expect(await readAll()).toEqual([await contentOf(source)]);
    expect(await readdir(join(root, 'extensions'))).toEqual(['0003-hash-and-id-n-tuple-storage-layout']);
  });

  it('writes sidecars that sha512sum verifies, for the object and each version', async () => {
    const source = madePackage(FIRST, SECOND);
    await writeOcflObject(opened, source);
    for (const inside of ['.', 'v1', 'v2']) {
      const check = await $`sha512sum -c inventory.json.sha512`
        .cwd(join(objectFolder(source), inside))
        .quiet()
        .nothrow();
      expect(check.stdout.toString()).toBe('inventory.json: OK\n');
    }
    const early = JSON.parse(await readFile(join(objectFolder(source), 'v1/inventory.json'), 'utf8'));
    expect(early.head).toBe('v1');
    expect(Object.keys(early.versions)).toEqual(['v1']);
    expect(Object.keys(early.manifest).length).toBe(2);
  });

  it('returns the versions that were written', async () => {
    const path = fc.uniqueArray(fc.stringMatching(/^[a-zä%\n ][a-z0-9 ]{0,4}[a-z]$/), { minLength: 1, maxLength: 2 });
    const files = fc.dictionary(
      path.map((parts) => `d/${parts.join('-')}`),
      fc.uint8Array({ maxLength: 4 }),
      { maxKeys: 5 },
    );
    let count = 0;
    const round = fc.asyncProperty(fc.array(files, { minLength: 1, maxLength: 4 }), async (states) => {
      count += 1;
      const made = states.map((state, index) => madeVersion(state, at(index + 1)));
      const source = { identifier: `made:${count}`, versions: made };
      await writeOcflObject(opened, source);
      const [found] = await Array.fromAsync(readOcfl(objectFolder(source)));
      expect(await contentOf(found as Package)).toEqual(await contentOf(source));
    });
    await fc.assert(round, { numRuns: 25 });
  });

  it.each([
    ['other bytes', madeFile('abc', { bytes: 4 }), 'it must have 4'],
    ['another digest', madeFile('abc', { sha256: 'f'.repeat(64) }), 'it must be ffff'],
  ])('leaves nothing behind for %s', async (_what, file, reason) => {
    const source = madePackage(FIRST, { ...SECOND, files: new Map([['a', file]]) });
    await expect(writeOcflObject(opened, source)).rejects.toThrow(reason);
    expect(await readAll()).toEqual([]);
    expect((await readdir(root)).sort()).toEqual(['0=ocfl_1.1', 'extensions', 'ocfl_layout.json']);
    expect(await readdir(join(root, 'extensions'))).toHaveLength(1);
  });

  it.each(['../out', '/abs', 'a\\b'])('refuses the path %j', async (path) => {
    await expect(writeOcflObject(opened, madePackage(madeVersion({ [path]: 'x' })))).rejects.toThrow('invalid path');
  });

  it('leaves nothing after an abort', async () => {
    const stop = AbortSignal.abort(new Error('it was interrupted'));
    await expect(writeOcflObject(opened, madePackage(FIRST), stop)).rejects.toThrow('it was interrupted');
    expect(await readAll()).toEqual([]);
  });
});

describe('an existing object', () => {
  it('gets the missing versions', async () => {
    await writeOcflObject(opened, madePackage(FIRST));
    expect(await writeOcflObject(opened, madePackage(FIRST, SECOND, THIRD))).toMatchObject({
      isNew: false,
      versions: 2,
    });
    const whole = madePackage(FIRST, SECOND, THIRD);
    expect(await readAll()).toEqual([await contentOf(whole)]);
    expect((await inventoryOf(whole)).manifest[sha512('bytes')]).toEqual(['v1/content/files/a']);
  });

  it('matches the user of a version by address or by name', async () => {
    const by = (user: { name: string; address: string }) => ({ ...FIRST, user });
    await writeOcflObject(opened, madePackage(by({ name: 'Jane', address: 'urn:uuid:1' })));
    for (const user of [
      { name: 'Janet', address: 'urn:uuid:1' },
      { name: 'Jane', address: 'urn:uuid:2' },
    ])
      expect(await writeOcflObject(opened, madePackage(by(user)))).toMatchObject({ versions: 0 });
    const stranger = madePackage(by({ name: 'Janet', address: 'urn:uuid:2' }));
    await expect(writeOcflObject(opened, stranger)).rejects.toThrow('another history');
  });

  it('stays unchanged if it has all versions', async () => {
    const source = madePackage(FIRST, SECOND);
    await writeOcflObject(opened, source);
    const before = await $`find ${root} -type f -printf '%p %T@\n'`.text();
    expect(await writeOcflObject(opened, source)).toMatchObject({ versions: 0 });
    expect(await $`find ${root} -type f -printf '%p %T@\n'`.text()).toBe(before);
  });

  it('gets one more version for a change without a new version', async () => {
    await writeOcflObject(opened, madePackage(FIRST, SECOND));
    const renamed = madeVersion({ 'node.json': '2', 'files/a': 'bytes', 'terms/x': 'renamed' }, at(2, 'changed'));
    expect(await writeOcflObject(opened, madePackage(FIRST, renamed))).toMatchObject({ versions: 1 });
    expect(await writeOcflObject(opened, madePackage(FIRST, renamed, THIRD))).toMatchObject({ versions: 1 });
    expect((await readAll())[0]?.versions.map(({ message }) => message)).toEqual(['made', 'changed', 'changed', '']);
  });

  it('keeps earlier content that the package no longer has', async () => {
    await writeOcflObject(opened, madePackage(FIRST, SECOND));
    const without = madeVersion({ 'node.json': '1' }, { ...at(1, 'made'), user: { name: 'Jane' } });
    await writeOcflObject(opened, madePackage(without, madeVersion({ 'node.json': '2' }, at(2, 'changed')), THIRD));
    expect(await readAll()).toEqual([await contentOf(madePackage(FIRST, SECOND, THIRD))]);
  });

  it('is refused with another history', async () => {
    await writeOcflObject(opened, madePackage(FIRST));
    await expect(writeOcflObject(opened, madePackage(THIRD))).rejects.toThrow('has another history');
  });

  it('keeps its OCFL version, digest case, fixity and content folder', async () => {
    const { files, inventory } = goodObject();
    const id = 'foreign:1';
    const target = join(root, opened.pathOf(id));
    const text = JSON.stringify({ ...inventory, id })
      .replace('1.1/spec', '1.0/spec')
      .replaceAll('content', 'stuff')
      .replace('stuffDirectory', 'contentDirectory');
    const renamed = Object.fromEntries(
      Object.entries(files)
        .slice(1)
        .map(([path, content]) => [path.replace('content', 'stuff'), content]),
    );
    const upper = JSON.parse(text.replaceAll(/[0-9a-f]{128}/g, (digest) => digest.toUpperCase()));
    await writeObject(target, { inventory: upper, files: { ...renamed, '0=ocfl_object_1.0': 'ocfl_object_1.0\n' } });
    const [before] = await Array.fromAsync(readOcfl(target));
    const more = madeVersion({ 'text.txt': 'old', 'new.txt': 'newest' }, at(9));
    await writeOcflObject(opened, { identifier: id, versions: [...(before?.versions ?? []), more] });
    const [after] = await Array.fromAsync(readOcfl(target));
    expect((await contentOf(after as Package)).versions[2]?.files).toEqual(
      (await contentOf(madePackage(more))).versions[0]?.files as never,
    );
    const written = JSON.parse(await readFile(join(target, 'inventory.json'), 'utf8')) as Inventory;
    expect(written.type).toBe('https://ocfl.io/1.0/spec/#inventory');
    expect(written.manifest[sha512('newest')]).toEqual(['v3/stuff/new.txt']);
  });
});

describe('an object whose writer was killed', () => {
  const whole = madePackage(FIRST, SECOND, THIRD);

  /** The object with the versions of `whole`, and the inventories that it had with the first alone. */
  async function killedAt(restore: readonly string[], lost: readonly string[]): Promise<void> {
    await writeOcflObject(opened, madePackage(FIRST));
    const early = `${folder}-early`;
    await cp(objectFolder(whole), early, { recursive: true });
    await writeOcflObject(opened, whole);
    for (const name of restore) await cp(join(early, name), join(objectFolder(whole), name));
    for (const name of lost) await rm(join(objectFolder(whole), name), { recursive: true });
  }

  it.each([
    ['after its first new version was there', ['inventory.json', 'inventory.json.sha512'], ['v3']],
    ['after all new versions were there', ['inventory.json', 'inventory.json.sha512'], []],
    ['between the inventory and its sidecar', ['inventory.json.sha512'], []],
  ])('is repaired by the next export if it stopped %s', async (_when, restore, lost) => {
    await killedAt(restore, lost);
    await expect(readAll()).rejects.toThrow(/export again|its sidecar declares/);
    await writeOcflObject(opened, whole);
    expect(await readAll()).toEqual([await contentOf(whole)]);
  });

  it('is not repaired if only the newest version is incomplete', async () => {
    await killedAt(['inventory.json', 'inventory.json.sha512'], ['v3/inventory.json']);
    await expect(writeOcflObject(opened, whole)).rejects.toThrow('v3/inventory.json is missing');
  });
});
