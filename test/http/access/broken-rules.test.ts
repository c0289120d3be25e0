import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { createTestRepository } from '../../support/test-repository.ts';

let repository: Awaited<ReturnType<typeof createTestRepository>>;
let other: number;
beforeAll(async () => {
  repository = await createTestRepository();
  other = (await repository.build.item()).nid[0].value;
});
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await repository.stop();
});

/** Creates an item whose stored rule is a text that no editor can store. */
async function itemWith(rule: string): Promise<number> {
  const reason = `Before ${crypto.randomUUID()}`;
  const { nid } = await repository.build.item({ access_rule: [{ level: 'files_closed', reason }] });
  await repository.running.services.database.write([
    { sql: 'UPDATE access_rule SET rule = ? WHERE rule LIKE ?', args: [rule, `%${reason}%`] },
    // Whoever changes rules counts it.
    { sql: 'UPDATE generation SET value = value + 1, access = access + 1', args: [] },
  ]);
  return nid[0].value;
}
const statusOf = async (id: number, as?: string) => (await repository.get(`/node/${id}?_format=json`, as)).status;

describe('a stored rule that is none', () => {
  it.each([
    '',
    '{"level":',
    'null',
    '[]',
    '7',
    '"open"',
    '{}',
    '{"level":"ajar"}',
    '{"level":"files_closed","roles":"reader"}',
    '{"level":"files_closed","users":[1.5]}',
    '{"level":"files_closed","open_uses":{}}',
    '{"level":"files_closed","until":20270501}',
    '{"level":"files_closed","until":"2027-02-30"}',
    '{"level":"files_closed","until":"-0044-03-15"}',
    '{"level":"files_closed","unless":"it rains"}',
    '{"access_terms":"x"}',
  ])('closes its item to all but its editors, who can replace it: %s', async (rule) => {
    const id = await itemWith(rule);
    expect(await statusOf(id)).toBe(401);
    expect(await statusOf(other)).toBe(200);
    expect((await repository.build.read(`/node/${id}`)).access_rights[0].level).toBe('closed');
    expect((await repository.get(`/node/${id}/edit`, 'admin', { Accept: 'text/html' })).status).toBe(200);
    await repository.build.change(`/node/${id}`, { type: 'islandora_object', title: ['Renamed'] });
    expect(await statusOf(id)).toBe(401);
    await repository.build.change(`/node/${id}`, { type: 'islandora_object', access_rule: [{ preset: 'open' }] });
    expect(await statusOf(id)).toBe(200);
  });
});

describe('a rule that closes files without naming uses', () => {
  it('leaves thumbnails open', async () => {
    const { nid } = await repository.build.item({ access_rule: [{ level: 'files_closed' }] });
    const media = await repository.build.media(nid[0].value, { use: 'thumbnail', name: 'a.png', bytes: 'x' });
    expect((await repository.get(`/media/${media.mid[0].value}?_format=json`)).status).toBe(200);
  });
});
