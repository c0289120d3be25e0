import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { existsSync } from 'node:fs';
import type { SchemeConfig } from '../../../../src/config/schemes.ts';
import { DEFAULT_SERVER_CONFIG } from '../../../../src/config/server-config.ts';
import { filePath } from '../../../../src/paths.ts';
import { findDoubt, findGarbage, type Garbage, type GarbageItem, removeGarbage } from '../../../../src/upkeep/gc/gc.ts';
import { removeUnreferenced } from '../../../../src/upkeep/gc/unreferenced-files.ts';
import { createMedia } from '../../../support/binaries.ts';
import { findObjects } from '../../../support/stored-objects.ts';
import { createTestRepository, type EntityJson, type TestRepository } from '../../../support/test-repository.ts';
import { until } from '../../../support/until.ts';

const DAY_S = 86_400;
const KEEP_S = 30 * DAY_S;

let repository: TestRepository;
let count = 0;

beforeAll(async () => {
  const archive: SchemeConfig = {
    name: 'masters',
    storeIn: undefined,
    driver: 'local',
    folder: 'masters',
    isArchive: true,
  };
  repository = await createTestRepository({ schemes: [...DEFAULT_SERVER_CONFIG.schemes, archive] });
});
afterAll(() => repository.stop());

const options = (onFound?: (found: GarbageItem) => void) => ({
  olderThanSeconds: DAY_S,
  unreferencedForSeconds: KEEP_S,
  signal: new AbortController().signal,
  onFound,
});

interface Stored {
  readonly media: EntityJson;
  readonly uri: string;
  readonly fid: number;
}

async function store(scheme = 'public'): Promise<Stored> {
  const uri = `${scheme}://lost-${++count}.txt`;
  const media = await createMedia(repository, {
    ...{ node: await repository.node(), type: 'file', uri, body: `text ${count}`, contentType: 'text/plain' },
  });
  return { media, uri, fid: media.field_media_file[0].target_id };
}

async function remove({ media }: Stored): Promise<void> {
  expect((await repository.delete(`/media/${media.mid[0].value}?_format=json`, 'admin')).status).toBe(204);
}

/** Creates another media of the same file, and returns its id. */
async function useAgain({ media, fid }: Stored, as = 'admin'): Promise<number> {
  const { field_media_use } = media;
  const body = { bundle: 'file', name: [{ value: 'again' }], field_media_use, field_media_file: [{ target_id: fid }] };
  const created: EntityJson = await (await repository.post('/entity/media?_format=json', body, as)).json();
  expect(created).toMatchObject({ field_media_file: [{ target_id: fid }] });
  return created.mid[0].value;
}

/** Makes files look as if they had lost their references so many days ago. */
async function age(days: number, ...stored: Stored[]): Promise<void> {
  const ids = JSON.stringify(stored.map(({ fid }) => fid));
  await repository.running.services.database.write([
    {
      sql: 'UPDATE file SET released = released - ?, changed = changed - ? WHERE id IN (SELECT value FROM json_each(?))',
      args: [days * DAY_S, days * DAY_S, ids],
    },
  ]);
}

async function unreferenced(): Promise<string[]> {
  const found: string[] = [];
  const note = ({ kind, name }: GarbageItem) => void (kind === 'unreferenced' && found.push(name));
  await findGarbage(repository.running.services, options(note));
  return found;
}

const isStored = async ({ fid }: Stored) =>
  (await repository.get(`/entity/file/${fid}?_format=json`, 'admin')).status === 200;

