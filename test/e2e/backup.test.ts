import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import Libsql from 'libsql';
import { createLog } from '../../src/base/log.ts';
import { DEFAULT_SERVER_CONFIG, type RepositoryConfig } from '../../src/config/server-config.ts';
import { type BackupRequest, backUpRepository } from '../../src/server/back-up-repository.ts';
import { openPlace } from '../../src/server/backup-place.ts';
import { type RestoreRequest, restoreRepository } from '../../src/server/restore-repository.ts';
import { createLocalStorage } from '../../src/storage/local/local.ts';
import { findBackups } from '../../src/upkeep/backup/manifest.ts';
import { prune } from '../../src/upkeep/backup/prune.ts';
import { audit } from '../support/audit.ts';
import { emptyFolder } from '../support/empty-folder.ts';
import { rejection } from '../support/rejection.ts';
import { compareRepositories } from '../support/same-repository.ts';
import { createTestRepository, type TestRepository } from '../support/test-repository.ts';

const folder = await emptyFolder();
const log = createLog({ level: 'silent', format: 'json' });
let repository: TestRepository;
let count = 0;
const newFolder = () => join(folder, `${++count}`);
const configOf = (dataFolder: string): RepositoryConfig => ({ ...DEFAULT_SERVER_CONFIG, dataFolder });

/** Three files, of which two have the same bytes. */
const CONTENTS = { 'public://a.txt': 'hello', 'private://b.txt': 'hello', 'fedora://c.txt': 'x'.repeat(300_000) };

beforeAll(async () => {
  repository = await createTestRepository();
  const use = await repository.termId('http://pcdm.org/use#OriginalFile');
  for (const [uri, text] of Object.entries(CONTENTS)) await put(uri, text, use);
});
afterAll(async () => {
  await repository.stop();
});

async function put(uri: string, text: string, use: number): Promise<void> {
  const node = await repository.node();
  const headers = { 'Content-Type': 'text/plain', 'Content-Location': uri };
  const response = await repository.put(`/node/${node.nid[0].value}/media/file/${use}`, text, headers, 'admin');
  expect(response.status).toBe(201);
}

function backUp(address: string, request: Partial<BackupRequest> = {}, dataFolder = repository.dataFolder) {
  const usual = {
    isRechecked: false,
    bytesPerSecond: undefined,
    onProgress() {},
    signal: new AbortController().signal,
  };
  return backUpRepository(configOf(dataFolder), { address, ...usual, ...request }, log);
}

function restore(address: string, dataFolder: string, request: Partial<RestoreRequest> = {}, config = {}) {
  const usual = { backup: undefined, acceptsLoss: false, bytesPerSecond: undefined, onProgress() {} };
  const { signal } = new AbortController();
  return restoreRepository({ ...configOf(dataFolder), ...config }, { address, signal, ...usual, ...request }, log);
}

async function storesOf(dataFolder: string) {
  const { schemes } = DEFAULT_SERVER_CONFIG;
  const open = async (name: string) => [name, await createLocalStorage(join(dataFolder, 'files', name))] as const;
  return new Map(await Promise.all(schemes.map(({ name }) => open(name))));
}

async function compare(other: string) {
  const both = [repository.dataFolder, other] as const;
  const stores = [await storesOf(both[0]), await storesOf(both[1])] as const;
  return compareRepositories([join(both[0], 'repository.db'), join(both[1], 'repository.db')], stores);
}

const contentOf = (place: string, text: string): string => {
  const sha256 = new Bun.CryptoHasher('sha256').update(text).digest('hex');
  return join(place, 'files', sha256.slice(0, 2), sha256);
};
const messageOf = async (work: Promise<unknown>) => ((await rejection(work)) as Error).message;

