import { afterEach, beforeEach, describe, expect, it } from 'bun:test';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { folderNameOf, type ProcessIdentity, thisProcess } from '../../src/base/process-identity.ts';
import { isKey, newKey } from '../../src/storage/key.ts';
import { createLocalStorage, type LocalStorageOptions } from '../../src/storage/local/local.ts';
import { endedProcess } from '../support/ended-process.ts';
import { serviceError } from '../support/service-error.ts';
import { bytesOf, madeBytes, sha256, streamOf } from './made-bytes.ts';
import { describeStorage } from './storage.ts';
import { describeRecovery } from './storage-recovery.ts';

const self = thisProcess();
const none = async () => new Set<string>();

const filesIn = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .toSorted();

async function openLocal(options: LocalStorageOptions) {
  const folder = mkdtempSync(join(tmpdir(), 'repo-store-'));
  return {
    storage: await createLocalStorage(folder, { ...options, process: endedProcess() }),
    reopenAfterCrash: () => createLocalStorage(folder, options),
    holdings: async () => withoutReminders(filesIn(folder)),
    readsWhatIsRemoved: true,
    close: async () => rmSync(folder, { recursive: true }),
  };
}

const noLinks = async () => {
  throw Object.assign(new Error('no links here'), { code: 'EPERM' });
};

describeStorage('local storage', () => openLocal({}));
describeStorage('local storage without hard links', () => openLocal({ link: noLinks }));
describeRecovery('local storage', () => openLocal({}));
describeRecovery('local storage without hard links', () => openLocal({ link: noLinks }));

/** Drops what reminds of a staged object where that object is listed too: it is held once. */
function withoutReminders(files: string[]): string[] {
  const names = new Set(files.filter(isKey).map((key) => key.slice(3)));
  return files.filter((file) => isKey(file) || !names.has(basename(file, '.moved')));
}

