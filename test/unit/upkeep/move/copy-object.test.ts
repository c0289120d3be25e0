import { beforeAll, expect, it } from 'bun:test';
import { join } from 'node:path';
import { storageFailed } from '../../../../src/storage/errors.ts';
import { newKey } from '../../../../src/storage/key.ts';
import { createLocalStorage } from '../../../../src/storage/local/local.ts';
import type { Storage } from '../../../../src/storage/storage.ts';
import { copyObject } from '../../../../src/upkeep/move/copy-object.ts';
import { emptyFolder } from '../../../support/empty-folder.ts';

const BYTES = new Uint8Array(700_000).map((_, index) => index % 251);
const SHA256 = Bun.SHA256.hash(BYTES, 'hex');

let folder: string;
let from: Storage;
let to: Storage;
const key = newKey();
beforeAll(async () => {
  folder = await emptyFolder();
  from = await createLocalStorage(join(folder, 'from'));
  to = await createLocalStorage(join(folder, 'to'));
  await (await from.put(key, new Blob([BYTES]).stream())).keep();
});

const options = (signal = new AbortController().signal) => {
  const seen = { paced: 0, told: 0 };
  const pace = {
    async take(bytes: number) {
      seen.paced += bytes;
    },
  };
  const onBytes = (bytes: number) => {
    seen.told += bytes;
  };
  return { seen, pace, signal, onBytes };
};
const original = (changes: Partial<Parameters<typeof copyObject>[0]> = {}) => ({
  ...{ storage: from, key, bytes: BYTES.length, sha256: SHA256 },
  ...changes,
});
const copies = () => Array.fromAsync(to.list());

it('copyObject copies under a new key, with throttling and progress for each byte', async () => {
  const given = options();
  const copied = await copyObject(original(), to, given);
  if ('fault' in copied) throw new Error(copied.fault.kind);
  const { copy } = copied;
  expect(copy.bytes).toEqual(BYTES.length);
  expect(copy.sha256).toEqual(SHA256);
  expect(copy.key === key).toBe(false);
  expect(given.seen).toEqual({ paced: BYTES.length, told: BYTES.length });
  expect(await new Response(await to.read(copy.key)).bytes()).toEqual(BYTES);
  await copy.discard();
  expect(await copies()).toEqual([]);
});

it.each([
  ['does not exist', { key: newKey() }, { kind: 'missing' }],
  ['has another length', { bytes: 3 }, { kind: 'damaged', actual: { bytes: BYTES.length } }],
  ['has another checksum', { sha256: 'ff' }, { kind: 'damaged', actual: { bytes: BYTES.length, sha256: SHA256 } }],
] as const)('copyObject reports that the original %s, and keeps no copy', async (_, changes, fault) => {
  expect(await copyObject(original(changes), to, options())).toEqual({ fault });
  expect(await copies()).toEqual([]);
});

it('copyObject distinguishes a failed read from a failed write', async () => {
  const broken: Storage = {
    ...from,
    read: async () => new ReadableStream({ pull: (controller) => controller.error(new Error('bad sector')) }),
  };
  const copied = await copyObject(original({ storage: broken }), to, options());
  expect(copied).toMatchObject({ fault: { kind: 'unreadable', error: new Error('bad sector') } });
  const refusing: Storage = { ...to, put: () => Promise.reject(storageFailed('No.', undefined)) };
  await expect(copyObject(original(), refusing, options())).rejects.toThrow('No.');
  expect(await copies()).toEqual([]);
});

it('copyObject stops when aborted, and keeps no copy', async () => {
  const ended = new AbortController();
  const given = options(ended.signal);
  const pace = { take: async () => ended.abort(new Error('enough')) };
  await expect(copyObject(original(), to, { ...given, pace })).rejects.toThrow('enough');
  expect(await copies()).toEqual([]);
});
