import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import type { Database } from '../../../../src/database/database.ts';
import { createFindContent, type FindContent } from '../../../../src/repository/content/find-content.ts';
import { createKinds } from '../../../../src/repository/content/kinds.ts';
import { createTestRepository, type EntityJson, type TestRepository } from '../../../support/test-repository.ts';

/** Longer than what is remembered, and not. */
const LONG = 'word '.repeat(20_000);
const SHORT = 'word '.repeat(100);

let repository: TestRepository;
let findContent: FindContent;
/** How many documents were read. */
let documents = 0;
beforeAll(async () => {
  repository = await createTestRepository();
  const { database, model } = repository.running.services;
  const counting: Database = {
    ...database,
    first: (sql, args) => {
      if (sql.includes('"document"')) documents += 1;
      return database.first(sql, args);
    },
  };
  findContent = createFindContent(counting, createKinds(model));
});
afterAll(() => repository.stop());

const body = (value: string) => [{ value, format: 'plain_text' }];

async function article(text: string): Promise<number> {
  const fields = { type: 'article', title: ['An article'], body: body(text) };
  const response = await repository.post('/node?_format=json', fields, 'admin');
  expect(response.status).toBe(201);
  return ((await response.json()) as EntityJson).nid[0].value;
}

async function change(id: number, text: string): Promise<void> {
  const fields = { type: 'article', body: body(text) };
  expect((await repository.patch(`/node/${id}?_format=json`, fields, 'admin')).status).toBe(200);
}

/** Reads it some times; answers how many of them read the document. */
async function readsOf(id: number, text: string): Promise<number> {
  const before = documents;
  for (let time = 0; time < 3; time++) {
    const content = await findContent('node', id);
    expect(JSON.parse(content?.document ?? '{}').body[0].value).toBe(text);
  }
  return documents - before;
}

describe('content that is read again', () => {
  it('comes from memory as long as it does not change', async () => {
    const id = await article(SHORT);
    expect(await readsOf(id, SHORT)).toBe(1);
    expect(await readsOf(id, SHORT)).toBe(0);
    expect(await findContent('node', id)).toBe((await findContent('node', id)) as never);
    await change(id, `${SHORT} and more`);
    expect(await readsOf(id, `${SHORT} and more`)).toBe(1);
  });

  it('is read anew each time where it is longer than 64 KiB', async () => {
    const id = await article(LONG);
    expect(await readsOf(id, LONG)).toBe(3);
  });

  it('is as it is now after it grew, and remembered after it shrank', async () => {
    const id = await article(SHORT);
    await readsOf(id, SHORT);
    await change(id, LONG);
    expect(await readsOf(id, LONG)).toBe(3);
    await change(id, SHORT);
    expect(await readsOf(id, SHORT)).toBe(1);
  });

  it('is not there once it is deleted, whatever was remembered', async () => {
    const id = await article(SHORT);
    await readsOf(id, SHORT);
    expect((await repository.delete(`/node/${id}?_format=json`, 'admin')).status).toBe(204);
    expect(await findContent('node', id)).toBeUndefined();
  });
});
