import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { createKinds } from '../../../../src/repository/content/kinds.ts';
import { createNewTerms } from '../../../../src/transfer/import/new-terms.ts';
import type { LoadContext } from '../../../../src/transfer/table/table-options.ts';
import { rejection } from '../../../support/rejection.ts';
import { createTableSite, type TableSite } from '../../../support/table-site.ts';
import { createTestRepository, type TestRepository } from '../../../support/test-repository.ts';

let repository: TestRepository;
let site: TableSite;
let context: LoadContext;

beforeAll(async () => {
  repository = await createTestRepository();
  site = await createTableSite(repository);
  context = { ...site.context, kinds: createKinds(repository.running.services.model) };
});
afterAll(async () => {
  await site.remove();
  await repository.stop();
});

async function idsOf(name: string): Promise<number[]> {
  const response = await repository.get(`/term_from_term_name?vocab=subject&name=${name}&_format=json`, 'admin');
  return ((await response.json()) as { tid: [{ value: number }] }[]).map((term) => term.tid[0].value);
}

describe('new terms', () => {
  it('are created once by concurrent requests in any letter case', async () => {
    const [one, other] = [createNewTerms(context), createNewTerms(context)];
    const asked = ['Whales', 'whales', 'WHALES'].flatMap((name) =>
      [one, other].map((terms) => terms.idOf({ vocabulary: 'subject', name })),
    );
    const ids = new Set(await Promise.all(asked));
    expect(ids.size).toBe(1);
    expect(await idsOf('whales')).toEqual([...ids]);
    expect(one.created + other.created).toBe(1);
  });

  it('are not duplicated if a client creates them meanwhile', async () => {
    const terms = createNewTerms(context);
    const body = { vid: [{ target_id: 'subject' }], name: [{ value: 'Narwhals' }] };
    const response = await repository.post('/taxonomy/term?_format=json', body, 'admin');
    expect(response.status).toBe(201);
    expect([await terms.idOf({ vocabulary: 'subject', name: 'narwhals' })]).toEqual(await idsOf('narwhals'));
    expect(terms.created).toBe(0);
  });

  it('are separate in two vocabularies', async () => {
    const terms = createNewTerms(context);
    const ids = await Promise.all(
      ['subject', 'genre'].map((vocabulary) => terms.idOf({ vocabulary, name: 'Sea stories' })),
    );
    expect(new Set(ids).size).toBe(2);
  });

  it('are created by a later call after a failure', async () => {
    const terms = createNewTerms(context);
    const name = 'x'.repeat(256);
    for (let time = 0; time < 2; time++)
      expect(String(await rejection(Promise.resolve(terms.idOf({ vocabulary: 'subject', name }))))).toContain('255');
    expect(await terms.idOf({ vocabulary: 'subject', name: 'short' })).toBeGreaterThan(0);
  });
});