describe('a backup', () => {
  it('stores each distinct content once, and restores the same repository elsewhere', async () => {
    const [place, data] = [newFolder(), newFolder()];
    const { files, damaged, stores } = await backUp(place);
    expect(files).toMatchObject({ count: 4, contents: 3, added: 3 });
    expect(Object.keys(stores).sort()).toEqual(['fedora', 'private', 'public']);
    expect(damaged).toEqual([]);
    const restored = await restore(place, data);
    expect(restored).toMatchObject({ isDone: true, files: { files: 4, kept: 0, lost: 0, wereDamaged: 0 } });
    const compared = await compare(data);
    expect(compared.differences).toEqual([]);
    expect(compared).toMatchObject({ files: 4, bytes: files.bytes });
    expect(await audit(data, true)).toEqual([]);
    for (const key of ['jwt-rsa.pem', 'secret.key']) {
      const [ours, theirs] = [repository.dataFolder, data].map((each) => Bun.file(join(each, 'keys', key)).text());
      expect(await theirs).toBe((await ours) ?? '');
    }
    expect((await readdir(data)).sort()).toEqual(['files', 'keys', 'repository.db']);
  });

  it('copies only new files the second time', async () => {
    const place = newFolder();
    await backUp(place);
    await put('public://new.txt', 'new', await repository.termId('http://pcdm.org/use#OriginalFile'));
    const second = await backUp(place);
    expect(second.files).toMatchObject({ count: 5, contents: 4, added: 1, addedBytes: 3 });
    expect((await findBackups(openPlace(place, configOf('')))).map(({ backup }) => backup)).toContain(second.backup);
  });

  it('omits sessions, reset links, failed logins and holds, and is readable only by its owner', async () => {
    const place = newFolder();
    const statements = [
      "INSERT INTO session (id_hash, user_id, created, expires) VALUES ('a', 1, 0, 9999999999)",
      "INSERT INTO password_reset VALUES (1, 'a', 0, 9999999999)",
      "INSERT INTO mail_change VALUES (1, 'a', 'a@example.org', 0, 9999999999)",
      "INSERT INTO flood_event (event, identifier, at, expires) VALUES ('a', '192.0.2.1', 0, 0)",
      "INSERT INTO discarded_object (storage_key, scheme) VALUES ('ab/none', 'public')",
      `INSERT INTO derivative_job (event_id, action, pool, node_id, user_id, source_type, chain, version, state, attempts,
        available_at, lease, created_at) VALUES ('a', 'a', 'default', 1, 1, 'a', '[]', 1, 'queued', 1, 9999999999, 'me', 5)`,
    ];
    await repository.running.services.database.write(statements.map((sql) => ({ sql, args: [] })));
    const { database } = await backUp(place);
    const file = join(place, `databases/${database.sha256}.db`);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const copy = new Libsql(file, { readonly: true });
    for (const table of ['session', 'password_reset', 'mail_change', 'flood_event', 'object_hold', 'discarded_object'])
      expect(copy.prepare(`SELECT * FROM ${table}`).all()).toEqual([]);
    expect(copy.prepare("SELECT lease, available_at FROM derivative_job WHERE event_id = 'a'").raw(true).all()).toEqual(
      [[null, 5]],
    );
    copy.close();
    // Not in a page that is free now, either.
    expect((await Bun.file(file).text()).includes('192.0.2.1')).toBe(false);
    await repository.running.services.database.write([
      { sql: "DELETE FROM derivative_job WHERE event_id = 'a'", args: [] },
      { sql: "DELETE FROM discarded_object WHERE storage_key = 'ab/none'", args: [] },
    ]);
  });

  it('reports a damaged file, includes all others, and can be restored', async () => {
    const [place, data, damagedData] = [newFolder(), newFolder(), newFolder()];
    await backUp(place);
    await restore(place, damagedData);
    const [row] = await filesOf(damagedData, 'fedora://c.txt');
    const [gone] = await filesOf(damagedData, 'private://b.txt');
    await Bun.write(join(damagedData, 'files/fedora', String(row?.key)), 'y'.repeat(300_000));
    await rm(join(damagedData, 'files/private', String(gone?.key)));
    const other = newFolder();
    const { damaged, files } = await backUp(other, {}, damagedData);
    const yes = new Bun.CryptoHasher('sha256').update('y'.repeat(300_000)).digest('hex');
    expect(damaged).toEqual([
      {
        id: Number(row?.id),
        uri: 'fedora://c.txt',
        sha256: String(row?.sha256),
        bytes: 300_000,
        problem: `its SHA-256 is ${yes} instead of ${row?.sha256}`,
      },
    ]);
    // The one that is gone has the bytes of another file, which are in the backup.
    expect(files.contents).toBe(files.added);
    const restored = await restore(other, data);
    expect(restored.isDone).toBe(true);
    expect(restored.files).toMatchObject({
      lost: 0,
      wereDamaged: 1,
      listed: [{ uri: 'fedora://c.txt', wasDamaged: true }],
    });
    const [fromOther] = await filesOf(data, 'private://b.txt');
    expect(await Bun.file(join(data, 'files/private', String(fromOther?.key))).text()).toBe('hello');
  });

  it('reports a row whose SHA-256 or key would be a path, and reads and writes nothing there', async () => {
    const [place, tampered, other, data] = [newFolder(), newFolder(), newFolder(), newFolder()];
    await backUp(place);
    await restore(place, tampered);
    await Bun.write(join(folder, 'outside.txt'), 'hello');
    const [row] = await filesOf(tampered, 'public://a.txt');
    const [key] = await filesOf(tampered, 'private://b.txt');
    const database = new Libsql(join(tampered, 'repository.db'));
    database.prepare('UPDATE file SET sha256 = ? WHERE id = ?').run(['../../../outside.txt', Number(row?.id)]);
    database.prepare('UPDATE file SET storage_key = ? WHERE id = ?').run(['../../outside.txt', Number(key?.id)]);
    database.close();
    const { damaged } = await backUp(other, {}, tampered);
    expect(damaged.map(({ uri, problem }) => [uri, problem])).toContainEqual([
      'public://a.txt',
      'its SHA-256 in the database is invalid',
    ]);
    // The manifest can be read again.
    expect(await findBackups(openPlace(other, configOf('')))).toMatchObject([{ manifest: { damaged } }]);
    const restored = await restore(other, data, { acceptsLoss: true });
    expect(restored.files.listed.map(({ uri, problem }) => [uri, problem]).toSorted()).toEqual([
      ['private://b.txt', 'its key of the store in the database is invalid'],
      ['public://a.txt', 'its SHA-256 in the database is invalid'],
    ]);
    expect(await Bun.file(join(folder, 'outside.txt')).text()).toBe('hello');
    // The contents that it needs are unknown.
    const pruning = prune(openPlace(other, configOf('')), { keep: 1, isDryRun: false });
    await expect(pruning).rejects.toThrow('has a file whose SHA-256 is damaged. Nothing was removed');
  });

  it('copies objects of another size again, and with --verify all damaged objects', async () => {
    const place = newFolder();
    await backUp(place);
    await Bun.write(contentOf(place, 'hello'), 'hullo');
    expect((await backUp(place)).files.added).toBe(0);
    expect((await backUp(place, { isRechecked: true })).files.added).toBe(1);
    expect(await Bun.file(contentOf(place, 'hello')).text()).toBe('hello');
    await Bun.write(contentOf(place, 'hello'), 'hell');
    expect((await backUp(place)).files.added).toBe(1);
  });

  it('respects its rate limit', async () => {
    const started = performance.now();
    await backUp(newFolder(), { bytesPerSecond: 600_000 });
    expect(performance.now() - started).toBeGreaterThan(300);
  });

  it('is not listed if it was interrupted, and leaves no hold', async () => {
    const place = newFolder();
    const ended = new AbortController();
    const onProgress = ({ step }: { step: string }) => step === 'files' && ended.abort(new Error('enough'));
    expect(await messageOf(backUp(place, { signal: ended.signal, onProgress }))).toBe('enough');
    expect(await findBackups(openPlace(place, configOf('')))).toEqual([]);
    const { rows } = await repository.running.services.database.client.execute('SELECT * FROM object_hold');
    expect(rows).toEqual([]);
    await backUp(place);
  });

  it('is rejected for a store missing from the configuration, and for a missing repository', async () => {
    const { dataFolder } = repository;
    const config = { ...configOf(dataFolder), schemes: DEFAULT_SERVER_CONFIG.schemes.slice(0, 1) };
    const request = { address: newFolder(), isRechecked: false, bytesPerSecond: undefined, onProgress() {} };
    const { signal } = new AbortController();
    expect(await messageOf(backUpRepository(config, { ...request, signal }, log))).toContain(
      'no storage scheme of that name',
    );
    expect(await messageOf(backUp(newFolder(), {}, newFolder()))).toContain('There is no repository in');
  });
});

