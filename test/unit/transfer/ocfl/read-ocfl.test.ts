import { beforeEach, describe, expect, it } from 'bun:test';
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PackageError } from '../../../../src/transfer/files/package.ts';
import type { Inventory } from '../../../../src/transfer/ocfl/inventory.ts';
import { emptyFolder } from '../../../support/empty-folder.ts';
import { type BagFiles, writeFiles } from '../../../support/made-bag.ts';
import {
  goodInventory,
  goodObject,
  inventoryFiles,
  sha512,
  writeObject,
  writeRoot,
} from '../../../support/made-ocfl.ts';
import { contentOf } from '../../../support/made-package.ts';
import { readOcfl } from '../../../support/read-ocfl.ts';

let folder: string;
beforeEach(async () => {
  folder = join(await emptyFolder(), 'ocfl');
});

const base64 = (text: string) => Buffer.from(text).toString('base64');
const EXPECTED = {
  identifier: 'ark:/12345/bcd987',
  versions: [
    {
      created: '2018-10-01T12:00:00.000Z',
      message: 'Initial import',
      user: { name: 'Alice', address: 'mailto:alice@example.org' },
      files: { 'foo/image.tiff': base64('image'), 'text.txt': base64('old') },
    },
    {
      created: '2018-11-02T12:00:00.000Z',
      message: '',
      user: undefined,
      files: { 'copy.tiff': base64('image'), 'foo/image.tiff': base64('image'), 'text.txt': base64('new') },
    },
  ],
};

const readAll = async (path: string) => Promise.all((await Array.fromAsync(readOcfl(path))).map(contentOf));

describe('readOcfl', () => {
  it('reads a single object from its folder', async () => {
    expect(await readAll(await writeObject(folder, goodObject()))).toEqual([EXPECTED]);
  });

  it('reads the objects of a storage root, and ignores other files', async () => {
    await writeRoot(folder, goodObject());
    const other = { ...goodObject(), inventory: { ...goodInventory(), id: 'other' } };
    await writeObject(join(folder, 'some/place'), other);
    await writeFile(join(folder, 'ocfl_1.1.md'), 'The specification');
    await mkdir(join(folder, 'extensions/x'), { recursive: true });
    await writeFile(join(folder, 'extensions/x/config.json'), '{}');
    expect((await readAll(folder)).map(({ identifier }) => identifier)).toEqual(['other', 'ark:/12345/bcd987']);
  });

  it('reads an OCFL 1.0 object with upper-case digests, logs and padded versions', async () => {
    const text = JSON.stringify(goodInventory())
      .replaceAll('v1', 'v001')
      .replaceAll('v2', 'v002')
      .replace('1.1/spec', '1.0/spec');
    const inventory = JSON.parse(text.replaceAll(/[0-9a-f]{128}/g, (digest) => digest.toUpperCase()));
    await writeFiles(folder, {
      ...inventoryFiles(inventory),
      '0=ocfl_object_1.0': 'ocfl_object_1.0\n',
      'v001/content/foo/image.tiff': 'image',
      'v001/content/text.txt': 'old',
      'v002/content/text.txt': 'new',
      'logs/log.txt': 'x',
      'extensions/y/z': 'x',
    });
    expect(await readAll(folder)).toEqual([EXPECTED]);
  });

  it('returns each object after its verification, including those before an invalid one', async () => {
    await writeRoot(folder, goodObject());
    await writeObject(join(folder, 'zzz'), { ...goodObject(), inventory: { ...goodInventory(), head: 'v3' } });
    const seen: string[] = [];
    const reading = async () => {
      for await (const { identifier } of readOcfl(folder)) seen.push(identifier);
    };
    await expect(reading()).rejects.toThrow('head is "v3"');
    expect(seen).toEqual(['ark:/12345/bcd987']);
  });

  it('verifies a file again whenever it is read', async () => {
    await writeObject(folder, goodObject());
    const [found] = await Array.fromAsync(readOcfl(folder));
    await writeFile(join(folder, 'v2/content/text.txt'), 'eww');
    const file = found?.versions[1]?.files.get('text.txt');
    await expect(Array.fromAsync(file?.open() ?? [])).rejects.toThrow('changed after its verification');
  });
});

type Change = (inventory: Inventory) => unknown;
const v1 = (inventory: Inventory) => inventory.versions.v1 as Inventory['versions'][string];

