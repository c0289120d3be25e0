import { beforeAll, describe, expect, it } from 'bun:test';
import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { nativePackageHere } from '../../../src/build/native-packages.ts';
import { loadLibrary, type UnloadableLibraryError, unpackLibrary } from '../../../src/database/native-library.ts';
import { explainFailure } from '../../../src/server/explain-failure.ts';
import { emptyFolder } from '../../support/empty-folder.ts';

const modules = resolve('node_modules');
let library: { file: string; sha256: string };

beforeAll(async () => {
  const file = join(modules, nativePackageHere(modules), 'index.node');
  const sha256 = new Bun.CryptoHasher('sha256').update(await readFile(file)).digest('hex');
  library = { file, sha256 };
});

describe('unpackLibrary', () => {
  it('creates a folder and a file of this user, and uses them again', async () => {
    const folder = join(await emptyFolder(), 'native');
    const file = unpackLibrary(library, folder);
    const { ino, mode } = await stat(file);
    expect(mode & 0o777).toBe(0o600);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    expect(unpackLibrary(library, folder)).toBe(file);
    expect((await stat(file)).ino).toBe(ino);
    expect(await readdir(folder)).toHaveLength(1);
  });

  it('replaces a copy with another digest', async () => {
    const folder = join(await emptyFolder(), 'native');
    const file = unpackLibrary(library, folder);
    await writeFile(file, 'changed');
    expect(await readFile(unpackLibrary(library, folder))).toEqual(await readFile(library.file));
  });

  it('rejects a library that differs from its digest, and leaves no file', async () => {
    const folder = join(await emptyFolder(), 'native');
    expect(() => unpackLibrary({ ...library, sha256: '0'.repeat(64) }, folder)).toThrow('differs');
    expect(await readdir(folder)).toEqual([]);
  });

  it('rejects a folder that others may write to', async () => {
    const folder = join(await emptyFolder(), 'native');
    await mkdir(folder);
    await chmod(folder, 0o777);
    expect(() => unpackLibrary(library, folder)).toThrow(folder);
  });
});

describe('loadLibrary', () => {
  it('loads the library from the next folder if one cannot be used', async () => {
    const folder = await emptyFolder();
    await writeFile(join(folder, 'a file'), '');
    const functions = loadLibrary(library, [join(folder, 'a file', 'native'), join(folder, 'native')]);
    expect(functions.databaseOpen).toBeFunction();
  });

  it('throws an error that names each folder with its reason', async () => {
    const folder = await emptyFolder();
    await writeFile(join(folder, 'a file'), '');
    await writeFile(join(folder, 'damaged.node'), 'no library');
    const damaged = { file: join(folder, 'damaged.node'), sha256: '0'.repeat(64) };
    let error: UnloadableLibraryError | undefined;
    try {
      loadLibrary(damaged, [join(folder, 'missing', 'native'), join(folder, 'a file'), join(folder, 'other')]);
    } catch (thrown) {
      error = thrown as UnloadableLibraryError;
    }
    expect(explainFailure(error)?.replaceAll(folder, 'DIR')).toBe(
      'The database engine cannot be unpacked and loaded: not in DIR/missing/native, since no such file or folder; ' +
        'not in DIR/a file, since a part of its path is a file and not a folder; ' +
        'not in DIR/other, since the file there differs from the one that was written. ' +
        'Set TMPDIR to a folder that this user may write to, on a disk with 10 MB of free space that is not mounted noexec.',
    );
  });
});