describe('local storage on its disk', () => {
  let parent: string;
  let folder: string;
  beforeEach(() => {
    parent = mkdtempSync(join(tmpdir(), 'repo-store-'));
    folder = join(parent, 'store');
  });
  afterEach(() => rmSync(parent, { recursive: true }));
  const open = (options: LocalStorageOptions = {}) => createLocalStorage(folder, options);
  const putOne = async (bytes = madeBytes(10), key = newKey()) => {
    const staged = await (await open()).put(key, streamOf(bytes));
    await staged.keep();
    return key;
  };

  it('allows only owner and group to read', async () => {
    const key = await putOne();
    expect(statSync(join(folder, key)).mode & 0o137).toBe(0);
    for (const path of [folder, join(folder, 'incoming'), join(folder, key.slice(0, 2))]) {
      expect(statSync(path).mode & 0o027).toBe(0);
    }
  });

  it.each([
    ['with hard links', {}],
    ['without hard links', { link: noLinks }],
  ])('removes the staged name when an object is kept (%s)', async (_, options) => {
    const staged = await (await open(options)).put(newKey(), streamOf(madeBytes(10)));
    expect(filesIn(join(folder, 'incoming'))).toHaveLength(1);
    await staged.keep();
    expect(filesIn(folder)).toEqual([staged.key]);
  });

  it('recreates its own folder if it was removed', async () => {
    const storage = await open();
    await (await storage.put(newKey(), streamOf(madeBytes(1)))).keep();
    rmSync(join(folder, 'incoming'), { recursive: true });
    const staged = await storage.put(newKey(), streamOf(madeBytes(5)));
    expect(await storage.stat(staged.key)).toEqual({ bytes: 5 });
  });

  describe('a link', () => {
    let secret: string;
    let outside: string;
    beforeEach(() => {
      outside = join(parent, 'outside');
      mkdirSync(outside);
      secret = join(outside, 'secret');
      writeFileSync(secret, 'not ours');
    });
    afterEach(() => {
      expect(readFileSync(secret, 'utf8')).toBe('not ours');
      expect(readdirSync(outside)).toEqual(expect.arrayContaining(['secret']));
    });

    it('is not followed in place of an object, and is removed itself', async () => {
      const key = await putOne();
      rmSync(join(folder, key));
      symlinkSync(secret, join(folder, key));
      const storage = await open();
      expect(await storage.stat(key)).toBeUndefined();
      expect(await Array.fromAsync(storage.list())).toEqual([]);
      await expect(storage.read(key)).rejects.toThrow(serviceError('storage-failed', /read/));
      await expect(storage.put(key, streamOf(madeBytes(1)))).rejects.toThrow(serviceError('storage-failed', /stored/));
      await storage.remove(key);
      expect(existsSync(join(folder, key))).toBe(false);
    });

    it('is not followed in place of a shard', async () => {
      const key = newKey();
      writeFileSync(join(outside, key.slice(3)), 'x');
      const storage = await open();
      symlinkSync(outside, join(folder, key.slice(0, 2)));
      const failed = serviceError('storage-failed', /^The file could not be/);
      await expect(storage.put(key, streamOf(madeBytes(1)))).rejects.toThrow(failed);
      await expect(storage.read(key)).rejects.toThrow(failed);
      await expect(storage.stat(key)).rejects.toThrow(failed);
      await expect(storage.remove(key)).rejects.toThrow(failed);
      expect(await Array.fromAsync(storage.list())).toEqual([]);
      expect(readdirSync(outside)).toHaveLength(2);
      expect(filesIn(join(folder, 'incoming'))).toEqual([]);
    });

    it.each(['incoming', 'own folder'])('is not followed in place of the %s', async (what) => {
      const storage = await open();
      const incoming = join(folder, 'incoming');
      rmdirSync(incoming);
      if (what === 'own folder') mkdirSync(incoming);
      symlinkSync(outside, what === 'incoming' ? incoming : join(incoming, folderNameOf(self)));
      await expect(storage.put(newKey(), streamOf(madeBytes(1)))).rejects.toThrow(
        serviceError('storage-failed', /stored/),
      );
      await expect(storage.check()).rejects.toThrow(serviceError('storage-failed', /written/));
      expect(readdirSync(outside)).toEqual(['secret']);
    });

    it('is removed without being followed, as is any unknown staged file', async () => {
      const storage = await open();
      const ended = join(folder, 'incoming', folderNameOf(endedProcess()));
      mkdirSync(join(ended, 'sub'), { recursive: true });
      symlinkSync(secret, join(ended, newKey().slice(3)));
      symlinkSync(outside, join(ended, 'sub', 'linked'));
      writeFileSync(join(ended, 'junk'), '');
      symlinkSync(outside, join(folder, 'incoming', folderNameOf({ ...self, start: 1 })));
      writeFileSync(join(folder, 'incoming', 'stray'), '');
      expect(await storage.recover(none)).toEqual({ kept: 0, removed: 0 });
      expect(readdirSync(join(folder, 'incoming'))).toEqual([]);
    });
  });

  it.each([
    ['this process id with another start time', () => ({ ...self, start: self.start - 1 }), 0, 1],
    ['a free process id', endedProcess, 0, 1],
    ['a process id that another process uses', () => ({ ...self, pid: process.ppid, start: 1 }), 0, 1],
    ['another host', () => ({ host: 'other', pid: process.pid, start: 1 }), 23, 0],
    ['another host, untouched for 25 hours', () => ({ host: 'other', pid: process.pid, start: 1 }), 25, 1],
    ['another host with a similar name', () => ({ host: `${self.host}-1`, pid: 1, start: 1 }), 1, 0],
    ['this process', () => self, 48, 0],
  ])('removes staged files of an ended process only: %s', async (_, identity, untouchedHours, removed) => {
    const owner: ProcessIdentity = identity();
    await (await open({ process: owner })).put(newKey(), streamOf(madeBytes(10)));
    const own = join(folder, 'incoming', folderNameOf(owner));
    const then = Date.now() / 1000 - untouchedHours * 3600;
    utimesSync(own, then, then);
    expect((await (await open()).recover(none)).removed).toBe(removed);
    expect(existsSync(own)).toBe(removed === 0);
  });

  it('restores an object from its staged name if a row refers to it', async () => {
    const staged = await (await open({ process: endedProcess() })).put(newKey(), streamOf(madeBytes(10)));
    rmSync(join(folder, staged.key));
    const storage = await open();
    expect(await storage.recover(async (keys) => new Set(keys))).toEqual({ kept: 1, removed: 0 });
    expect(await bytesOf(await storage.read(staged.key))).toEqual(madeBytes(10));
  });

  it('reveals no path if a file is in place of its folder', async () => {
    const storage = await open();
    rmSync(folder, { recursive: true });
    writeFileSync(folder, '');
    const failed = serviceError('storage-failed', /^The [a-z ]+\.$/);
    await expect(storage.put(newKey(), streamOf(madeBytes(1)))).rejects.toThrow(failed);
    await expect(storage.check()).rejects.toThrow(failed);
    await expect(Array.fromAsync(storage.list())).rejects.toThrow(failed);
    await expect(open()).rejects.toThrow(failed);
    expect(await storage.stat(newKey())).toBeUndefined();
  });

  it('reports a full disk, and leaves no partial file', async () => {
    // ulimit -f counts 512-byte or 1024-byte blocks, as the shell likes: 1 or 2 MiB.
    const child = Bun.spawnSync(['sh', '-c', `ulimit -f 2048; exec "$0" "$@"`, ...childCommand('fill')]);
    expect(child.stdout.toString()).toBe('storage-full There is no room left for this file.\n');
    expect(filesIn(folder)).toEqual([]);
  });

  it.each(['writing', 'staged', 'kept'])('keeps objects whole or not at all if killed while %s', async (state) => {
    const key = newKey();
    const child = Bun.spawn(childCommand(state, key), { stdout: 'pipe' });
    const { value } = await child.stdout.getReader().read();
    expect(new TextDecoder().decode(value)).toBe('ready\n');
    child.kill('SIGKILL');
    await child.exited;
    expect(filesIn(folder).filter(isKey)).toEqual(state === 'writing' ? [] : [key]);
    const storage = await open();
    const outcome = {
      writing: { kept: 0, removed: 1 },
      staged: { kept: 1, removed: 0 },
      kept: { kept: 0, removed: 0 },
    };
    const referred = new Set(state === 'writing' ? [] : [key]);
    expect(await storage.recover(async () => referred)).toEqual(outcome[state as keyof typeof outcome]);
    expect(filesIn(folder)).toEqual([...referred]);
    if (state !== 'writing') {
      expect(sha256(await bytesOf(await storage.read(key)))).toBe(sha256(new Uint8Array(3_000_000).fill(7)));
      expect(lstatSync(join(folder, key)).nlink).toBe(1);
    }
  });

  const childCommand = (state: string, key = newKey()) => [
    process.execPath,
    join(import.meta.dir, '../support/storage-child.ts'),
    folder,
    state,
    key,
  ];
});