const BAD_INVENTORIES: [what: string, change: Change, said: string][] = [
  ['an unknown key', (whole) => ({ ...whole, extra: 1 }), 'unknown key extra'],
  ['no identifier', ({ id: _id, ...rest }) => rest, 'id is missing'],
  ['another type', (whole) => ({ ...whole, type: 'https://ocfl.io/2.0/spec/#inventory' }), 'type must be'],
  ['a weak algorithm', (whole) => ({ ...whole, digestAlgorithm: 'md5' }), 'digestAlgorithm must be sha512 or sha256'],
  ['another head', (whole) => ({ ...whole, head: 'v1' }), 'head is "v1"; it must be the last version, v2'],
  ['no versions', (whole) => ({ ...whole, versions: {} }), 'has no versions'],
  [
    'a gap in the versions',
    (whole) => ({ ...whole, head: 'v3', versions: { v1: v1(whole), v3: v1(whole) } }),
    'version "v3" must be v2',
  ],
  [
    'versions that do not begin with one',
    (whole) => ({ ...whole, versions: { v0: v1(whole), v2: v1(whole) } }),
    'must be v1',
  ],
  [
    'a version of another name',
    (whole) => ({ ...whole, versions: { ...whole.versions, final: v1(whole) } }),
    'must be',
  ],
  [
    'a time without a zone',
    (whole) => ({ ...whole, versions: { ...whole.versions, v1: { ...v1(whole), created: '2018-10-01T12:00:00' } } }),
    'created must be a time',
  ],
  [
    'an invalid date',
    (whole) => ({ ...whole, versions: { ...whole.versions, v1: { ...v1(whole), created: '2018-13-41T12:00:00Z' } } }),
    'which is no valid time',
  ],
  [
    'a user without a name',
    (whole) => ({ ...whole, versions: { ...whole.versions, v1: { ...v1(whole), user: {} } } }),
    'name is missing',
  ],
  ['a content folder that is a path', (whole) => ({ ...whole, contentDirectory: '../x' }), 'the name of one folder'],
  [
    'an invalid digest',
    (whole) => ({ ...whole, manifest: { ...whole.manifest, abc: ['v1/content/x'] } }),
    '"abc" must be a sha512',
  ],
  [
    'a digest twice',
    (whole) => ({ ...whole, manifest: { ...whole.manifest, [sha512('old').toUpperCase()]: ['v1/content/y'] } }),
    'duplicate digest ',
  ],
  [
    'content that leads out',
    (whole) => ({ ...whole, manifest: { ...whole.manifest, [sha512('old')]: ['v1/content/../../../x'] } }),
    'it has the part ..',
  ],
  [
    'content that is absolute',
    (whole) => ({ ...whole, manifest: { ...whole.manifest, [sha512('old')]: ['/etc/passwd'] } }),
    'it is absolute',
  ],
  [
    'content outside its folder',
    (whole) => ({ ...whole, manifest: { ...whole.manifest, [sha512('old')]: ['v1/text.txt'] } }),
    'must begin with a version and content/',
  ],
  [
    'content of a missing version',
    (whole) => ({ ...whole, manifest: { ...whole.manifest, [sha512('old')]: ['v7/content/text.txt'] } }),
    'must begin with a version',
  ],
  [
    'a state that leads out',
    (whole) => ({
      ...whole,
      versions: { ...whole.versions, v1: { ...v1(whole), state: { [sha512('old')]: ['../x'] } } },
    }),
    'it has the part ..',
  ],
  [
    'two files of one name',
    (whole) => ({
      ...whole,
      versions: {
        ...whole.versions,
        v1: { ...v1(whole), state: { [sha512('old')]: ['a'], [sha512('image')]: ['a'] } },
      },
    }),
    'duplicate path "a"',
  ],
  [
    'a file in a file',
    (whole) => ({
      ...whole,
      versions: { ...whole.versions, v1: { ...v1(whole), state: { [sha512('old')]: ['a', 'a/b'] } } },
    }),
    'the same name',
  ],
  [
    'a state that is not in the manifest',
    (whole) => ({
      ...whole,
      versions: { ...whole.versions, v1: { ...v1(whole), state: { [sha512('none')]: ['a'] } } },
    }),
    'the manifest lacks',
  ],
  [
    'content in no version',
    (whole) => ({ ...whole, manifest: { ...whole.manifest, [sha512('x')]: ['v1/content/x'] } }),
    'no version has',
  ],
  [
    'content that is missing',
    (whole) => ({
      ...whole,
      manifest: { ...whole.manifest, [sha512('image')]: ['v1/content/foo/image.tiff', 'v1/content/gone'] },
    }),
    'which is missing',
  ],
  [
    'wrong fixity',
    (whole) => ({ ...whole, fixity: { md5: { ['0'.repeat(32)]: ['v1/content/text.txt'] } } }),
    'the md5 of "v1/content/text.txt"',
  ],
  [
    'fixity of missing content',
    (whole) => ({ ...whole, fixity: { md5: { ['0'.repeat(32)]: ['v1/content/none'] } } }),
    'the manifest lacks',
  ],
];

