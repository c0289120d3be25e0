import { afterAll, describe, expect, it } from 'bun:test';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import Libsql from 'libsql';
import { readEnv } from '../../src/base/env.ts';
import { audit } from '../support/audit.ts';
import { startBuiltRepository } from '../support/built-repository.ts';
import { loadTestModel } from '../support/content-model.ts';
import { emptyFolder } from '../support/empty-folder.ts';
import { entityState, findId } from '../support/entity-state.ts';
import { failuresOf, LoadClient } from '../support/kill-load.ts';
import { pause } from '../support/pause.ts';
import { createRandom, type Random } from '../support/random.ts';
import type { RepositoryProcess } from '../support/repository-process.ts';
import { sized } from '../support/size.ts';
import type { EntityJson } from '../support/test-repository.ts';

const ROUNDS = Number(readEnv('REPO_KILL_ROUNDS') ?? sized(10, 100));
const NEW_FOLDERS = sized(1, 4);
const KILLS_PER_NEW_FOLDER = 5;
const CLIENTS = 6;
const MIN_LOAD_MS = 200;
const MAX_LOAD_MS = 600;
/** The number of rounds between two reads of everything. */
const DEEP_EVERY = 25;
const OLD_ONES = 6;

const seed = Number(readEnv('REPO_KILL_SEED') ?? Math.floor(Math.random() * 2 ** 31));
const folders: string[] = [];
afterAll(async () => {
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
});

async function newFolder(): Promise<string> {
  const folder = await emptyFolder();
  folders.push(folder);
  return folder;
}

describe('a repository that is killed', () => {
  it('while it is made, is made whole by the next start', async () => {
    const random = createRandom(seed);
    for (let count = 0; count < NEW_FOLDERS; count++) {
      const folder = await newFolder();
      for (let kill = 0; kill < KILLS_PER_NEW_FOLDER; kill++) {
        const starting = startBuiltRepository(folder);
        starting.ready.catch(() => undefined);
        await pause(100 + random.below(250));
        await starting.kill();
      }
      const server = await startBuiltRepository(folder).ready;
      expect((await server.fetch('/taxonomy/term/1?_format=json')).status).toBe(200);
      await server.stop();
      expect(await audit(folder, true)).toEqual([]);
      await expectFirstContent(folder);
    }
  }, 60_000);

  it(`under load, ${ROUNDS} times, loses nothing that it has answered and keeps nothing by half`, async () => {
    const random = createRandom(seed);
    const folder = await newFolder();
    let server = await startBuiltRepository(folder).ready;
    const clients = await makeClients(server, random);
    const counts = { answered: 0, survivedUnanswered: 0, lostUnanswered: 0, orphansRemoved: 0, checked: 0 };
    console.log(`seed ${seed}: REPO_KILL_SEED=${seed} repeats the choices`);
    for (let round = 1; round <= ROUNDS; round++) {
      const works = failuresOf(clients.map((client) => client.work(server)));
      await Promise.race([pause(MIN_LOAD_MS + random.below(MAX_LOAD_MS - MIN_LOAD_MS)), works]);
      await server.kill();
      expect([...(await works), ...server.complaints]).toEqual([]);
      server = await startBuiltRepository(folder).ready;
      counts.orphansRemoved += server.removed;
      const isDeep = round % DEEP_EVERY === 0 || round === ROUNDS;
      for (const client of clients) {
        const old = Array.from({ length: OLD_ONES }, () => random.pick(client.tracked));
        for (const entity of isDeep ? client.tracked : old) client.touched.add(entity);
      }
      await Promise.all(clients.map((client) => verify(folder, server, client, counts)));
      expect(await audit(folder, isDeep)).toEqual([]);
    }
    await server.stop();
    for (const client of clients) counts.answered += client.answered;
    console.log(`${ROUNDS} rounds: ${JSON.stringify(counts)}`);
    expect(counts.answered).toBeGreaterThan(ROUNDS * CLIENTS);
  }, 300_000);
});

/** The terms of the model, each once, two users and one file. */
async function expectFirstContent(folder: string): Promise<void> {
  const database = new Libsql(join(folder, 'repository.db'), { readonly: true });
  const rows = database.prepare("SELECT bundle || ' ' || label AS term FROM taxonomy_term").all() as { term: string }[];
  const { vocabularies } = await loadTestModel();
  const wanted = [...vocabularies.values()].flatMap(({ name, terms }) => terms.map((term) => `${name} ${term.name}`));
  expect(rows.map(({ term }) => term).sort()).toEqual(wanted.sort());
  expect(database.prepare('SELECT filename FROM file').raw().all()).toEqual([['generic.png']]);
  expect(database.prepare('SELECT name FROM user ORDER BY id').raw().all()).toEqual([['Anonymous'], ['admin']]);
  database.close();
}

async function makeClients(server: RepositoryProcess, random: Random): Promise<LoadClient[]> {
  const term = async (uri: string): Promise<number> => {
    const response = await server.fetch(`/term_from_uri?_format=json&uri=${encodeURIComponent(uri)}`);
    return ((await response.json()) as EntityJson[])[0]?.tid[0].value;
  };
  const modelTerm = await term('http://purl.org/coar/resource_type/c_c513');
  const names = ['OriginalFile', 'ServiceFile', 'ThumbnailImage', 'IntermediateFile'];
  const uses = await Promise.all(names.map((name) => term(`http://pcdm.org/use#${name}`)));
  const response = await server.fetch('/node?_format=json', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({
      type: [{ target_id: 'islandora_object' }],
      title: [{ value: 'Collection' }],
      field_model: [{ target_id: modelTerm }],
    }),
  });
  const collection = ((await response.json()) as EntityJson).nid[0].value;
  return Array.from({ length: CLIENTS }, (_, index) => {
    const own = createRandom(random.below(2 ** 31));
    return new LoadClient(`c${index}`, own, { modelTerm, uses, collection });
  });
}

/** Everything is as it was answered; what was not answered is as before or as asked for, and nothing else. */
async function verify(
  folder: string,
  server: RepositoryProcess,
  client: LoadClient,
  counts: { survivedUnanswered: number; lostUnanswered: number; checked: number },
): Promise<void> {
  for (const entity of [...client.touched]) {
    entity.id ??= findId(folder, entity);
    const seen = entity.id === undefined ? null : await entityState(server, entity);
    const found = entity.may.findIndex((state) => Bun.deepEquals(state, seen));
    if (found < 0) expect({ entity, seen }).toEqual({ entity, seen: entity.may[0] ?? null });
    if (entity.may.length > 1) counts[found > 0 ? 'survivedUnanswered' : 'lostUnanswered'] += 1;
    counts.checked += 1;
    entity.may = [seen];
    if (seen !== null && entity.upload) client.forget(entity.upload);
  }
  client.touched.clear();
  const cookie = client.cookies.at(-1);
  if (cookie === undefined) return;
  const response = await server.fetch('/user/login_status?_format=json', { headers: { Cookie: cookie } });
  expect(await response.json()).toBe(1);
}
