import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { OutcomeUnknownError } from '../../../src/database/errors.ts';
import type { Services } from '../../../src/repository/content/services.ts';
import { storageFull, storageUnavailable } from '../../../src/storage/errors.ts';
import type { Storage } from '../../../src/storage/storage.ts';
import { createMedia, fileOf, putToNode } from '../../support/binaries.ts';
import { keysIn, looseEnds, move, rowOf, schemesWith, withStore } from '../../support/stores.ts';
import { createTestRepository, type EntityJson, type TestRepository } from '../../support/test-repository.ts';

let repository: TestRepository;
let services: Services;
beforeAll(async () => {
  repository = await createTestRepository({ schemes: schemesWith() });
  services = repository.running.services;
});
afterAll(() => repository.stop());

interface Made {
  readonly uri: string;
  readonly url: string;
  readonly node: EntityJson;
  readonly media: EntityJson;
  readonly file: EntityJson;
}

let count = 0;
async function make(body: string, scheme = 'private'): Promise<Made> {
  const uri = `${scheme}://${++count}.txt`;
  const node = await repository.node();
  const media = await createMedia(repository, { node, type: 'document', uri, body, contentType: 'text/plain' });
  const file = await fileOf(repository, media, 'field_media_document');
  return { uri, url: file.uri[0].url, node, media, file };
}
const put = ({ node }: Made, body: string) =>
  putToNode(repository, { node, type: 'document', uri: undefined, body, contentType: 'text/plain' });
const text = async (url: string) => (await repository.get(url, 'admin')).text();
const objectAt = async ({ uri }: Made) =>
  join(repository.dataFolder, 'files/private', (await rowOf(repository, uri)).key);
/** Leaves nothing for the next test to move. */
const empty = async () => expect((await move(services, 'private', 'archive')).left).toEqual({ files: 0, bytes: 0 });
/** Does something with the first object that is put, once it is whole. */
const afterPut = (storage: Storage, work: () => Promise<unknown>): Storage => {
  let isDone = false;
  return {
    ...storage,
    async put(...args) {
      const staged = await storage.put(...args);
      if (!isDone) {
        isDone = true;
        await work();
      }
      return staged;
    },
  };
};

/** An answer as a client sees it, but for the time at which it was made. */
async function answer(path: string, init: RequestInit = {}) {
  const response = await repository.fetch(path, { ...init, as: 'admin' });
  const { date, 'x-request-id': _, ...headers } = Object.fromEntries(response.headers);
  return { status: response.status, headers, body: await response.text() };
}