describe('files that have lost all references', () => {
  it('are found after the time of the setting, and removed with their bytes', async () => {
    const [old, young] = [await store(), await store()];
    for (const each of [old, young]) await remove(each);
    await age(31, old);
    await age(29, young);
    expect(await unreferenced()).toEqual([old.uri]);
    expect(await isStored(old)).toBe(true);
    const { unreferenced: removed } = await removeGarbage(repository.running.services, options(), true);
    expect(removed).toEqual({ count: 1, bytes: 6 });
    expect([await isStored(old), await isStored(young)]).toEqual([false, true]);
    expect((await repository.get(filePath(old.uri), 'admin')).status).toBe(404);
  });

  it('count their time from the last reference, not from their upload', async () => {
    const file = await store();
    await age(400, file);
    await remove(file);
    expect(await unreferenced()).not.toContain(file.uri);
    await age(31, file);
    expect(await unreferenced()).toContain(file.uri);
  });

  it('stay if the media has another reference again', async () => {
    const file = await store();
    await remove(file);
    await age(31, file);
    const services = repository.running.services;
    const before = Math.floor(Date.now() / 1_000) - KEEP_S;
    const listed = [{ id: file.fid, uuid: '', uri: file.uri, bytes: 0 }];
    await useAgain(file);
    expect(await removeUnreferenced(services, listed, before)).toEqual([]);
    expect(await isStored(file)).toBe(true);
  });

  it('are removed once if two processes remove them', async () => {
    const run = () => removeGarbage(repository.running.services, options(), true);
    await run();
    const file = await store();
    await remove(file);
    await age(31, file);
    const both = await Promise.all([run(), run()]);
    expect(both.reduce((sum, { unreferenced: { count } }) => sum + count, 0)).toBe(1);
    expect(await isStored(file)).toBe(false);
  });

  it('stay if an earlier revision names them', async () => {
    const [first, second] = [await store(), await store()];
    const path = `/media/${first.media.mid[0].value}?_format=json`;
    const body = { bundle: 'file', field_media_file: [{ target_id: second.fid }] };
    expect((await repository.patch(path, body, 'admin')).status).toBe(200);
    await age(31, first);
    expect(await unreferenced()).not.toContain(first.uri);
    await remove(first);
    await age(31, first);
    expect(await unreferenced()).toContain(first.uri);
  });

  it('stay if a text embeds them by their address', async () => {
    const file = await store();
    const text = `<p><a href="${filePath(file.uri)}?download">text</a></p>`;
    await repository.node({ field_description: [{ value: text }] });
    await remove(file);
    await age(31, file);
    expect(await unreferenced()).not.toContain(file.uri);
  });

  it('stay if a redirect leads to them', async () => {
    const file = await store();
    const redirect = {
      type: [{ value: 'redirect' }],
      redirect_source: [{ path: 'old/report' }],
      redirect_redirect: [{ uri: `internal:${filePath(file.uri)}` }],
      status_code: [{ value: 301 }],
    };
    expect((await repository.post('/entity/redirect?_format=json', redirect, 'admin')).status).toBe(201);
    await remove(file);
    await age(31, file);
    expect(await unreferenced()).not.toContain(file.uri);
  });

  it('stay, as all objects, if the key of a file is damaged', async () => {
    const file = await store();
    const { services } = repository.running;
    const { rows } = await services.database.client.execute(`SELECT storage_key FROM file WHERE id = ${file.fid}`);
    const key = String(rows[0]?.[0]);
    const write = (text: string) =>
      services.database.write([`UPDATE file SET storage_key = ${text} WHERE id = ${file.fid}`]);
    for (const text of [`substr('${key}', 2)`, `cast(x'ff' as text) || substr('${key}', 2)`]) {
      await write(text);
      const removing = removeGarbage(services, { ...options(), olderThanSeconds: 0 }, true);
      await expect(removing).rejects.toThrow('has a damaged key');
    }
    await write(`'${key}'`);
    expect((await repository.get(filePath(file.uri), 'admin')).status).toBe(200);
  });

  it('stay in an archive, and the icon of the program everywhere', async () => {
    const file = await store('masters');
    await remove(file);
    await age(400, file);
    await repository.running.services.database.write([
      "UPDATE file SET released = 1, changed = 1 WHERE uri LIKE '%generic.png'",
    ]);
    const found = await unreferenced();
    expect(found).not.toContain(file.uri);
    expect(found.filter((uri) => uri.includes('generic'))).toEqual([]);
  });

  it('are a reason to ask if they are more than half of all files, and many', async () => {
    const none = { count: 0, bytes: 0 };
    const garbage = (lost: number): Garbage => ({
      stores: [],
      temporaries: none,
      unreferenced: { count: lost, bytes: 0 },
    });
    expect(await findDoubt(repository.running.services, garbage(100))).toMatch(/^100 of \d+ files have no references/);
    expect(await findDoubt(repository.running.services, garbage(99))).toBeUndefined();
  });
});

describe('DELETE of a media with its files', () => {
  const removeAll = (mid: number, as: string) => repository.delete(`/media/${mid}?_format=json&files=delete`, as);

  it('removes the file and its bytes at once', async () => {
    const file = await store();
    const [object] = await findObjects(repository, file.uri);
    expect(existsSync(object?.path ?? '')).toBe(true);
    expect((await removeAll(file.media.mid[0].value, 'admin')).status).toBe(204);
    expect(await isStored(file)).toBe(false);
    expect((await repository.get(filePath(file.uri), 'admin')).status).toBe(404);
    await until(() => !existsSync(object?.path ?? ''));
  });

  it('keeps a file that another media uses', async () => {
    const file = await store();
    await useAgain(file);
    expect((await removeAll(file.media.mid[0].value, 'admin')).status).toBe(204);
    expect(await isStored(file)).toBe(true);
  });

  it('deletes nothing for a caller who may not delete the file', async () => {
    const file = await store();
    await repository.user('loader', 'workbench_user');
    const mid = await useAgain(file, 'loader');
    await remove(file);
    expect((await removeAll(mid, 'loader')).status).toBe(403);
    expect((await repository.get(`/media/${mid}?_format=json`, 'admin')).status).toBe(200);
    expect(await isStored(file)).toBe(true);
    expect((await repository.delete(`/media/${mid}?_format=json`, 'loader')).status).toBe(204);
  });

  it('rejects another value than delete', async () => {
    const file = await store();
    const { status } = await repository.delete(`/media/${file.media.mid[0].value}?_format=json&files=keep`, 'admin');
    expect([400, 422]).toContain(status);
  });
});
