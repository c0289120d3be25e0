import { afterAll, afterEach, beforeAll, beforeEach, expect, it, spyOn } from 'bun:test';
import type { Services } from '../../../src/repository/content/services.ts';
import { removeAllDiscarded } from '../../../src/repository/files/discarded.ts';
import { newKey } from '../../../src/storage/key.ts';
import { createTestRepository, type TestRepository } from '../../support/test-repository.ts';

const NOTES = 8;

let repository: TestRepository;
/** Those of the repository, with a public store that notes what it is to remove, and takes `removalMs` by the clock. */
let services: Services;
let removalMs = 0;
let passedMs = 0;
let removed: string[] = [];
let later: string[] = [];
beforeAll(async () => {
  repository = await createTestRepository();
  const own = repository.running.services;
  const scheme = own.schemes.get('public');
  if (scheme === undefined) throw new Error('there is no public scheme');
  const remove = async (key: string) => {
    passedMs += removalMs;
    removed.push(key);
  };
  services = {
    ...own,
    schemes: new Map([['public', { ...scheme, storage: { ...scheme.storage, remove } }]]),
    discards: { ...own.discards, add: (_, key) => void later.push(key) },
  };
});
afterAll(() => repository.stop());
beforeEach(async () => {
  [removalMs, removed, later] = [0, [], []];
  const sql = 'INSERT INTO discarded_object (storage_key, scheme) VALUES (?, ?)';
  const notes = Array.from({ length: NOTES }, () => ({ sql, args: [newKey(), 'public'] }));
  await services.database.write([...notes, { sql, args: [newKey(), 'lost'] }]);
});
afterEach(async () => {
  await services.database.write(['DELETE FROM discarded_object', 'DELETE FROM object_hold']);
});

async function notes(): Promise<string[]> {
  const { rows } = await services.database.client.execute('SELECT scheme FROM discarded_object');
  return rows.map((row) => String(row[0]));
}

it('is removed, but for that of a store that there is no more', async () => {
  await removeAllDiscarded(services);
  expect({ removed: removed.length, later }).toEqual({ removed: NOTES, later: [] });
  expect(await notes()).toEqual(['lost']);
});

it('does not hold up the start where it takes long', async () => {
  removalMs = 1_000;
  const now = performance.now.bind(performance);
  const clock = spyOn(performance, 'now').mockImplementation(() => now() + passedMs);
  await removeAllDiscarded(services).finally(() => clock.mockRestore());
  expect(removed.length).toBeWithin(1, 4);
  expect(later).toHaveLength(NOTES - removed.length);
  expect(new Set([...removed, ...later]).size).toBe(NOTES);
});

it('stays while a backup holds it', async () => {
  await services.database.write(["INSERT INTO object_hold (name, until) VALUES ('test', unixepoch() + 60)"]);
  await removeAllDiscarded(services);
  expect({ removed, later: later.length }).toEqual({ removed: [], later: NOTES });
  expect(await notes()).toHaveLength(NOTES + 1);
});