describe('a restore', () => {
  it('is rejected for an existing repository, a place without backups, an unknown backup and a missing scheme', async () => {
    const place = newFolder();
    const { backup } = await backUp(place);
    expect(await messageOf(restore(place, repository.dataFolder))).toStartWith('There is a repository already');
    const [empty, data] = [newFolder(), newFolder()];
    expect(await messageOf(restore(empty, data))).toBe(`There is no backup in ${empty}: the folder does not exist.`);
    expect(await messageOf(restore(place, data, { backup: '2001-01-01T000000Z' }))).toBe(
      `There is no backup 2001-01-01T000000Z in ${place}. Latest backups: ${backup}.`,
    );
    const schemes = DEFAULT_SERVER_CONFIG.schemes.slice(0, 1);
    expect(await messageOf(restore(place, data, {}, { schemes }))).toContain('private');
    expect(await readdir(data)).not.toContain('repository.db');
  });

  it('names damaged files and creates no repository, unless the loss is accepted', async () => {
    const [place, data] = [newFolder(), newFolder()];
    await backUp(place);
    await Bun.write(contentOf(place, 'hello'), 'hullo');
    await rm(contentOf(place, CONTENTS['fedora://c.txt']));
    const restored = await restore(place, data);
    expect(restored.isDone).toBe(false);
    expect(restored.files.listed.map(({ uri }) => uri).sort()).toEqual([
      'fedora://c.txt',
      'private://b.txt',
      'public://a.txt',
    ]);
    expect(await readdir(data)).not.toContain('repository.db');
    const accepted = await restore(place, data, { acceptsLoss: true });
    expect(accepted).toMatchObject({ isDone: true, files: { files: 2, kept: 2, lost: 3 } });
    expect(await filesOf(data, 'public://a.txt')).toHaveLength(1);
  });

  it('writes nothing if the database is damaged or the manifest is truncated', async () => {
    const [place, data] = [newFolder(), newFolder()];
    const { backup, database } = await backUp(place);
    const file = join(place, `databases/${database.sha256}.db`);
    const whole = await Bun.file(file).bytes();
    await Bun.write(file, whole.with(5_000, (whole[5_000] ?? 0) ^ 1));
    expect(await messageOf(restore(place, data))).toContain(
      `databases/${database.sha256}.db in ${place} is damaged: its SHA-256 is`,
    );
    await Bun.write(file, whole.subarray(0, 5_000));
    expect(await messageOf(restore(place, data))).toContain(`it has 5000 bytes instead of ${whole.byteLength}`);
    await Bun.write(file, whole);
    const manifest = join(place, `backups/${backup}.json`);
    await Bun.write(manifest, (await Bun.file(manifest).text()).slice(0, 100));
    expect(await messageOf(restore(place, data))).toContain('it is no JSON');
    const written = await readdir(data, { recursive: true, withFileTypes: true });
    expect(written.filter((entry) => entry.isFile())).toEqual([]);
    expect(await findBackups(openPlace(place, configOf('')))).toMatchObject([
      { backup, problem: expect.stringContaining('no JSON') },
    ]);
  });

  it('resumes after an interruption with the complete objects', async () => {
    const [place, data] = [newFolder(), newFolder()];
    await backUp(place);
    const ended = new AbortController();
    const onProgress = ({ files }: { files: number }) => files === 2 && ended.abort(new Error('enough'));
    expect(await messageOf(restore(place, data, { signal: ended.signal, onProgress }))).toBe('enough');
    const objects = await everyObject(data);
    expect(objects.length).toBeGreaterThan(0);
    await Bun.write(objects[0] ?? '', 'damaged meanwhile');
    const restored = await restore(place, data);
    expect(restored.isDone).toBe(true);
    expect(restored.files.kept).toBe(objects.length - 1);
    expect((await compare(data)).differences).toEqual([]);
  });

  it('does not overwrite existing keys', async () => {
    const [place, data] = [newFolder(), newFolder()];
    await backUp(place);
    await Bun.write(join(data, 'keys/secret.key'), 'another');
    Bun.spawnSync(['chmod', '600', join(data, 'keys/secret.key')]);
    expect(await messageOf(restore(place, data))).toContain(`There is another key in ${join(data, 'keys/secret.key')}`);
    expect(await readdir(data)).not.toContain('repository.db');
  });
});

