import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { createTestRepository } from '../../support/test-repository.ts';

let repository: Awaited<ReturnType<typeof createTestRepository>>;
beforeAll(async () => {
  repository = await createTestRepository({});
});
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await repository.stop();
});

describe('a member that is added while the first node gets the mark that members refer to it', () => {
  it('refers to it, and closes with its rule', async () => {
    const collection = (await repository.build.item()).nid[0].value;
    await repository.running.services.database.write([
      { sql: 'INSERT INTO access_anchor (nid, is_whole) VALUES (?, 1)', args: [collection] },
    ]);
    const member = (await repository.build.item({ field_member_of: [{ target_id: collection }] })).nid[0].value;
    await repository.build.change(`/node/${collection}`, {
      type: 'islandora_object',
      access_rule: [{ preset: 'closed' }],
    });
    for (const id of [collection, member]) expect((await repository.get(`/node/${id}?_format=json`)).status).toBe(401);
  });
});
