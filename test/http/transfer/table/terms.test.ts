import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { createPlanner } from '../../../../src/transfer/table/create-planner.ts';
import { USUAL_TABLE_OPTIONS } from '../../../../src/transfer/table/table-options.ts';
import { createTableSite, type TableSite } from '../../../support/table-site.ts';
import { createTestRepository, type TestRepository } from '../../../support/test-repository.ts';

let repository: TestRepository;
let site: TableSite;
const terms = new Map<string, number>();

beforeAll(async () => {
  repository = await createTestRepository();
  site = await createTableSite(repository);
  const wanted: [vocabulary: string, name: string, more?: object][] = [
    ['subject', 'Maps'],
    ['subject', 'MAPS'],
    ['subject', '1984'],
    ['subject', 'Part 1: Beginnings'],
    ['subject', 'Hidden', { status: [{ value: false }] }],
    ['person', 'Doe, Jane', { field_authority_link: [{ source: 'viaf', uri: 'http://viaf.org/viaf/1', title: null }] }],
    ['corporate_body', 'Acme'],
    ['genre', 'Novels'],
  ];
  for (const [vid, name, more] of wanted) {
    const body = { vid: [{ target_id: vid }], name: [{ value: name }], ...more };
    const response = await repository.post('/taxonomy/term?_format=json', body, 'admin');
    if (response.status !== 201) throw new Error(await response.text());
    terms.set(`${vid}:${name}`, ((await response.json()) as { tid: [{ value: number }] }).tid[0].value);
  }
}, 30_000);

afterAll(async () => {
  await site.remove();
  await repository.stop();
});

const id = (name: string) => ({ item: { target_id: terms.get(name) as number } });

describe('a term in a cell', () => {
  it('is found by name in any letter case, the oldest first', async () => {
    expect(await site.cell('field_subject', 'mapS | Maps')).toEqual([id('subject:Maps'), id('subject:Maps')]);
  });

  it('may be an id, and a numeric name needs its vocabulary', async () => {
    const tid = terms.get('subject:Maps');
    expect(await site.cell('field_subject', `${tid}|subject:1984`)).toEqual([id('subject:Maps'), id('subject:1984')]);
    expect(await site.refusal('field_subject', '1984000')).toContain('If this is a name, write subject:1984000.');
  });

  it('may be a URI', async () => {
    const model = await repository.termId('http://purl.org/coar/resource_type/c_c513');
    expect(await site.cell('field_model', 'http://purl.org/coar/resource_type/c_c513')).toEqual([
      { item: { target_id: model } },
    ]);
    expect(await site.cell('field_linked_agent', 'relators:aut:http://viaf.org/viaf/1')).toEqual([
      { item: { target_id: terms.get('person:Doe, Jane') as number, rel_type: 'relators:aut' } },
    ]);
    expect(await site.refusal('field_model', 'http://example.com/x')).toContain('There is no term with the URI');
  });

  it('may have a colon in its name', async () => {
    expect(await site.cell('field_subject', 'Part 1: Beginnings')).toEqual([id('subject:Part 1: Beginnings')]);
    expect(await site.cell('field_subject', 'subject:Part 1: Beginnings')).toEqual([id('subject:Part 1: Beginnings')]);
  });

  it('is planned once per name if it is missing', async () => {
    const values = await site.cell('field_subject', 'Globes|globes|Hidden');
    expect(values).toEqual([
      { item: {}, newTerm: { vocabulary: 'subject', name: 'Globes' } },
      { item: {}, newTerm: { vocabulary: 'subject', name: 'Globes' } },
      { item: {}, newTerm: { vocabulary: 'subject', name: 'Hidden' } },
    ]);
    const check = await site.check(
      'id,title,field_model,field_subject\n1,a,http://purl.org/coar/resource_type/c_c513,Globes|Maps\n2,b,http://purl.org/coar/resource_type/c_c513,GLOBES|Atlases\n',
    );
    expect([...check.newTerms]).toEqual([['subject', 2]]);
  });

  it('is a problem with --no-new-terms if it is missing', async () => {
    expect(await site.refusal('field_subject', 'Maps|Globes', { newTerms: false })).toBe(
      '1 field_subject: Value 2: The term "Globes" does not exist in the vocabulary subject. --no-new-terms forbids creating it.',
    );
  });

  it('is a problem if it is missing and its name is too long', async () => {
    expect(await site.refusal('field_subject', 'x'.repeat(256))).toContain('A name has at most 255 characters.');
  });

  it('is a problem in the wrong vocabulary', async () => {
    const taken = 'the field accepts terms of subject.';
    expect(await site.refusal('field_subject', `${terms.get('genre:Novels')}`)).toContain(
      `in the vocabulary genre; ${taken}`,
    );
    expect(await site.refusal('field_subject', 'genre:Novels')).toContain(`names the vocabulary genre; ${taken}`);
    expect(await site.refusal('field_subject', 'http://viaf.org/viaf/1')).toContain(
      `in the vocabulary person; ${taken}`,
    );
  });

  it('requires its vocabulary if the field takes several', async () => {
    expect(await site.cell('field_linked_agent', 'relators:pbd:corporate_body:Acme')).toEqual([
      { item: { target_id: terms.get('corporate_body:Acme') as number, rel_type: 'relators:pbd' } },
    ]);
    expect(await site.refusal('field_linked_agent', 'relators:pbd:Acme')).toContain(
      '"Acme" lacks its vocabulary, one of corporate_body, family or person',
    );
    expect(await site.refusal('field_linked_agent', 'relators:pbd:persons:Doe, Jane')).toContain(
      'Write "person:Doe, Jane"',
    );
  });
});

