import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import type { Database } from '../../../../src/database/database.ts';
import { type Actor, createActorFactory } from '../../../../src/repository/actor.ts';
import { createKinds } from '../../../../src/repository/content/kinds.ts';
import { createFindContent } from '../../../../src/repository/content/read/find-content.ts';
import { createFindSurroundings } from '../../../../src/repository/content/read/find-surroundings.ts';
import { ReferredTerms } from '../../../../src/repository/content/read/known-terms.ts';
import { createReadContent, type ReadContent } from '../../../../src/repository/content/read/read-content.ts';
import { createFindSettings } from '../../../../src/repository/settings/find-settings.ts';
import { createTestRepository, type EntityJson, type TestRepository } from '../../../support/test-repository.ts';

const TEXT = 'word '.repeat(100);

let repository: TestRepository;
let anonymous: Actor;
let reader: ReadContent;

/** Creates a reader of the repository's database with some of its members replaced. */
function createReader(replaced: Partial<Database>): ReadContent {
  const { model, database: whole } = repository.running.services;
  const database = { ...whole, ...replaced };
  const kinds = createKinds(model);
  return createReadContent({
    database,
    model,
    findContent: createFindContent(database, kinds),
    findSurroundings: createFindSurroundings(database, {
      kinds,
      mediaTypes: model.mediaTypes,
      knownTerms: new ReferredTerms(database),
    }),
    findSettings: createFindSettings(database),
  });
}

beforeAll(async () => {
  repository = await createTestRepository();
  const makeActor = createActorFactory(repository.running.services.model, repository.running.services.access);
  anonymous = makeActor({ id: 0, uuid: '', name: '', roles: [] });
  reader = createReader({});
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

async function read(id: number) {
  return reader.read({ type: 'node', id, surroundings: 'always', actor: anonymous });
}

describe('content that is read again', () => {
  it('has its changes', async () => {
    const id = await article(TEXT);
    const textOf = async () => (await read(id))?.parsed().members.body?.[0]?.value;
    expect(await textOf()).toBe(TEXT);
    await change(id, `${TEXT} and more`);
    expect(await textOf()).toBe(`${TEXT} and more`);
  });

  it('has the changes of its parent', async () => {
    const parent = (await repository.node()).nid[0].value;
    const { nid } = await repository.node({ field_member_of: [{ target_id: parent }] });
    const labels = async () => (await read(nid[0].value))?.surroundings.targets.map(({ target }) => target.label);
    await read(nid[0].value);
    const renamed = { type: 'islandora_object', title: ['Another title'] };
    expect((await repository.patch(`/node/${parent}?_format=json`, renamed, 'admin')).status).toBe(200);
    expect(await labels()).toContain('Another title');
  });

  it('is missing after its deletion', async () => {
    const id = await article(TEXT);
    await read(id);
    expect((await repository.delete(`/node/${id}?_format=json`, 'admin')).status).toBe(204);
    expect(await read(id)).toBeUndefined();
  });
});

describe('content that the caller may not view', () => {
  it('is returned with the refusal and without its surroundings', async () => {
    const { nid } = await repository.node({ status: [false] });
    const query = { type: 'node', id: nid[0].value, surroundings: 'always', actor: anonymous } as const;
    const found = await reader.read(query);
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
    expect(createReader({ isDistant: false }).begin('node', 1)).toBeUndefined();
  });
});