const BAD_FILES: [what: string, files: BagFiles, said: string][] = [
  ['other bytes', { 'v1/content/text.txt': 'odd' }, 'the sha512 of "v1/content/text.txt"'],
  ['an extra file', { 'v1/content/more': 'x' }, 'inventory.json does not list "v1/content/more"'],
  ['a file beside the versions', { 'notes.txt': 'x' }, 'inventory.json does not list "notes.txt"'],
  ['a file beside the content', { 'v1/notes.txt': 'x' }, 'inventory.json does not list "v1/notes.txt"'],
  ['an extra version', { 'v3/content/x': 'x' }, 'inventory.json does not list "v3/content/x"'],
  ['a declaration with other content', { '0=ocfl_object_1.1': 'ocfl_object_1.0' }, 'it must be "ocfl_object_1.1\\n"'],
  ['two declarations', { '0=ocfl_object_1.0': 'ocfl_object_1.0\n' }, 'it must have one file'],
  ['a changed inventory', { 'inventory.json': `${JSON.stringify(goodInventory())} ` }, 'its sidecar declares'],
  ['a sidecar of prose', { 'inventory.json.sha512': 'all is well' }, 'it must be a digest, a space'],
  ['an inventory that is not JSON', { 'inventory.json': '{' }, 'is not valid JSON'],
  ['an inventory that is not an object', { 'inventory.json': '[]' }, 'must be a map'],
  [
    'an inventory of a version that is not the head',
    { ...inventoryFiles({ ...goodInventory(), id: 'other' }, 'v1/') },
    'id must be ark:/12345/bcd987',
  ],
  ['an inventory of a version with another head', inventoryFiles(goodInventory(), 'v1/'), 'head must be v1'],
  [
    'another inventory of the head',
    inventoryFiles({ ...goodInventory(), contentDirectory: undefined }, 'v2/'),
    'must be the same as',
  ],
  ['a sidecar without its inventory', { 'v1/inventory.json.sha512': 'x' }, 'is missing, but has a sidecar'],
  ['a second sidecar', { 'v2/inventory.json.sha256': 'x' }, 'several sidecars'],
];

describe('an invalid object', () => {
  const refusal = async () => {
    const error = await readAll(folder).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(PackageError);
    return (error as Error).message;
  };

  it.each(BAD_INVENTORIES)('is refused for %s in its inventory', async (_what, change, said) => {
    await writeObject(folder, { ...goodObject(), inventory: change(goodInventory()) as Inventory });
    expect(await refusal()).toContain(said);
  });

  it.each(BAD_FILES)('is refused for %s', async (_what, files, said) => {
    const object = goodObject();
    await writeObject(folder, { ...object, files: { ...object.files, ...files } });
    expect(await refusal()).toContain(said);
  });

  it('is refused if an earlier version differs from the inventory', async () => {
    const inventory = goodInventory();
    const earlier = {
      ...inventory,
      head: 'v1',
      manifest: { [sha512('old')]: ['v1/content/text.txt'] },
      versions: { v1: { ...v1(inventory), state: { [sha512('old')]: ['text.txt'] } } },
    };
    const object = goodObject();
    await writeObject(folder, { ...object, files: { ...object.files, ...inventoryFiles(earlier, 'v1/') } });
    expect(await refusal()).toContain("the state of v1 differs from that in the object's inventory");
  });

  it.each(['inventory.json', 'inventory.json.sha512', 'v2/content/text.txt', '0=ocfl_object_1.1'])(
    'is refused without %s',
    async (name) => {
      await writeRoot(folder, goodObject());
      await rm(join(folder, 'some/where', name));
      expect(await refusal()).toMatch(/missing|belongs to no object/);
    },
  );

  it.each(['v1/content/link', 'link', 'v1/link'])('is refused for the link %s', async (name) => {
    await writeObject(folder, goodObject());
    await symlink('/etc/passwd', join(folder, name));
    expect(await refusal()).toContain('is a link');
  });
});

describe('an invalid storage root', () => {
  it.each([
    ['a file among the objects', { 'some/notes.txt': 'x' }, 'belongs to no object'],
    [
      'an object of a version that is not known',
      { 'later/0=ocfl_object_2.0': 'ocfl_object_2.0\n' },
      'it must have one file named',
    ],
    ['a declaration with other content', { '0=ocfl_1.1': 'OCFL' }, 'it must be "ocfl_1.1\\n"'],
    ['two declarations', { '0=ocfl_1.0': 'ocfl_1.0\n' }, 'it must have one file'],
  ] as [string, BagFiles, string][])('is refused for %s', async (_what, files, said) => {
    await writeRoot(folder, goodObject());
    await writeFiles(folder, files);
    await expect(readAll(folder)).rejects.toThrow(said);
  });

  it('is refused for a folder that is neither a root nor an object', async () => {
    await mkdir(folder);
    await expect(readAll(folder)).rejects.toThrow('has no declaration');
  });

  it('is refused for a link to an object', async () => {
    await writeRoot(folder, goodObject());
    await symlink('where', join(folder, 'some/link'));
    await expect(readAll(folder)).rejects.toThrow('is a link or a device');
  });
});
