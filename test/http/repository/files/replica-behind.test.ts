import { afterAll, beforeAll, expect, it } from 'bun:test';
import type { Services } from '../../../../src/repository/content/services.ts';
import { removeDiscarded } from '../../../../src/repository/files/discarded.ts';
import { referredKeys } from '../../../../src/repository/files/stored-files.ts';
import { newKey } from '../../../../src/storage/key.ts';
import { storeFiles } from '../../../support/stored-objects.ts';
import { createTestRepository, type TestRepository } from '../../../support/test-repository.ts';

let repository: TestRepository;
let services: Services;
/** The same, on a replica that knows of nothing yet. */
let behind: Services;
beforeAll(async () => {
  repository = await createTestRepository();
  services = repository.running.services;
  behind = { ...services, database: { ...services.database, get: async () => undefined, all: async () => [] } };
});
afterAll(() => repository.stop());

it('a key that only the primary knows counts as referenced', async () => {
  const [stored] = await storeFiles(repository, 1);
  const key = stored?.key ?? '';
  expect(await referredKeys(behind, [key, newKey()])).toEqual(new Set([key]));
});

it('an object stays while the primary has a hold', async () => {
  const storage = services.schemes.get('public')?.storage;
  const staged = await storage?.put(newKey(), new Blob(['x']).stream());
  const key = staged?.key ?? '';
  await staged?.keep();
  await services.database.write(["INSERT INTO object_hold (name, until) VALUES ('test', unixepoch() + 60)"]);
  expect(await removeDiscarded(behind, 'public', key)).toBe('held');
  expect(await storage?.stat(key)).toEqual({ bytes: 1 });
  await services.database.write(['DELETE FROM object_hold']);
  expect(await removeDiscarded(behind, 'public', key)).toBe('removed');
  expect(await storage?.stat(key)).toBeUndefined();
});