describe('a move of files into another store', () => {
  it('changes no response: bytes, records, media, nodes, tags and dates', async () => {
    const made = await make('some bytes of a file');
    const paths = [
      `/node/${made.node.nid[0].value}`,
      `/media/${made.media.mid[0].value}`,
      `/entity/file/${made.file.fid[0].value}`,
    ];
    const answers = async () => [
      ...(await Promise.all(
        paths.flatMap((path) => ['json', 'jsonld'].map((form) => answer(`${path}?_format=${form}`))),
      )),
      await answer(made.url),
      await answer(made.url, { method: 'HEAD' }),
      await answer(made.url, { headers: { Range: 'bytes=5-9' } }),
      await answer(made.url, {
        headers: { 'If-None-Match': `"${new Bun.SHA256().update('some bytes of a file').digest('hex')}"` },
      }),
    ];
    const before = await answers();
    const row = await rowOf(repository, made.uri);
    expect(await move(services, 'private', 'archive')).toMatchObject({
      moved: { files: 1, bytes: 20 },
      left: { files: 0, bytes: 0 },
      failed: 0,
      isInterrupted: false,
    });
    const after = await rowOf(repository, made.uri);
    expect(after).toMatchObject({ id: row.id, storedIn: 'archive', changed: row.changed });
    expect(await keysIn(repository, 'archive')).toEqual([after.key]);
    expect(await answers()).toEqual(before);
    expect(before.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200, 200, 200, 206, 304]);
  });

  it('moves files of any size in both directions and reports progress', async () => {
    const bodies = [
      'x',
      'y'.repeat(300_000),
      'z'.repeat(70_000),
      ...Array.from({ length: 20 }, (_, index) => `${index}.`),
    ];
    const made: Made[] = [];
    for (const body of bodies) made.push(await make(body));
    const bytes = bodies.join('').length;
    const there = await move(services, 'private', 'archive', { concurrency: 7 });
    expect(there.moved).toEqual({ files: bodies.length, bytes });
    expect(there.progress[0]).toEqual({ files: 0, bytes: 0, total: { files: bodies.length, bytes } });
    expect(there.progress.at(-1)).toEqual({ files: bodies.length, bytes, total: { files: bodies.length, bytes } });
    const all = await move(services, 'archive', 'private', { limit: 10 });
    expect({ moved: all.moved.files, left: all.left.files }).toEqual({ moved: 10, left: bodies.length - 9 });
    await move(services, 'archive', 'private');
    for (const [index, { uri, url }] of made.entries()) {
      expect((await rowOf(repository, uri)).storedIn).toBeNull();
      expect(await text(url)).toBe(bodies[index] as string);
    }
    await empty();
  });

  it('stops on request, and continues at the next start', async () => {
    for (let index = 0; index < 6; index++) await make(`file ${index}`);
    const ended = new AbortController();
    const slow = withStore(services, 'archive', (storage) =>
      afterPut(storage, async () => ended.abort(new Error('enough'))),
    );
    const summary = await move(slow, 'private', 'archive', { signal: ended.signal, concurrency: 2 });
    expect(summary.isInterrupted).toBe(true);
    expect(summary.moved.files < 6).toBe(true);
    expect(summary.faults).toEqual([]);
    expect((await move(services, 'private', 'archive')).moved.files).toBe(6 - summary.moved.files);
  });
});

describe('a move during other writes', () => {
  it('moves the new bytes of a file that is replaced', async () => {
    const made = await make('former bytes');
    const during = withStore(services, 'archive', (storage) =>
      afterPut(storage, async () => expect((await put(made, 'latter bytes, and more')).status).toBe(204)),
    );
    expect((await move(during, 'private', 'archive')).moved.files).toBe(1);
    expect((await rowOf(repository, made.uri)).storedIn).toBe('archive');
    expect(await text(made.url)).toBe('latter bytes, and more');
  });

  it('leaves a file that is replaced repeatedly for another run', async () => {
    const made = await make('0');
    let times = 0;
    const during = withStore(services, 'archive', (storage) => ({
      ...storage,
      async put(...args) {
        const staged = await storage.put(...args);
        await put(made, `${++times}`);
        return staged;
      },
    }));
    const { faults, failed, left } = await move(during, 'private', 'archive');
    expect({ faults, failed, files: left.files }).toEqual({
      faults: [{ uri: made.uri, kind: 'restless' }],
      failed: 1,
      files: 1,
    });
    expect(await text(made.url)).toBe(`${times}`);
    await empty();
  });

  it('skips a file that is deleted', async () => {
    const made = await make('goes');
    const during = withStore(services, 'archive', (storage) =>
      afterPut(storage, () => repository.delete(`/entity/file/${made.file.fid[0].value}`, 'admin')),
    );
    expect(await move(during, 'private', 'archive')).toMatchObject({ moved: { files: 0 }, failed: 0 });
    expect((await repository.get(made.url, 'admin')).status).toBe(404);
  });

  it('copies a file once if only its record changes', async () => {
    const made = await make('waits');
    let copies = 0;
    const during = withStore(services, 'archive', (storage) => ({
      ...storage,
      async put(...args) {
        copies += 1;
        const staged = await storage.put(...args);
        await services.database.write([
          { sql: 'UPDATE file SET version = version + 1 WHERE uri = ?', args: [made.uri] },
        ]);
        return staged;
      },
    }));
    expect((await move(during, 'private', 'archive')).moved.files).toBe(1);
    expect(copies).toBe(1);
  });

  it('moves each file once if two moves run together', async () => {
    const made = await Promise.all(Array.from({ length: 8 }, (_, index) => make(`shared ${index}`)));
    const both = await Promise.all([move(services, 'private', 'archive'), move(services, 'private', 'archive')]);
    expect(both.map(({ moved }) => moved.files).reduce((sum, files) => sum + files)).toBe(8);
    expect(both.flatMap(({ faults }) => faults)).toEqual([]);
    for (const { url } of made) expect(await text(url)).toStartWith('shared ');
  });
});

