import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { createTestRepository } from '../../support/test-repository.ts';

let repository: Awaited<ReturnType<typeof createTestRepository>>;
beforeAll(async () => {
  repository = await createTestRepository();
});
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await repository.stop();
});

const item = async (title: string, rule?: object): Promise<number> =>
  (await repository.build.item({ title: [title], ...(rule && { access_rule: [rule] }) })).nid[0].value;
const search = async (word: string): Promise<number> =>
  (await repository.build.json(`/search?q=${word}&_format=json`)).total;

describe('a search', () => {
  it('knows the rule that is set after the item that got the last one was deleted', async () => {
    const open = await item('Quinquereme');
    expect(await search('quinquereme')).toBe(1);
    const last = await item('Trireme', { preset: 'closed' });
    expect(await search('trireme')).toBe(0);
    await repository.build.remove(`/node/${last}`);
    await repository.build.change(`/node/${open}`, { type: 'islandora_object', access_rule: [{ preset: 'closed' }] });
    expect(await search('quinquereme')).toBe(0);
  });
});
