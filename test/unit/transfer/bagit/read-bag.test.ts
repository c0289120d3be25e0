import { beforeEach, describe, expect, it } from 'bun:test';
import { mkdir, readFile, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { $ } from 'bun';
import fc from 'fast-check';
import { readBag } from '../../../../src/transfer/bagit/read-bag.ts';
import { writeBag } from '../../../../src/transfer/bagit/write-bag.ts';
import { PackageError } from '../../../../src/transfer/files/package.ts';
import { emptyFolder } from '../../../support/empty-folder.ts';
import { type BagFiles, goodBag, manifestOf, withTags, writeFiles } from '../../../support/made-bag.ts';
import { contentOf, filesOf, madePackage, madeVersion } from '../../../support/made-package.ts';

let bag: string;
beforeEach(async () => {
  bag = join(await emptyFolder(), 'bag');
});

/** Reads a bag of these files. */
const reading = async (files: BagFiles) => readBag(await writeFiles(bag, files));
const textsIn = (files: Record<string, string>) =>
  Object.fromEntries(Object.entries(files).map(([path, text]) => [path, Buffer.from(text).toString('base64')]));
const isPayload = (path: string) => path.startsWith('data/');

describe('a bag written by this program', () => {
  it('is read as the original package', async () => {
    const about = { message: 'Two\r\nlines; 100%, %0A', user: { name: 'Jåne: Doe', address: 'urn:uuid:1' } };
    const source = madePackage(madeVersion({ 'a/b.txt': 'hello', 'ü 50%.txt': '', 'a\nb': 'x' }, about));
    await writeBag(bag, source, { agent: 'repo', now: new Date() });
    expect(await contentOf(await readBag(bag))).toEqual(await contentOf(source));
  });

  it('is read with its original files', async () => {
    const name = fc.stringMatching(/^[a-zäß%\n ,'"=;&-][a-z0-9._ %-]{0,12}$/).filter((text) => text.trim() === text);
    const path = fc.uniqueArray(name, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/'));
    const files = fc.dictionary(path, fc.uint8Array({ maxLength: 3_000 }), { maxKeys: 6 });
    const text = fc.string({ unit: 'grapheme', maxLength: 30 }).filter((each) => each.trim() === each);
    let count = 0;
    const round = fc.asyncProperty(files, text, async (contents, message) => {
      const source = madePackage(madeVersion(contents, { message }));
      const target = `${bag}-${++count}`;
      try {
        await writeBag(target, source, { agent: 'repo', now: new Date() });
      } catch (error) {
        // Names that are one on some disks, as a and a/b.
        fc.pre(!(error instanceof PackageError));
        throw error;
      }
      expect(await contentOf(await readBag(target))).toEqual(await contentOf(source));
    });
    await fc.assert(round, { numRuns: 40 });
  });
});

describe('a bag created by other software', () => {
  it('is read without bag-info.txt and tag manifests, and named after its folder', async () => {
    const { 'bag-info.txt': _info, 'tagmanifest-sha256.txt': _tags, ...files } = goodBag();
    const { identifier, versions } = await reading(files);
    expect(identifier).toBe('bag');
    expect(versions[0]?.created).toEqual(new Date(0));
    expect(await filesOf(versions[0]?.files ?? new Map())).toEqual(textsIn({ 'a.txt': 'one', 'deep/b.txt': 'two' }));
  });

  it.each(['md5', 'sha1', 'sha512'])('may have manifests of %s only', async (algorithm) => {
    const { 'manifest-sha256.txt': _one, 'tagmanifest-sha256.txt': _two, ...files } = goodBag();
    files[`manifest-${algorithm}.txt`] = manifestOf(files, algorithm, isPayload);
    const { versions } = await reading(files);
    expect(versions[0]?.files.get('a.txt')?.sha256).toBe(new Bun.CryptoHasher('sha256').update('one').digest('hex'));
  });

  it.each(['\r\n', '\r'])('may end its lines with %j and fold them', async (end) => {
    const files = goodBag();
    files['bag-info.txt'] = 'Source-Organization: A\n   library\nexternal-identifier:  x:1\nBagging-Date: 2020-01-02\n';
    for (const name of ['bagit.txt', 'bag-info.txt', 'manifest-sha256.txt'])
      files[name] = String(files[name]).replaceAll('\n', end);
    const { identifier, versions } = await reading(withTags(files));
    expect(identifier).toBe('x:1');
    expect(versions[0]?.created).toEqual(new Date('2020-01-02'));
  });

  it('may follow an earlier draft, with asterisks and bare percent signs in manifests', async () => {
    const files = goodBag({ '50%25.txt': 'x' });
    files['bagit.txt'] = 'BagIt-Version: 0.97\nTag-File-Character-Encoding: UTF-8\n';
    files['manifest-sha256.txt'] = String(files['manifest-sha256.txt']).replace('  data', ' *data');
    const { versions } = await reading(withTags(files));
    expect([...(versions[0]?.files.keys() ?? [])]).toEqual(['50%25.txt']);
  });

  it('may have asterisks and ./ before the paths in its manifests', async () => {
    const files = goodBag();
    const lines = String(files['manifest-sha256.txt']).split('\n');
    files['manifest-sha256.txt'] = [
      lines[0]?.replace('  data', ' *data'),
      lines[1]?.replace('  data', '  ./data'),
      '',
    ].join('\n');
    const tagged = withTags(files);
    tagged['tagmanifest-sha256.txt'] = String(tagged['tagmanifest-sha256.txt']).replaceAll('  ', '  ./');
    const { versions } = await reading(tagged);
    expect([...(versions[0]?.files.keys() ?? [])]).toEqual(['a.txt', 'deep/b.txt']);
  });

  it.each(['NFC', 'NFD'] as const)('may have names in another Unicode form than its manifests: %s', async (form) => {
    const files = goodBag({ ['Käthe.txt'.normalize(form)]: 'x' });
    files['manifest-sha256.txt'] = String(files['manifest-sha256.txt']).normalize(form === 'NFC' ? 'NFD' : 'NFC');
    const { versions } = await reading(withTags(files));
    expect([...(versions[0]?.files.keys() ?? [])]).toEqual(['Käthe.txt'.normalize(form)]);
  });

  it('may not list one file in two Unicode forms', async () => {
    const files = goodBag({ ['Käthe.txt'.normalize('NFC')]: 'x' });
    const line = String(files['manifest-sha256.txt']);
    files['manifest-sha256.txt'] = line + line.normalize('NFD');
    await expect(reading(withTags(files))).rejects.toThrow('lists "data/Käthe.txt" twice');
  });

  it.each(['', '\n'])('may have a fetch.txt without files: %j', async (text) => {
    expect((await reading(withTags({ ...goodBag(), 'fetch.txt': text }))).identifier).toBe('some:id');
  });

  it('is verified again whenever a file is read', async () => {
    const { versions } = await reading(goodBag());
    await writeFile(join(bag, 'data/a.txt'), 'two');
    const file = versions[0]?.files.get('a.txt');
    await expect(Array.fromAsync(file?.open() ?? [])).rejects.toThrow('was changed after its verification');
  });
});

/** Changes of a valid bag, and the expected error. */
const BAD: [what: string, spoil: (files: BagFiles) => BagFiles, said: string][] = [
  ['no bagit.txt', (files) => without(files, 'bagit.txt'), 'has no bagit.txt'],
  ['a bagit.txt of one line', (files) => ({ ...files, 'bagit.txt': 'BagIt-Version: 1.0\n' }), 'two lines'],
  ['a version of later', declared('BagIt-Version: 2.0\nTag-File-Character-Encoding: UTF-8\n'), 'BagIt version 2.0'],
  ['another encoding', declared('BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-16\n'), 'it must be UTF-8'],
  ['a byte order mark', declared('\ufeffBagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n'), 'two lines'],
  ['a huge bagit.txt', declared('x'.repeat(5_000)), 'longer than 1024 bytes'],
  ['no manifest', (files) => without(files, 'manifest-sha256.txt', 'tagmanifest-sha256.txt'), 'no payload manifest'],
  [
    'an extra file',
    (files) => withoutOxum({ ...files, 'data/more': 'x' }),
    'manifest-sha256.txt does not list "data/more"',
  ],
  [
    'a missing file',
    (files) => withoutOxum(without(files, 'data/a.txt')),
    'manifest-sha256.txt lists "data/a.txt", which is missing',
  ],
  ['other bytes', (files) => ({ ...files, 'data/a.txt': 'eno' }), 'the sha256 of "data/a.txt" is'],
  ['more bytes', (files) => ({ ...files, 'data/a.txt': 'one more' }), 'its Payload-Oxum declares 6 in 2'],
  ['a bad oxum', (files) => withTags({ ...files, 'bag-info.txt': 'Payload-Oxum: many\n' }), 'Payload-Oxum "many"'],
  [
    'two oxums',
    (files) => withTags({ ...files, 'bag-info.txt': 'Payload-Oxum: 6.2\nPayload-Oxum: 6.2\n' }),
    'must occur once',
  ],
  [
    'a bag-info.txt of prose',
    (files) => withTags({ ...files, 'bag-info.txt': 'Dear reader\n' }),
    'line 1: "Dear reader"',
  ],
  [
    'tags in another encoding',
    (files) => withTags({ ...files, 'bag-info.txt': Buffer.from([65, 58, 32, 0xe9]) }),
    'not UTF-8',
  ],
  [
    'a changed tag',
    (files) => ({ ...files, 'bag-info.txt': `${files['bag-info.txt']}Contact-Name: X\n` }),
    'the sha256 of "bag-info.txt"',
  ],
  [
    'a missing tag',
    (files) => without(withTags({ ...files, 'x.txt': 'x' }), 'x.txt'),
    'tagmanifest-sha256.txt lists "x.txt", which is missing',
  ],
  [
    'a manifest of no tag manifest',
    (files) => ({ ...files, 'manifest-md5.txt': manifestOf(files, 'md5', isPayload) }),
    'does not list manifest-md5.txt',
  ],
  [
    'two manifests, one shorter',
    (files) => withTags({ ...files, 'manifest-md5.txt': manifestOf(files, 'md5', (path) => path === 'data/a.txt') }),
    'manifest-md5.txt does not list "data/deep/b.txt"',
  ],
  [
    'a manifest that lies',
    (files) =>
      withTags({ ...files, 'manifest-md5.txt': manifestOf({ ...files, 'data/a.txt': 'x' }, 'md5', isPayload) }),
    'the md5 of "data/a.txt"',
  ],
  ['an unknown algorithm', (files) => ({ ...files, 'manifest-rot13.txt': '' }), 'the unknown algorithm "rot13"'],
  [
    'parts elsewhere',
    (files) => withTags({ ...files, 'fetch.txt': 'http://127.0.0.1/x 3 data/x\n' }),
    'are not fetched',
  ],
  ['an invalid digest', listed('data/a.txt', 'xyz'), 'must be a sha256 in hexadecimal digits'],
  ['a digest of another length', listed('data/a.txt', 'abcd'), 'must be a sha256 in hexadecimal digits'],
  ['a path that leads out', listed('data/../../a'), 'it has the part ..'],
  ['an absolute path', listed('/etc/passwd'), 'it is absolute'],
  ['a path of a home folder', listed('~root/x'), 'begins with ~'],
  ['a path with a backslash', listed('data/..\\x'), 'the separator of folders is /'],
  ['a path outside the payload', listed('bagit.txt'), 'is not in data/'],
  ['a path that is hidden by encoding', listed('data/%0A/..'), 'it has the part ..'],
  ['a line without a path', (files) => withTags({ ...files, 'manifest-sha256.txt': 'f'.repeat(64) }), 'line 1'],
  [
    'a file listed twice',
    (files) =>
      withTags({ ...files, 'manifest-sha256.txt': `${files['manifest-sha256.txt']}${files['manifest-sha256.txt']}` }),
    'duplicate path',
  ],
  [
    'a tag manifest that lists payload',
    (files) => ({ ...files, 'tagmanifest-sha256.txt': String(files['manifest-sha256.txt']) }),
    'a tag manifest lists only files outside it',
  ],
];

describe('an invalid bag', () => {
  it.each(BAD)('is refused for %s', async (_what, spoil, said) => {
    const error = await reading(spoil(goodBag())).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(PackageError);
    expect((error as Error).message).toContain(said);
  });

  it.each([
    ['data/link', '/etc/passwd'],
    ['data/link', 'a.txt'],
    ['link', '..'],
  ])('is refused for the link %s to %s', async (name, target) => {
    await writeFiles(bag, goodBag());
    await symlink(target, join(bag, name));
    await expect(readBag(bag)).rejects.toThrow('is a link; a package may contain only files and folders');
  });

  it('is refused for a named pipe without waiting for it', async () => {
    await writeFiles(bag, goodBag());
    await $`mkfifo ${join(bag, 'data/pipe')}`;
    await expect(readBag(bag)).rejects.toThrow('neither a file nor a folder');
  });

  it('is refused if its folder is a link', async () => {
    await writeFiles(`${bag}-real`, goodBag());
    await symlink(`${bag}-real`, bag);
    await expect(readBag(bag)).rejects.toThrow('is a link; it must be a folder');
  });

  it('is refused for names that collide on other file systems', async () => {
    await expect(reading(goodBag({ 'A.txt': '1', 'a.txt': '2' }))).rejects.toThrow(
      'the same name on some file systems',
    );
  });

  it('is refused if it does not exist', async () => {
    await expect(readBag(join(bag, 'none'))).rejects.toThrow('ENOENT');
  });

  it('is refused if its payload folder is empty', async () => {
    await writeFiles(bag, goodBag());
    await rename(join(bag, 'data'), `${bag}-data`);
    await mkdir(join(bag, 'data'));
    await expect(readBag(bag)).rejects.toThrow('Payload-Oxum');
    expect(await readFile(join(`${bag}-data`, 'a.txt'), 'utf8')).toBe('one');
  });
});

function without(files: BagFiles, ...names: string[]): BagFiles {
  return Object.fromEntries(Object.entries(files).filter(([name]) => !names.includes(name)));
}

function declared(text: string) {
  return (files: BagFiles): BagFiles => withTags({ ...files, 'bagit.txt': text });
}

/** Payload that is not the number of files that it says it is fails for that already. */
function withoutOxum(files: BagFiles): BagFiles {
  return withTags({ ...files, 'bag-info.txt': 'External-Identifier: x\n' });
}

function listed(path: string, digest = 'f'.repeat(64)) {
  return (files: BagFiles): BagFiles =>
    withTags({ ...files, 'manifest-sha256.txt': `${files['manifest-sha256.txt']}${digest}  ${path}\n` });
}
