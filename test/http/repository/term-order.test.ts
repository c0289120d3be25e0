import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { orderTerms } from '../../../src/repository/setup/order-terms.ts';
import { SiteBuilder } from '../../support/site-builder.ts';
import { createTestRepository, type EntityJson, type TestRepository } from '../../support/test-repository.ts';

const ORDERED = ['ʻAjam', '“Albums”', 'eclair', 'Émile', 'Ödland', 'Zebra'];

let repository: TestRepository;
beforeAll(async () => {
  repository = await createTestRepository();
  const build = new SiteBuilder(repository);
  for (const name of ORDERED.toReversed()) await build.term('subject', name);
});
afterAll(() => repository.stop());

async function listed(): Promise<string[]> {
  const response = await repository.get('/vocabulary/subject?_format=json', 'admin');
  return ((await response.json()) as EntityJson[]).map((term) => term.name[0].value);
}

describe('the terms of a vocabulary', () => {
  it('are in the order of their letters, without accents and signs before them', async () => {
    expect(await listed()).toEqual(ORDERED);
  });

  it('follow a new name', async () => {
    const build = new SiteBuilder(repository);
    const id = await build.term('subject', 'Almanacs');
    await build.change(`/taxonomy/term/${id}`, { vid: ['subject'], name: ['Øl'] });
    expect(await listed()).toEqual([...ORDERED.slice(0, -1), 'Øl', 'Zebra']);
    await repository.delete(`/taxonomy/term/${id}?_format=json`, 'admin');
  });

  it('get their place at the start after an earlier version has written them', async () => {
    const { database } = repository.running.services;
    await database.write(["UPDATE taxonomy_term SET sort_label = NULL WHERE bundle = 'subject'"]);
    expect(await listed()).not.toEqual(ORDERED);
    await orderTerms(database);
    expect(await listed()).toEqual(ORDERED);
  });
});
