import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { SiteBuilder } from '../../support/site-builder.ts';
import { createTestRepository, type TestRepository } from '../../support/test-repository.ts';

let repository: TestRepository;

beforeAll(async () => {
  repository = await createTestRepository();
  await new SiteBuilder(repository).node('image', 'A bay');
});
afterAll(() => repository.stop());

/** Answers requests in the state after an upgrade. */
async function whileBuilding(paths: readonly string[]): Promise<Response[]> {
  const { database } = repository.running.services;
  const [before] = await database.write([
    'SELECT version FROM search_index',
    'UPDATE search_index SET version = NULL',
    `UPDATE run SET state = 'running', progress = '{"done":3,"total":7}' WHERE kind = 'index'`,
  ]);
  try {
    return await Promise.all(paths.map((path) => repository.get(path)));
  } finally {
    await database.write([
      { sql: 'UPDATE search_index SET version = ?', args: [before?.rows[0]?.version ?? null] },
      "UPDATE run SET state = 'done' WHERE kind = 'index'",
    ]);
  }
}

describe('a repository whose first index is being built', () => {
  it('returns 503 for lists of all content', async () => {
    const lists = ['/oai/request?verb=ListRecords&metadataPrefix=oai_dc', '/node?_format=json', '/sitemap.xml'];
    for (const response of await whileBuilding([...lists, '/iiif/activity'])) {
      expect(response.status).toBe(503);
      expect(response.headers.get('retry-after')).toBe('60');
      expect((await response.json()).message).toContain('3 of 7 nodes');
    }
  });

  it('responds to everything else', async () => {
    const others = ['/node/1?_format=json', '/feed.atom', '/search?_format=json', '/media?_format=json'];
    expect((await whileBuilding(others)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    for (const path of ['/node?_format=json', '/sitemap.xml', '/oai/request?verb=Identify'])
      expect((await repository.get(path)).status).toBe(200);
  });
});
