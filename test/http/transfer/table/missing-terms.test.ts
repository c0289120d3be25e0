import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { createTableSite, type TableSite } from '../../../support/table-site.ts';
import { createTestRepository, type TestRepository } from '../../../support/test-repository.ts';

let repository: TestRepository;
let site: TableSite;

beforeAll(async () => {
  repository = await createTestRepository();
  site = await createTableSite(repository);
  await repository.build.term('person', 'Doe, Jane');
  await repository.build.term('genre', 'Novels');
}, 30_000);

afterAll(async () => {
  await site.remove();
  await repository.stop();
});

const newTerm = (vocabulary: string, name: string) => ({ vocabulary, name });

describe('a missing term', () => {
  it('causes an error with the nearest name and the option that creates it', async () => {
    expect(await site.refusal('field_model', 'Imgae')).toBe(
      '1 field_model: The term "Imgae" does not exist in the vocabulary islandora_models. Did you mean "Image"? To create it, add --create-terms islandora_models.',
    );
    expect(await site.refusal('field_model', 'islandora_models:imag')).toContain('Did you mean "Image"?');
    expect(await site.refusal('field_model', 'Something else entirely')).toBe(
      '1 field_model: The term "Something else entirely" does not exist in the vocabulary islandora_models. To create it, add --create-terms islandora_models.',
    );
  });

  it('causes an error in a field of typed relations', async () => {
    expect(await site.refusal('field_linked_agent', 'relators:pht:person:Doe, Jan')).toBe(
      '1 field_linked_agent: The term "Doe, Jan" does not exist in the vocabulary person. Did you mean "Doe, Jane"? To create it, add --create-terms person.',
    );
  });

  it('is created if the field has auto_create', async () => {
    expect(await site.cell('field_genre', 'Novles')).toEqual([{ item: {}, newTerm: newTerm('genre', 'Novles') }]);
  });

  it('is created only in auto_create_bundle if the field names one', async () => {
    expect(await site.cell('field_subjects_name', 'person:Roe, Richard')).toEqual([
      { item: {}, newTerm: newTerm('person', 'Roe, Richard') },
    ]);
    expect(await site.refusal('field_subjects_name', 'corporate_body:Acme')).toBe(
      '1 field_subjects_name: The term "Acme" does not exist in the vocabulary corporate_body. To create it, add --create-terms corporate_body.',
    );
  });

  it('is created in each vocabulary of the command', async () => {
    const createTerms = ['islandora_models', 'corporate_body'];
    expect(await site.cell('field_model', 'Imgae', { createTerms })).toEqual([
      { item: {}, newTerm: newTerm('islandora_models', 'Imgae') },
    ]);
    expect(await site.cell('field_subjects_name', 'corporate_body:Acme', { createTerms })).toEqual([
      { item: {}, newTerm: newTerm('corporate_body', 'Acme') },
    ]);
    expect(await site.refusal('field_linked_agent', 'relators:pht:person:Roe', { createTerms })).toContain(
      'add --create-terms person.',
    );
  });

  it('is never created from an id or URI, or in a wrong vocabulary', async () => {
    const createTerms = ['islandora_models', 'genre'];
    const refusal = (text: string) => site.refusal('field_model', text, { createTerms });
    expect(await refusal('99999')).toContain('There is no term with id 99999.');
    expect(await refusal('http://example.org/x')).toContain('There is no term with the URI');
    expect(await refusal('genre:Maps')).toContain('the field accepts terms of islandora_models.');
  });
});

describe('--create-terms', () => {
  it('requires an existing vocabulary', async () => {
    expect(await site.refusal('field_model', 'Image', { createTerms: ['persn', 'genre'] })).toBe(
      'table -: --create-terms persn: Unknown vocabulary "persn". Did you mean person?',
    );
    expect(await site.refusal('field_model', 'Image', { createTerms: ['all'] })).toMatch(
      /Unknown vocabulary "all"\. Vocabularies are islandora_models, .* or tags\.$/,
    );
  });
});

describe('the check of a table', () => {
  const rows = (cells: readonly string[]) =>
    `id,title,field_model,field_linked_agent\n${cells.map((cell, at) => `r${at},T,Image,"${cell}"\n`).join('')}`;

  it('reports a missing term once for all of its rows, beside other problems', async () => {
    const wrong = Array.from({ length: 1_200 }, (_, at) =>
      at % 2 === 0 ? 'relators:pht:person:Roe, R' : 'relators:aut:person:ROE, R|relators:pht:person:roe, r',
    );
    const check = await site.check(rows([...wrong, 'relators:pht:person:Poe, E', 'relators:pht:person:Doe, Jane']));
    expect(check.problemCount).toBe(2);
    expect(check.problems.map(({ row, line, message }) => [row, line, message.split('.').at(-2)])).toEqual([
      [1, 2, ' The same value is in 1,199 more rows'],
      [1_201, 1_202, ' To create it, add --create-terms person'],
    ]);
    const both = await site.problems(
      rows(['relators:pht:person:Roe, R', 'relators:xxx:person:Roe, R', 'relators:pht:person:Roe, R']),
    );
    expect(both).toHaveLength(2);
    expect(both[0]).toEndWith('The same value is in 1 more row.');
  });

  it('suggests names for the first hundred missing terms', async () => {
    const wrong = Array.from({ length: 300 }, (_, at) => `relators:pht:person:Doe, Jan${at}`);
    const check = await site.check(rows(wrong));
    expect(check.problemCount).toBe(300);
    expect(check.problems.filter(({ message }) => message.includes('Did you mean "Doe, Jane"?'))).toHaveLength(100);
  });

  it('lists the first hundred terms to create, with their first line', async () => {
    const names = ['Roe, A', 'Roe, B', 'roe, a', ...Array.from({ length: 150 }, (_, at) => `Poe ${at}`)];
    const table = rows(names.map((name) => `relators:pht:person:${name}`));
    const check = await site.check(table, { createTerms: ['person'] });
    expect(check.problems).toEqual([]);
    expect([...check.newTerms]).toEqual([['person', 152]]);
    expect(check.listedTerms).toHaveLength(100);
    expect(check.listedTerms.slice(0, 3)).toEqual([
      { vocabulary: 'person', name: 'Roe, A', line: 2 },
      { vocabulary: 'person', name: 'Roe, B', line: 3 },
      { vocabulary: 'person', name: 'Poe 0', line: 5 },
    ]);
  });
});
