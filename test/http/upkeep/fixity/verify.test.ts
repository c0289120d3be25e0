import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'bun:test';
import { rename, rm, writeFile } from 'node:fs/promises';
import { ServiceError } from '../../../../src/base/errors.ts';
import type { Services } from '../../../../src/repository/content/services.ts';
import type { Storage } from '../../../../src/storage/storage.ts';
import { type VerifyOptions, type VerifyProgress, verify } from '../../../../src/upkeep/fixity/verify.ts';
import type { CheckedFile } from '../../../../src/upkeep/fixity/verify-file.ts';
import { listProblems, reportFixity } from '../../../../src/upkeep/fixity/verify-report.ts';
import { verifyRuns } from '../../../../src/upkeep/fixity/verify-run.ts';
import { createVerifyRuns } from '../../../../src/upkeep/fixity/verify-runs.ts';
import { damage, type StoredObject, storeFiles } from '../../../support/stored-objects.ts';
import { createTestRepository, type TestRepository } from '../../../support/test-repository.ts';

const FILES = 6;

let repository: TestRepository;
let objects: StoredObject[];
let all: number;
let services: Services;
beforeAll(async () => {
  repository = await createTestRepository();
  objects = await storeFiles(repository, FILES);
  services = repository.running.services;
  all = Number((await services.database.client.first('SELECT count(*) FROM file', []))?.[0]);
});
beforeEach(async () => {
  await services.database.write(["DELETE FROM run WHERE kind = 'fixity'", 'DELETE FROM fixity_check']);
});
afterAll(() => repository.stop());

const check = (options: Partial<VerifyOptions> = {}, of = services) =>
  verify(of, { scope: {}, signal: new AbortController().signal, ...options });

/** The services, with one member of the public store another one. */
function withStorage(changes: Partial<Storage>): Services {
  const scheme = services.schemes.get('public');
  if (scheme === undefined) throw new Error('there is no public scheme');
  const changed = { ...scheme, storage: { ...scheme.storage, ...changes } };
  return { ...services, schemes: new Map([...services.schemes, ['public', changed]]) };
}

const readPublic = (key: string) => (services.schemes.get('public') as { storage: Storage }).storage.read(key);

async function problems(): Promise<[string, string, string][]> {
  const found: [string, string, string][] = [];
  for await (const { uri, outcome, detail } of listProblems(services.database)) found.push([uri, outcome, detail]);
  return found;
}