describe('a move with damaged bytes', () => {
  it('reports damaged and missing files, and moves the others', async () => {
    const [longer, changed, gone, whole] = [
      await make('one'),
      await make('two'),
      await make('three'),
      await make('four'),
    ];
    await writeFile(await objectAt(longer), 'one and more');
    await writeFile(await objectAt(changed), 'tow');
    const { key } = await rowOf(repository, gone.uri);
    await services.schemes.get('private')?.storage.remove(key);
    const { moved, failed, faults, left } = await move(services, 'private', 'archive');
    expect({ movedFiles: moved.files, failed, leftFiles: left.files }).toEqual({
      movedFiles: 1,
      failed: 3,
      leftFiles: 3,
    });
    expect(faults.sort((one, other) => one.uri.localeCompare(other.uri, 'en', { numeric: true }))).toEqual([
      { uri: longer.uri, kind: 'damaged' },
      { uri: changed.uri, kind: 'damaged' },
      { uri: gone.uri, kind: 'missing' },
    ]);
    expect((await rowOf(repository, changed.uri)).storedIn).toBeNull();
    expect(await text(whole.url)).toBe('four');
    for (const made of [longer, changed, gone]) expect((await put(made, 'new')).status).toBe(204);
    await empty();
  });

  it('keeps the original when the copy differs', async () => {
    const made = await make('faithful');
    const lying = withStore(services, 'archive', (storage) => ({
      ...storage,
      read: async () => new Blob(['faithlos']),
    }));
    const failure = move(lying, 'private', 'archive');
    await expect(failure).rejects.toThrow('cannot be trusted');
    expect((await rowOf(repository, made.uri)).storedIn).toBeNull();
    expect(await text(made.url)).toBe('faithful');
  });
});

describe('a move with a failing store or database', () => {
  it.each([
    ['is full', storageFull(new Error('ENOSPC')), 'There is no room left'],
    ['does not answer', storageUnavailable(new Error('503')), 'does not answer at present'],
  ])('ends without changes if the new store %s', async (_, failure, message) => {
    const made = await make('stays here');
    const refusing = withStore(services, 'archive', (storage) => ({
      ...storage,
      async put(_key, source) {
        for await (const _chunk of source) throw failure;
        throw failure;
      },
    }));
    await expect(move(refusing, 'private', 'archive')).rejects.toThrow(message);
    expect(await text(made.url)).toBe('stays here');
    await empty();
  });

  it('ends without changes if the old store does not answer', async () => {
    await make('unseen');
    const away = withStore(services, 'private', (storage) => ({
      ...storage,
      read: () => Promise.reject(storageUnavailable(new Error('503'))),
    }));
    await expect(move(away, 'private', 'archive')).rejects.toThrow('does not answer at present');
    await empty();
  });

  it.each([
    ['was done', true],
    ['was not done', false],
  ])('moves the file once after an interrupted write that %s', async (_, isDone) => {
    const made = await make('once only');
    const { database } = services;
    let cuts = 0;
    const cutting: Services = {
      ...services,
      database: {
        ...database,
        async write(statements) {
          const isMove = JSON.stringify(statements).includes('update \\"file\\" set');
          if (!isMove || cuts > 0) return database.write(statements);
          cuts += 1;
          if (isDone) await database.write(statements);
          throw new OutcomeUnknownError(new Error('connection reset'));
        },
      },
    };
    expect((await move(cutting, 'private', 'archive')).moved.files).toBe(1);
    expect(cuts).toBe(1);
    expect((await rowOf(repository, made.uri)).storedIn).toBe('archive');
    expect(await text(made.url)).toBe('once only');
  });

  it('leaves no unused objects', async () => {
    await repository.restart();
    expect(await looseEnds(repository)).toEqual([]);
    expect(repository.failures()).toEqual([]);
  });
});
