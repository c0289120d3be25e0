import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { join } from 'node:path';
import { loadAuthority, loadNames } from '../../support/authority-list.ts';
import { createTestRepository, type EntityJson, type TestRepository } from '../../support/test-repository.ts';

const FIXTURES = join(import.meta.dir, '../../fixtures/authorities');
const TWAIN = 'http://id.loc.gov/authorities/names/n79021164';
const AGENTS = 'field_linked_agent';

let repository: TestRepository;
beforeAll(async () => {
  repository = await createTestRepository();
  await repository.user('jane', 'repository_editor');
  await repository.user('reader');
  await loadAuthority(repository, join(FIXTURES, 'names.nt'));
  await loadAuthority(repository, join(FIXTURES, 'subjects.ttl'));
});
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await repository.stop();
});

interface Hit {
  readonly uri: string;
  readonly name: string;
  readonly match: string | null;
  readonly id: number | null;
  readonly creates: boolean;
  readonly vocabulary: string;
}

async function hits(field: string, text: string, as = 'jane'): Promise<Hit[]> {
  const path = `/entity/completions/node/islandora_object/${field}?q=${encodeURIComponent(text)}`;
  return ((await (await repository.get(path, as)).json()) as { authorities: Hit[] }).authorities;
}

const names = async (field: string, text: string) => (await hits(field, text)).map(({ name }) => name);
const take = (vocabulary: string, body: object, as = 'jane') =>
  repository.post(`/entity/authority_term/${vocabulary}`, body, as);

describe('completions of a reference', () => {
  it.each([
    ['twain', 'Twain, Mark, 1835-1910', null],
    ['mark tw', 'Twain, Mark, 1835-1910', null],
    ['clemens sam', 'Twain, Mark, 1835-1910', 'Clemens, Samuel Langhorne, 1835-1910'],
    ['langh', 'Twain, Mark, 1835-1910', 'Clemens, Samuel Langhorne, 1835-1910'],
    ['TUAN mac', 'Twain, Mark, 1835-1910', 'Tuặn, Mặc'],
    ['sterling', 'Yale University. Library', 'Sterling Memorial Library'],
    ['kahl', 'Kahlo family', null],
  ])('for "%s" have the record of an authority list by any of its names', async (text, name, match) => {
    expect((await hits(AGENTS, text)).map((hit) => [hit.name, hit.match])).toEqual([[name, match]]);
  });

  it('have records with all that tells them apart, in the vocabulary of their kind', async () => {
    expect(await hits(AGENTS, 'twain')).toEqual([
      {
        ...{ uri: TWAIN, name: 'Twain, Mark, 1835-1910', match: null, kind: 'person', years: '1835–1910', scope: null },
        ...{ list: 'names', source: 'naf', vocabulary: 'person', bundle: 'Person', id: null, creates: true },
      } as Hit,
    ]);
    expect((await hits(AGENTS, 'yale')).map(({ vocabulary }) => vocabulary)).toEqual(['corporate_body']);
    expect(await hits('field_subject', 'sea')).toMatchObject([
      { name: 'Sea marks', scope: 'Marks for ships.', vocabulary: 'subject', source: 'lcsh' } as object,
    ]);
  });

  it('have no records of other kinds, without words, or of no name', async () => {
    expect(await names('field_subject', 'twain')).toEqual([]);
    expect(await names(AGENTS, 'lighthouses')).toEqual([]);
    expect(await names('field_member_of', 'twain')).toEqual([]);
    for (const text of ['', ' ', '%', '"', '*', 'twain AND', 'NOT twain', '\u{E001}twain zzz'])
      expect(await names('field_language', text)).toEqual([]);
    expect(await names(AGENTS, '"twain" OR (mark*')).toEqual([]);
  });

  it('have the record with exactly the name first, then those that begin with it', async () => {
    await loadNames(repository, ['Foxglove', 'A fox', 'Fox']);
    expect(await names('field_subject', 'fox')).toEqual(['Fox', 'Foxglove', 'A fox']);
  });
});

describe('a record of an authority list', () => {
  it('becomes one term with its name, URI, other names and dates, which searches find by all names', async () => {
    const answers = await Promise.all([take('person', { uri: TWAIN }), take('person', { uri: TWAIN })]);
    const bodies = (await Promise.all(answers.map((answer) => answer.json()))) as { id: number; text: string }[];
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 201]);
    const [id, other] = bodies.map((body) => body.id);
    expect(id).toBe(other as number);
    expect(bodies[0]?.text).toBe(`Twain, Mark, 1835-1910 (${id})`);
    const term = (await (await repository.get(`/taxonomy/term/${id}?_format=json`)).json()) as EntityJson;
    expect(term).toMatchObject({
      name: [{ value: 'Twain, Mark, 1835-1910' }],
      field_authority_link: [{ source: 'naf', uri: TWAIN, title: 'Twain, Mark, 1835-1910' }],
      field_alternate_name: [{ value: 'Clemens, Samuel Langhorne, 1835-1910' }, { value: 'Tuặn, Mặc' }],
      field_cat_date_begin: [{ value: '1835-11-30' }],
      field_cat_date_end: [{ value: '1910-04-21' }],
    } as object);
    expect((await hits(AGENTS, 'twain')).map((hit) => hit.id)).toEqual([id as number]);
    await repository.node({
      title: [{ value: 'A letter' }],
      field_linked_agent: [{ target_id: id ?? 0, rel_type: 'relators:aut' }],
    });
    const found = await (await repository.get('/search?_format=json&q=creator:langhorne')).json();
    expect((found as { items: { title: string }[] }).items.map(({ title }) => title)).toEqual(['A letter']);
  });

  it('becomes a term for callers who may create one, if there is such a record and vocabulary', async () => {
    expect((await hits(AGENTS, 'yale', 'reader')).map(({ creates }) => creates)).toEqual([false]);
    expect((await take('corporate_body', { uri: TWAIN }, 'reader')).status).toBe(403);
    expect((await take('no_vocabulary', { uri: TWAIN })).status).toBe(404);
    expect((await take('person', {})).status).toBe(400);
    const unknown = await take('person', { uri: 'http://id.loc.gov/authorities/names/none' });
    expect([unknown.status, await unknown.text()]).toEqual([
      422,
      expect.stringContaining('No authority list has a record'),
    ]);
  });
});
