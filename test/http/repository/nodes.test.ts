import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { createTestRepository, type TestRepository } from '../../support/test-repository.ts';

let repository: TestRepository;
beforeAll(async () => {
  repository = await createTestRepository();
});
afterAll(() => repository.stop());

describe('a node', () => {
  it('is created, read by every caller, and deleted', async () => {
    const created = await repository.node({ title: [{ value: 'Letters' }] });
    const path = `/node/${created.nid[0].value}?_format=json`;
    const read = await repository.get(path);
    expect(read.status).toBe(200);
    expect(((await read.json()) as typeof created).title).toEqual([{ value: 'Letters' }]);
    expect((await repository.delete(path, 'admin')).status).toBe(204);
    expect((await repository.get(path)).status).toBe(404);
  });
});