describe('a typed relation in a cell', () => {
  it('accepts a new term or an id', async () => {
    const jane = terms.get('person:Doe, Jane') as number;
    const cell = `relators:pht:person:Doe, John|relators:aut:${jane}`;
    expect(await site.cell('field_linked_agent', cell, { createTerms: ['person'] })).toEqual([
      { item: { rel_type: 'relators:pht' }, newTerm: { vocabulary: 'person', name: 'Doe, John' } },
      { item: { target_id: jane, rel_type: 'relators:aut' } },
    ]);
  });

  it('requires a known relation', async () => {
    expect(await site.refusal('field_linked_agent', 'relators:phtt:person:Doe, Jane')).toContain(
      'Unknown relation "relators:phtt". Did you mean relators:pht (Photographer)?',
    );
    expect(await site.refusal('field_linked_agent', 'person:Doe, Jane')).toContain('does not begin with a relation');
    for (const cell of ['relators:aut:', 'relators:aut'])
      expect(await site.refusal('field_linked_agent', cell)).toContain('has no term after the relation relators:aut.');
  });
});

describe('a user without permission to create terms', () => {
  it('gets a problem for each missing term', async () => {
    await repository.user('editor', 'workbench_user');
    const { services, kinds } = site.context;
    const may = (permission: string) => !permission.includes('taxonomy') && !permission.includes('terms in');
    const actor = { ...(await site.as('editor')).actor, may };
    const header = ['id', 'title', 'field_model', 'field_subject'];
    const planner = await createPlanner({ services, kinds, actor }, header, USUAL_TABLE_OPTIONS);
    if (Array.isArray(planner)) throw new Error(planner.map(({ message }) => message).join('\n'));
    const cells = new Map([
      ['id', '1'],
      ['title', 'A'],
      ['field_model', 'http://purl.org/coar/resource_type/c_c513'],
      ['field_subject', 'Maps|Globes'],
    ]);
    const plan = await planner.plan({ number: 1, line: 2, cells });
    const message =
      'Value 2: The term "Globes" does not exist in the vocabulary subject. The user editor may not create terms there.';
    expect(plan).toEqual([{ row: 1, line: 2, column: 'field_subject', message, group: expect.any(String) }]);
  });
});