describe('pruning', () => {
  it('removes the oldest backups, and files that no other backup uses', async () => {
    const [place, small, data] = [newFolder(), newFolder(), newFolder()];
    const old = await backUp(place);
    await restore(place, small);
    const database = new Libsql(join(small, 'repository.db'));
    database.exec("DELETE FROM file WHERE uri = 'fedora://c.txt'");
    database.close();
    await Bun.write(join(place, 'files/ab/by-hand.txt'), 'not ours');
    await backUp(place, {}, small);
    const latest = await backUp(place, {}, small);
    const dry = await prune(openPlace(place, configOf('')), { keep: 2, isDryRun: true });
    expect(dry).toMatchObject({ backups: [old.backup], contents: 1 });
    expect(await findBackups(openPlace(place, configOf('')))).toHaveLength(3);
    const pruned = await prune(openPlace(place, configOf('')), { keep: 1, isDryRun: false });
    expect(pruned).toMatchObject({ contents: 1 });
    expect(pruned.backups).toHaveLength(2);
    expect(await Bun.file(contentOf(place, CONTENTS['fedora://c.txt'])).exists()).toBe(false);
    expect(await Bun.file(join(place, 'files/ab/by-hand.txt')).exists()).toBe(true);
    expect((await findBackups(openPlace(place, configOf('')))).map(({ backup }) => backup)).toEqual([latest.backup]);
    expect((await restore(place, data)).isDone).toBe(true);
  });

  it('removes nothing if the database of a backup is missing', async () => {
    const place = newFolder();
    await backUp(place);
    const { database } = await backUp(place);
    await rm(join(place, `databases/${database.sha256}.db`));
    expect(await messageOf(prune(openPlace(place, configOf('')), { keep: 1, isDryRun: false }))).toContain(
      'does not exist',
    );
    expect(await findBackups(openPlace(place, configOf('')))).toHaveLength(2);
  });

  it('removes nothing if the database of a backup is damaged', async () => {
    const place = newFolder();
    await backUp(place);
    const { database } = await backUp(place);
    const path = join(place, `databases/${database.sha256}.db`);
    const bytes = Buffer.from(await Bun.file(path).arrayBuffer());
    const sha256 = new Bun.CryptoHasher('sha256').update(CONTENTS['fedora://c.txt']).digest('hex');
    const at = bytes.indexOf(sha256);
    expect(at).toBeGreaterThan(0);
    bytes.write('not so', at);
    await Bun.write(path, bytes);
    expect(await messageOf(prune(openPlace(place, configOf('')), { keep: 1, isDryRun: false }))).toContain(
      `The database databases/${database.sha256}.db in ${place} is damaged: its SHA-256 is`,
    );
    expect(await Bun.file(contentOf(place, CONTENTS['fedora://c.txt'])).exists()).toBe(true);
    expect(await findBackups(openPlace(place, configOf('')))).toHaveLength(2);
  });
});

async function filesOf(dataFolder: string, uri: string): Promise<{ id: number; key: string; sha256: string }[]> {
  const database = new Libsql(join(dataFolder, 'repository.db'), { readonly: true });
  const rows = database.prepare('SELECT id, storage_key AS key, sha256 FROM file WHERE uri = ?').all([uri]);
  database.close();
  return rows as { id: number; key: string; sha256: string }[];
}

async function everyObject(dataFolder: string): Promise<string[]> {
  const stores = await storesOf(dataFolder);
  const lists = [...stores].map(async ([name, storage]) =>
    (await Array.fromAsync(storage.list())).map(({ key }) => join(dataFolder, 'files', name, key)),
  );
  return (await Promise.all(lists)).flat();
}
