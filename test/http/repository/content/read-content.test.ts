import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import type { Database } from '../../../../src/database/database.ts';
import { type Actor, createActorFactory } from '../../../../src/repository/actor.ts';
import { createKinds } from '../../../../src/repository/content/kinds.ts';
import { createFindContent } from '../../../../src/repository/content/read/find-content.ts';
import { createFindSurroundings } from '../../../../src/repository/content/read/find-surroundings.ts';
import { KnownTerms } from '../../../../src/repository/content/read/known-terms.ts';
import { createReadContent, type ReadContent } from '../../../../src/repository/content/read/read-content.ts';
import { createFindSettings } from '../../../../src/repository/settings/find-settings.ts';
import { createTestRepository, type EntityJson, type TestRepository } from '../../../support/test-repository.ts';

/** Longer than what is cached, and not. */
const LONG = 'word '.repeat(20_000);
const SHORT = 'word '.repeat(100);

let repository: TestRepository;
let anonymous: Actor;
let other: Actor;
/** Reads of a local database, and of one that cannot tell whether anything was written. */
const readers: Record<string, ReadContent> = {};
/** Number of queries so far. */
let queries = 0;

/** Creates a reader of the repository's database with some of its members replaced. */
function createReader(replaced: Partial<Database>): ReadContent {
  const { model, database: whole } = repository.running.services;
  const get: Database['get'] = (statement) => {
    queries += 1;
    return whole.get(statement);
  };
  const database = { ...whole, get, ...replaced };
  const kinds = createKinds(model);
  return createReadContent({
    database,
    model,
    findContent: createFindContent(database, kinds),
    findSurroundings: createFindSurroundings(database, {
      kinds,
      mediaTypes: model.mediaTypes,
      knownTerms: new KnownTerms(database),
    }),
    findSettings: createFindSettings(database),
  });
}

beforeAll(async () => {
  repository = await createTestRepository();
  const makeActor = createActorFactory(repository.running.services.model);
  anonymous = makeActor({ id: 0, uuid: '', name: '', roles: [] });
  other = makeActor({ id: 77, uuid: 'u', name: 'other', roles: [] });
  readers.local = createReader({});
  readers.other = createReader({ stamp: () => undefined });
});
afterAll(() => repository.stop());

const bodyOf = (value: string) => [{ value, format: 'plain_text' }];

async function article(text: string): Promise<number> {
  const fields = { type: 'article', title: ['An article'], body: bodyOf(text) };
  const response = await repository.post('/node?_format=json', fields, 'admin');
  expect(response.status).toBe(201);
  return ((await response.json()) as EntityJson).nid[0].value;
}

async function change(id: number, text: string): Promise<void> {
  const fields = { type: 'article', body: bodyOf(text) };
  expect((await repository.patch(`/node/${id}?_format=json`, fields, 'admin')).status).toBe(200);
}

async function read(reader: ReadContent | undefined, id: number, actor = anonymous) {
  const found = await reader?.read({ type: 'node', id, surroundings: 'always', actor });
  return found && { validator: found.validator, text: found.parsed().members.body?.[0]?.value };
}

describe('content that is read again', () => {
  it.each(['local', 'other'])('keeps its validator until it changes (%s)', async (name) => {
    const id = await article(SHORT);
    const first = await read(readers[name], id);
    expect(first).toEqual({ validator: expect.any(Number), text: SHORT });
    expect(await read(readers[name], id)).toEqual(first);
    await article('another');
    expect(await read(readers[name], id)).toEqual(first);
    await change(id, `${SHORT} and more`);
    const changed = await read(readers[name], id);
    expect(changed?.text).toBe(`${SHORT} and more`);
    expect(changed?.validator).not.toBe(first?.validator as number);
    expect(await read(readers[name], id)).toEqual(changed);
  });

  it.each(['local', 'other'])('gets another validator when its parent changes (%s)', async (name) => {
    const parent = (await repository.node()).nid[0].value;
    const { nid } = await repository.node({ field_member_of: [{ target_id: parent }] });
    const before = await read(readers[name], nid[0].value);
    const renamed = { type: 'islandora_object', title: ['Another title'] };
    expect((await repository.patch(`/node/${parent}?_format=json`, renamed, 'admin')).status).toBe(200);
    const after = await read(readers[name], nid[0].value);
    expect(after?.validator).toEqual(expect.any(Number));
    expect(after?.validator).not.toBe(before?.validator as number);
  });

  it('needs no query of a local database until the next write', async () => {
    const id = await article(SHORT);
    await read(readers.local, id);
    const before = queries;
    await read(readers.local, id);
    expect(queries).toBe(before);
    await article('another');
    await read(readers.local, id);
    expect(queries).toBeGreaterThan(before);
  });

  it('gets a separate validator for each caller', async () => {
    const id = await article(SHORT);
    const [mine, theirs] = [await read(readers.local, id), await read(readers.local, id, other)];
    expect(theirs?.validator).not.toBe(mine?.validator as number);
  });

  it('is not cached if it is longer than 64 KiB', async () => {
    const id = await article(LONG);
    const [one, other] = [await read(readers.local, id), await read(readers.local, id)];
    expect({ one: one?.text, other: other?.text }).toEqual({ one: LONG, other: LONG });
    expect(other?.validator).not.toBe(one?.validator as number);
  });

  it.each(['local', 'other'])('is missing after its deletion (%s)', async (name) => {
    const id = await article(SHORT);
    await read(readers[name], id);
    expect((await repository.delete(`/node/${id}?_format=json`, 'admin')).status).toBe(204);
    expect(await read(readers[name], id)).toBeUndefined();
  });
});

describe('content that the caller may not view', () => {
  it('is returned with the refusal and without its surroundings', async () => {
    const { nid } = await repository.node({ status: [false] });
    const query = { type: 'node', id: nid[0].value, surroundings: 'always', actor: anonymous } as const;
    const found = await readers.local?.read(query);
    expect(found?.access.isAllowed).toBe(false);
    expect(found?.surroundings.targets).toEqual([]);
  });
});

describe('a read that was started early', () => {
  it('is used once, and only for its own content', async () => {
    const distant = createReader({ isDistant: true });
    const [id, another] = [await article('before'), await article('other')];
    const begun = distant.begin('node', id);
    // The database answers in order.
    await distant.find('node', another);
    await change(id, 'after');
    const textOf = async (wanted: number) =>
      JSON.parse((await distant.find('node', wanted, begun))?.document ?? '{}').body[0].value;
    expect(await textOf(another)).toBe('other');
    expect(await textOf(id)).toBe('before');
    expect(await textOf(id)).toBe('after');
  });

  it('reads nothing on a local database', () => {
    expect(readers.local?.begin('node', 1)).toBeUndefined();
  });
});