describe('verify', () => {
  it('reads every file and stores the results', async () => {
    const seen: VerifyProgress[] = [];
    const run = await check({ onProgress: (progress) => seen.push(progress) });
    expect(run).toMatchObject({ total: all, checked: all, damaged: 0, missing: 0, unreadable: 0 });
    expect(run.endedAt).toBeGreaterThan(0);
    expect(seen[0]).toEqual({ total: all, checked: 0, bytes: 0, problems: 0 });
    expect(seen.at(-1)).toEqual({ total: all, checked: all, bytes: run.bytes, problems: 0 });
    expect(await reportFixity(services.database)).toMatchObject({
      files: all,
      neverChecked: 0,
      outcomes: { intact: all, damaged: 0 },
      last: { id: run.id },
      open: [],
    });
  });

  it('reports damaged and missing files until they are restored', async () => {
    const [hurt, gone] = objects as [StoredObject, StoredObject];
    const told: CheckedFile[] = [];
    await damage(hurt);
    await rename(gone.path, `${gone.path}.away`);
    try {
      const run = await check({ onProblem: (problem) => told.push(problem) });
      expect(run).toMatchObject({ checked: all, damaged: 1, missing: 1, unreadable: 0 });
      expect(told.map(({ file, outcome }) => [file.id, outcome])).toEqual([
        [hurt.id, 'damaged'],
        [gone.id, 'missing'],
      ]);
      expect(await problems()).toEqual([
        [hurt.uri, 'damaged', expect.stringMatching(/^300 bytes with SHA-256 \w{64} expected, 300 bytes .* found$/)],
        [gone.uri, 'missing', `300 bytes expected, no object ${gone.key} found`],
      ]);
    } finally {
      await damage(hurt);
      await rename(`${gone.path}.away`, gone.path);
    }
    expect(await check()).toMatchObject({ checked: all, damaged: 0, missing: 0 });
    expect(await problems()).toEqual([]);
  });

  it('reports a file of another length as damaged', async () => {
    const [first] = objects as [StoredObject];
    const whole = await Bun.file(first.path).text();
    await writeFile(first.path, whole.slice(1));
    try {
      expect(await check()).toMatchObject({ damaged: 1 });
      expect((await problems())[0]?.[2]).toContain('300 bytes with');
      expect((await problems())[0]?.[2]).toContain(', 299 bytes with');
    } finally {
      await writeFile(first.path, whole);
    }
  });

  it('reports a file as unreadable after three failed reads, with the reason', async () => {
    const [first] = objects as [StoredObject];
    let readings = 0;
    const broken = withStorage({
      async read(key) {
        if (key !== first.key) return readPublic(key);
        readings += 1;
        throw new ServiceError('storage-failed', 'The file could not be read.', { cause: new Error('EIO: i/o error') });
      },
    });
    expect(await check({}, broken)).toMatchObject({ checked: all, unreadable: 1 });
    expect(readings).toBe(3);
    expect(await problems()).toEqual([[first.uri, 'unreadable', 'EIO: i/o error']]);
  });

  it('repeats an interrupted read, and reports no damage', async () => {
    const cut = new Set<string>();
    const shaky = withStorage({
      async read(key) {
        const body = (await readPublic(key)) as Blob;
        if (cut.has(key)) return body;
        cut.add(key);
        return body.slice(0, 10).stream();
      },
    });
    expect(await check({}, shaky)).toMatchObject({ checked: all, damaged: 0, unreadable: 0 });
    expect(cut.size).toBe(all);
  });

  it('stops at an unavailable store, and resumes there', async () => {
    const away = withStorage({
      async read() {
        throw new ServiceError('unavailable', 'The file store does not answer.');
      },
    });
    const failing = check({}, away);
    await expect(failing).rejects.toMatchObject({ kind: 'unavailable' });
    await expect(failing).rejects.toThrow('The storage public cannot be used at present');
    expect(await problems()).toEqual([]);
    expect((await reportFixity(services.database)).open).toMatchObject([{ checked: 0, isUnderWay: false }]);
    expect(await check()).toMatchObject({ checked: all, damaged: 0 });
  });

  it('stops at an unavailable store that reports its files as missing', async () => {
    const refusal = new ServiceError('storage-failed', 'The file store could not be searched.');
    const without = withStorage({
      async read() {
        throw refusal;
      },
      stat: async () => undefined,
      // biome-ignore lint/correctness/useYield: it fails before
      async *list() {
        throw refusal;
      },
    });
    await expect(check({}, without)).rejects.toMatchObject({ kind: 'unavailable', cause: refusal });
    expect(await problems()).toEqual([]);
  });

  it('reports no damage for files replaced or removed during the read', async () => {
    const [replaced, removed] = (await storeFiles(repository, 2, { prefix: 'changing' })) as [
      StoredObject,
      StoredObject,
    ];
    const { path: former } = (await storeFiles(repository, 1, { prefix: 'new' }))[0] as StoredObject;
    const done = new Set<string>();
    const racing = withStorage({
      async read(key) {
        if (key === replaced.key && !done.has(key)) {
          done.add(key);
          const sha256 = new Bun.CryptoHasher('sha256').update(await Bun.file(former).bytes()).digest('hex');
          const other = former.split('/').slice(-2).join('/');
          await services.database.write([
            {
              sql: 'UPDATE file SET storage_key = ?, sha256 = ?, filesize = ? WHERE id = ?',
              args: [other, sha256, Bun.file(former).size, replaced.id],
            },
          ]);
          await rm(replaced.path);
        }
        if (key === removed.key) {
          await services.database.write([{ sql: 'DELETE FROM file WHERE id = ?', args: [removed.id] }]);
          await rm(removed.path);
        }
        return readPublic(key);
      },
    });
    const run = await check({}, racing);
    expect(run).toMatchObject({ total: all + 3, checked: all + 2, damaged: 0, missing: 0, unreadable: 0 });
    const kept = await services.database.client.first('SELECT outcome FROM fixity_check WHERE file_id = ?', [
      replaced.id,
    ]);
    expect(kept?.[0]).toBe('intact');
    await services.database.write(["DELETE FROM file WHERE uri LIKE 'public://changing%' OR uri LIKE 'public://new%'"]);
  });

  it('forgets results of deleted files and replaced bytes', async () => {
    const [hurt] = objects as [StoredObject];
    await damage(hurt);
    try {
      await check();
      await services.database.write(["INSERT INTO fixity_check VALUES (100, 1, 'x', 1, 'damaged', 'gone')"]);
      await services.database.write([
        { sql: 'UPDATE file SET storage_key = ? WHERE id = ?', args: ['elsewhere', hurt.id] },
      ]);
      expect(await problems()).toEqual([]);
      expect(await reportFixity(services.database)).toMatchObject({ neverChecked: 1, outcomes: { damaged: 0 } });
    } finally {
      await services.database.write([
        { sql: 'UPDATE file SET storage_key = ? WHERE id = ?', args: [hurt.key, hurt.id] },
      ]);
      await damage(hurt);
    }
    await check();
    const gone = 'SELECT count(*) FROM fixity_check WHERE file_id NOT IN (SELECT id FROM file)';
    expect((await services.database.client.first(gone, []))?.[0]).toBe(0);
  });

  it('checks the files of one store', async () => {
    await storeFiles(repository, 2, { scheme: 'private', prefix: 'hidden' });
    expect(await check({ scope: { store: 'private' } })).toMatchObject({ total: 2, checked: 2 });
    await services.database.write([
      { sql: "UPDATE file SET stored_in = 'fedora' WHERE uri LIKE 'private://hidden%'", args: [] },
    ]);
    expect(await check({ scope: { store: 'fedora' } })).toMatchObject({ checked: 2, missing: 2 });
    await services.database.write(["DELETE FROM file WHERE uri LIKE 'private://hidden%'"]);
    await expect(check({ scope: { store: 'nowhere' } })).rejects.toMatchObject({ kind: 'unprocessable' });
  });

  it.each([
    [{ percent: 50 }, (count: number) => Math.round(count / 2)],
    [{ files: 2 }, () => 2],
    [{ files: 1_000 }, (count: number) => count],
    [{ percent: 0.001 }, () => 1],
  ])('checks a sample of exactly %j', async (sample, expected) => {
    const run = await check({ scope: { sample } });
    expect({ total: run.total, checked: run.checked }).toEqual({ total: expected(all), checked: expected(all) });
    const kept = await services.database.client.first('SELECT count(*) FROM fixity_check', []);
    expect(kept?.[0]).toBe(expected(all));
  });

  it('resumes an interrupted check, or starts again with restart', async () => {
    const broken = new AbortController();
    const run = await check({ signal: broken.signal, onProgress: ({ checked }) => checked >= 2 && broken.abort() });
    expect({ endedAt: run.endedAt, checked: run.checked }).toEqual({ endedAt: undefined, checked: 0 });
    const further = await check({ isEnough: ({ checked }) => checked > 0 });
    expect(further.id).toBe(run.id);
    const anew = await check({ restart: true });
    expect({ isSame: anew.id === run.id, checked: anew.checked }).toEqual({ isSame: false, checked: all });
  });

  it('runs in one process at a time, until the lease of that process expires', async () => {
    const runs = createVerifyRuns(services.database);
    const held = await runs.take({}, false);
    await expect(check()).rejects.toMatchObject({ kind: 'conflict' });
    await expect(check({ restart: true })).rejects.toMatchObject({ kind: 'conflict' });
    expect(await check({ scope: { store: 'public' } })).toMatchObject({ damaged: 0 });
    await services.database.write([`UPDATE run SET lease_until = unixepoch() - 1 WHERE id = ${held.id}`]);
    expect(await check()).toMatchObject({ id: held.id, checked: all });
    await expect(verifyRuns.change(services.database, held)).rejects.toMatchObject({ kind: 'conflict' });
    const late = runs.advance(held, { to: held.lastId, results: [], isLast: true });
    await expect(late).rejects.toMatchObject({ kind: 'conflict' });
  });

  it('takes over immediately from an ended process of this machine', async () => {
    const held = await createVerifyRuns(services.database).take({}, false);
    const [owner] = held.lease.split('/') as [string];
    const ended = `${owner.replace(/-\d+-\d+$/, '')}-2147483646-1/x`;
    await services.database.write([{ sql: "UPDATE run SET lease = ? WHERE kind = 'fixity'", args: [ended] }]);
    expect(await check()).toMatchObject({ id: held.id, checked: all });
  });

  it('checks nothing if there are no files', async () => {
    expect(await check({ scope: { store: 'fedora' } })).toMatchObject({ total: 0, checked: 0 });
  });
});
