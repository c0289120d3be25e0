import { beforeEach, describe, expect, it } from 'bun:test';
import { readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { readBag } from '../../../../src/transfer/bagit/read-bag.ts';
import { PackageError } from '../../../../src/transfer/files/package.ts';
import { DEFAULT_ZIP_LIMITS } from '../../../../src/transfer/zip/list-zip.ts';
import { emptyFolder } from '../../../support/empty-folder.ts';
import { type BagFiles, goodBag, withTags } from '../../../support/made-bag.ts';
import { filesOf } from '../../../support/made-package.ts';
import { type MadeEntry, madeZip } from '../../../support/made-zip.ts';

let path: string;
beforeEach(async () => {
  path = join(await emptyFolder(), 'some.zip');
});

const entriesOf = (files: BagFiles, more: Partial<MadeEntry> = {}): MadeEntry[] =>
  Object.entries(files).map(([name, content]) => ({ name, content, ...more }));

async function reading(entries: readonly MadeEntry[], limits = {}) {
  await writeFile(path, madeZip(entries));
  return readBag(path, { zipLimits: { ...DEFAULT_ZIP_LIMITS, ...limits } });
}

async function refusal(entries: readonly MadeEntry[], limits = {}): Promise<string> {
  const error = await reading(entries, limits).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(PackageError);
  return (error as Error).message;
}

describe('a bag in a zip file', () => {
  it.each([
    ['stored', {}],
    ['deflated', { isDeflated: true }],
    ['with its sizes behind its data', { isDeflated: true, hasDescriptor: true }],
    ['with Unix modes', { mode: 0o100644 }],
  ])('is read %s', async (_how, more) => {
    const { identifier, versions } = await reading(entriesOf(goodBag(), more));
    expect(identifier).toBe('some:id');
    const found = await filesOf(versions[0]?.files ?? new Map());
    expect(Object.values(found).map((text) => Buffer.from(text, 'base64').toString())).toEqual(['one', 'two']);
  });

  it('may be in a single folder, with entries for folders', async () => {
    const inside = Object.entries(goodBag()).map(([name, content]) => ({ name: `my bag/${name}`, content }));
    const { versions } = await reading([{ name: 'my bag/' }, ...inside, { name: 'my bag/data/deep/', mode: 0o040755 }]);
    expect([...(versions[0]?.files.keys() ?? [])]).toEqual(['a.txt', 'deep/b.txt']);
  });

  it('may have names in UTF-8 without a flag that says so', async () => {
    const { versions } = await reading(
      entriesOf(goodBag({ 'Käthe 東京.txt': 'x' }), { isUnmarked: true, mode: 0o100644 }),
    );
    expect([...(versions[0]?.files.keys() ?? [])]).toEqual(['Käthe 東京.txt']);
  });

  it('is named after the file if it has no identifier', async () => {
    const { 'bag-info.txt': _info, 'tagmanifest-sha256.txt': _tags, ...files } = goodBag();
    expect((await reading(entriesOf(files))).identifier).toBe('some');
  });

  it('keeps nested archives unchanged', async () => {
    const inner = madeZip([{ name: '../../evil', content: 'x' }]);
    const { versions } = await reading(entriesOf(goodBag({ 'inner.zip': inner })));
    expect(await filesOf(versions[0]?.files ?? new Map())).toEqual({ 'inner.zip': inner.toString('base64') });
  });

  it('is read without unpacking it to disk', async () => {
    await reading(entriesOf(goodBag(), { isDeflated: true }));
    expect(await readdir(dirname(path))).toEqual(['some.zip']);
  });
});

const VALID = entriesOf(goodBag());
const first = (name: string, change: Partial<MadeEntry>) =>
  VALID.map((entry) => (entry.name === name ? { ...entry, ...change } : entry));

describe('an invalid zip file', () => {
  it.each([
    ['a path that leads out', [...VALID, { name: '../evil', content: 'x' }], 'relative path'],
    ['a path that leads out later', [...VALID, { name: 'data/../../evil', content: 'x' }], 'relative path'],
    ['an absolute path', [...VALID, { name: '/evil', content: 'x' }], 'absolute path'],
    ['a drive', [...VALID, { name: 'C:evil', content: 'x' }], 'absolute path'],
    ['a backslash', [...VALID, { name: 'data\\..\\evil', content: 'x' }], 'invalid characters'],
    ['a home folder', [...VALID, { name: '~/evil', content: 'x' }], 'begins with ~'],
    ['a NUL', [...VALID, { name: 'data/a\0b', content: 'x' }], 'NUL'],
    ['a name that is not UTF-8', [...VALID, { name: Buffer.from([0x64, 0xff]), content: 'x' }], 'not UTF-8'],
    ['the same name twice', [...VALID, { name: 'data/a.txt', content: 'one' }], 'duplicate path '],
    [
      'names that differ in case',
      [...VALID, { name: 'data/A.TXT', content: 'x' }],
      'the same name on some file systems',
    ],
    ['a link', [...VALID, { name: 'data/link', content: '/etc/passwd', mode: 0o120777 }], 'a link or a device'],
    ['a device', [...VALID, { name: 'data/null', mode: 0o020666 }], 'a link or a device'],
    ['an encrypted entry', first('data/a.txt', { flags: 1, content: 'twelve bytes+one', bytes: 4 }), 'encrypted'],
    ['an unknown method', first('data/a.txt', { method: 12 }), 'it must be stored or deflated'],
    ['a folder with bytes', [...VALID, { name: 'data/x/', content: 'x' }], 'a folder with bytes'],
    ['a wrong checksum', first('data/a.txt', { crc: 1 }), 'its checksum differs from the declared one'],
    ['a wrong checksum behind the data', first('data/a.txt', { crc: 1, hasDescriptor: true }), 'its checksum'],
    ['other bytes', first('data/a.txt', { content: 'eno' }), 'the sha256 of "data/a.txt"'],
    ['no bag', [{ name: 'readme.txt', content: 'x' }], 'contains no bag'],
    ['nothing', [], 'contains no bag'],
  ] as [string, MadeEntry[], string][])('is refused for %s', async (_what, entries, said) => {
    expect(await refusal(entries)).toContain(said);
  });

  it('is refused for a file outside the folder of the bag', async () => {
    const inside = VALID.map((entry) => ({ ...entry, name: `bag/${entry.name}` }));
    expect(await refusal([...inside, { name: 'other/x', content: 'x' }])).toContain('it must contain only one bag');
  });

  it.each(['none at all', 'PK\x03\x04'])('is refused for the content %j', async (text) => {
    await writeFile(path, text);
    await expect(readBag(path)).rejects.toThrow('is an incomplete, invalid or unsafe zip archive');
  });

  it('is refused if any part of its end is missing', async () => {
    const whole = madeZip(VALID);
    for (const length of [whole.byteLength - 1, whole.byteLength - 30, 200, 1]) {
      await writeFile(path, whole.subarray(0, length));
      await expect(readBag(path)).rejects.toBeInstanceOf(PackageError);
    }
  });
});

describe('a zip bomb', () => {
  const zeros = (count: number) => entriesOf(goodBag({ zeros: Buffer.alloc(count) }), { isDeflated: true });

  it('is refused for its compression ratio', async () => {
    const announcing = entriesOf(goodBag({ zeros: Buffer.alloc(2_000) })).map((entry) =>
      entry.name === 'data/zeros' ? { ...entry, isDeflated: true, bytes: 70 * 1024 * 1024 } : entry,
    );
    expect(await refusal(announcing)).toContain('larger than 200 times its own size');
  });

  it('is refused for its unpacked size', async () => {
    expect(await refusal(zeros(2_000), { maxBytes: 1_000 })).toContain('larger than 1000 bytes when unpacked');
  });

  it('is refused for its number of entries', async () => {
    expect(await refusal(VALID, { maxEntries: 3 })).toContain('has more than 3 files');
  });

  it('is refused for entries that share their bytes', async () => {
    const shared = Array.from({ length: 20 }, (_none, index) => ({
      name: `data/${index}`,
      content: 'x'.repeat(1_000),
      sharesWith: 0,
    }));
    expect(await refusal([{ name: 'data/x', content: 'x'.repeat(1_000) }, ...VALID, ...shared])).toContain(
      'entries overlap',
    );
  });

  it('is stopped if it unpacks to more than it declares', async () => {
    const files = goodBag({ zeros: '\0'.repeat(5) });
    const entries = entriesOf(files).map((entry) =>
      entry.name === 'data/zeros' ? { ...entry, content: Buffer.alloc(5_000_000), isDeflated: true, bytes: 5 } : entry,
    );
    expect(await refusal(entries)).toContain('"data/zeros" is damaged');
  });

  it('is refused before unpacking if it exceeds the size in bag-info.txt', async () => {
    const files = withTags({ ...goodBag({ zeros: Buffer.alloc(1_000) }), 'bag-info.txt': 'Payload-Oxum: 10.1\n' });
    expect(await refusal(entriesOf(files, { isDeflated: true }))).toContain('its Payload-Oxum declares 10 in 1');
  });

  it('is refused for an oversized manifest', async () => {
    const files: BagFiles = { ...goodBag(), 'bagit.txt': Buffer.alloc(1_000_000) };
    expect(await refusal(entriesOf(files, { isDeflated: true }))).toContain('longer than 1024 bytes');
  });
});
