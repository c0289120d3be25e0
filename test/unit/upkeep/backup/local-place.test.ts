import { describe, expect, it } from 'bun:test';
import { mkdir, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { BackupError, SourceFailed, UnexpectedBytes } from '../../../../src/upkeep/backup/errors.ts';
import { createLocalPlace } from '../../../../src/upkeep/backup/local-place.ts';
import { emptyFolder } from '../../../support/empty-folder.ts';

const folder = await emptyFolder();

let count = 0;
const newFolder = () => join(folder, `place-${++count}`, 'deep');
const sha256 = (text: string) => new Bun.CryptoHasher('sha256').update(text).digest('hex');

async function* stream(...chunks: string[]): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) yield Buffer.from(chunk);
}

async function* breakingOff(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('half');
  throw new SourceFailed(new Error('the wire was cut'));
}

async function everyFile(place: string): Promise<string[]> {
  const entries = await readdir(place, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

describe('a folder for backups', () => {
  it('returns stored files, and lists them by folder', async () => {
    const place = createLocalPlace(newFolder());
    const stored = await place.put('files/ab/one', stream('hel', 'lo'));
    await place.put('files/cd/two', stream(''));
    expect(stored).toEqual({ bytes: 5, sha256: sha256('hello') });
    expect(Buffer.concat(await Array.fromAsync(await place.get('files/ab/one'))).toString()).toBe('hello');
    expect(await Array.fromAsync(place.list('files/ab'))).toEqual([{ name: 'files/ab/one', bytes: 5 }]);
    expect(await Array.fromAsync(place.list('files/ef'))).toEqual([]);
    await place.remove('files/ab/one');
    await place.remove('files/ab/one');
    expect(await Array.fromAsync(place.list('files/ab'))).toEqual([]);
  });

  it('is readable by its owner only', async () => {
    const root = newFolder();
    await createLocalPlace(root).put('files/ab/one', stream('hello'));
    expect((await stat(join(root, 'files/ab/one'))).mode & 0o777).toBe(0o600);
    expect((await stat(join(root, 'files/ab'))).mode & 0o077).toBe(0);
  });

  it('keeps no file that differs from the expected bytes', async () => {
    const root = newFolder();
    const place = createLocalPlace(root);
    const expected = { bytes: 5, sha256: sha256('hello') };
    for (const text of ['hullo', 'hell'])
      expect(await place.put('files/ab/one', stream(text), expected).catch(String)).toBe(
        `${new UnexpectedBytes(expected, { bytes: text.length, sha256: sha256(text) })}`,
      );
    expect(await everyFile(root)).toEqual([]);
    await place.put('files/ab/one', stream('hello'), expected);
    expect(await everyFile(root)).toEqual([join(root, 'files/ab/one')]);
  });

  it('keeps no part of an interrupted stream, and throws its error', async () => {
    const root = newFolder();
    const place = createLocalPlace(root);
    await expect(place.put('files/ab/one', breakingOff())).rejects.toBeInstanceOf(SourceFailed);
    expect(await everyFile(root)).toEqual([]);
  });

  it('keeps the old file if its replacement is interrupted', async () => {
    const place = createLocalPlace(newFolder());
    await place.put('files/ab/one', stream('before'));
    await place.put('files/ab/one', breakingOff()).catch(() => undefined);
    expect(Buffer.concat(await Array.fromAsync(await place.get('files/ab/one'))).toString()).toBe('before');
  });

  it('reports a missing file, and a folder that cannot be created', async () => {
    const root = newFolder();
    const place = createLocalPlace(root);
    const missing = await place.get('files/ab/one').catch((error: unknown) => error);
    expect(missing).toEqual(new BackupError(`${join(root, 'files/ab/one')} does not exist.`));
    await Bun.write(join(folder, 'a-file'), '');
    const inFile = createLocalPlace(join(folder, 'a-file', 'place'));
    expect(String(await inFile.lock().catch((error: unknown) => error))).toBe(
      `BackupError: ${join(folder, 'a-file', 'place')} cannot be written to: a part of its path is a file and not a folder.`,
    );
  });

  it('allows one writer at a time', async () => {
    const root = newFolder();
    const first = await createLocalPlace(root).lock();
    const second = await createLocalPlace(root)
      .lock()
      .catch((error: unknown) => error);
    expect(second).toEqual(new BackupError(`Another backup to ${root} is under way.`));
    await first.release();
    await (await createLocalPlace(root).lock()).release();
  });

  it('takes over the lock of a killed process, and removes its files', async () => {
    const root = newFolder();
    const script = `
      const { createLocalPlace } = await import('${join(import.meta.dir, '../../../../src/upkeep/backup/local-place.ts')}');
      const place = createLocalPlace(process.argv[2]);
      await place.lock();
      place.put('files/ab/one', (async function* () { yield Buffer.from('half'); console.log('there'); await Bun.sleep(60_000); })());`;
    const file = join(folder, `killed-${count}.ts`);
    await Bun.write(file, script);
    const child = Bun.spawn([process.execPath, file, root], { stdout: 'pipe' });
    await child.stdout.getReader().read();
    await expect(createLocalPlace(root).lock()).rejects.toBeInstanceOf(BackupError);
    child.kill('SIGKILL');
    await child.exited;
    expect(await everyFile(join(root, 'incomplete'))).toHaveLength(1);
    const lock = await createLocalPlace(root).lock();
    expect(await everyFile(root)).toEqual([join(root, 'backup.lock')]);
    await lock.release();
  });

  it('rejects a folder with other files, and leaves them unchanged', async () => {
    const root = newFolder();
    await mkdir(join(root, 'incomplete'), { recursive: true });
    await Bun.write(join(root, 'incomplete/precious'), 'x');
    await expect(createLocalPlace(root).lock()).rejects.toThrow(
      `${root} holds other files, and no backups: name an empty folder, or one with backups.`,
    );
    expect(await everyFile(root)).toEqual([join(root, 'incomplete/precious')]);
  });

  it('may be the root of an empty disk', async () => {
    const root = newFolder();
    await mkdir(join(root, 'lost+found'), { recursive: true });
    await (await createLocalPlace(root).lock()).release();
  });
});
