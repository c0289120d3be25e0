import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { confirmPage, endOf, movedTo } from '../../support/bulk-call.ts';
import { errorsOf, type FormBrowser, type OpenPage, signedIn } from '../../support/form-call.ts';
import { SiteBuilder } from '../../support/site-builder.ts';
import { createTestRepository, type EntityJson, type TestRepository } from '../../support/test-repository.ts';

const FIELD = 'field_subject';
let repository: TestRepository;
let build: SiteBuilder;
let editor: FormBrowser;
const ids: Record<string, number> = {};

beforeAll(async () => {
  repository = await createTestRepository();
  build = new SiteBuilder(repository);
  await repository.user('editor', 'repository_editor');
  await repository.user('reader');
  editor = await signedIn(repository, 'editor');
  for (const name of ['Harbour', 'Harbour boats', 'Herring', 'Canal (1850)', 'Zürich'])
    ids[name] = await build.term('subject', name);
  ids.first = await build.term('subject', 'Basel');
  ids.second = await build.term('subject', 'basel');
  // Another vocabulary, which the field does not have.
  ids.person = await build.term('person', 'Harbour, Jane');
});
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await repository.stop();
});

async function open(): Promise<{ readonly item: number; readonly page: OpenPage }> {
  const item = await build.node('image', 'An item');
  return { item, page: await confirmPage(editor, 'node', 'term', [item]) };
}
const offered = (page: OpenPage) => page.elements('input[name=near]').map(({ attributes }) => attributes.value);
async function subjectsAfter(answer: OpenPage, item: number): Promise<number[]> {
  await endOf(editor, movedTo(answer));
  const node = (await (await repository.get(`/node/${item}?_format=json`, 'admin')).json()) as EntityJson;
  return node[FIELD].map((each: { target_id: number }) => each.target_id);
}

describe('the term of a bulk change', () => {
  it.each([
    ['harbour', 'Harbour'],
    ['  HARBOUR BOATS ', 'Harbour boats'],
    ['Canal (1850)', 'Canal (1850)'],
    ['zürich', 'Zürich'],
  ])('is found by the name %p', async (term, name) => {
    const { item, page } = await open();
    expect(await subjectsAfter(await page.submit({ field: FIELD, term }), item)).toEqual([ids[name] ?? 0]);
  });

  it('is found by name and id if both belong together', async () => {
    const { item, page } = await open();
    for (const wrong of [
      `Basel (${ids.Harbour})`,
      `Harbour, Jane (${ids.person})`,
      'Basel (999999)',
      `(${ids.second})`,
    ]) {
      const refused = await page.submit({ field: FIELD, term: wrong });
      expect(refused.status).toBe(422);
      expect(errorsOf(refused)[0]).toContain(`has the name “${wrong}”`);
    }
    const answer = await page.submit({ field: FIELD, term: `Basel (${ids.second})` });
    expect(await subjectsAfter(answer, item)).toEqual([ids.second ?? 0]);
  });

  it('is chosen among similar terms if the name is unknown', async () => {
    const { item, page } = await open();
    expect(offered(page)).toEqual([]);
    const refused = await page.submit({ field: FIELD, term: 'Habrour' });
    expect(refused.status).toBe(422);
    expect(errorsOf(refused)).toEqual([
      'No term for Topics has the name “Habrour”. Choose one of the terms below, or enter another name.',
    ]);
    expect(offered(refused)).toEqual(['', `Harbour (${ids.Harbour})`]);
    expect(refused.fields().get('term')).toBe('Habrour');
    // The typed name is chosen until another one is.
    expect((await refused.submit()).status).toBe(422);
    expect(await subjectsAfter(await refused.submit({ near: `Harbour (${ids.Harbour})` }), item)).toEqual([
      ids.Harbour ?? 0,
    ]);
  });

  it('is chosen among all terms with that name if the name is ambiguous', async () => {
    const { item, page } = await open();
    const refused = await page.submit({ field: FIELD, term: 'Basel' });
    expect(refused.status).toBe(422);
    expect(errorsOf(refused)).toEqual([
      '2 terms for Topics have the name “Basel”. Choose one of the terms below, or enter another name.',
    ]);
    expect(offered(refused)).toEqual(['', `Basel (${ids.first})`, `basel (${ids.second})`]);
    expect(refused.html).toContain(`basel (${ids.second}), Subject`);
    expect(await subjectsAfter(await refused.submit({ near: `basel (${ids.second})` }), item)).toEqual([
      ids.second ?? 0,
    ]);
  });

  it('is requested again if no similar term exists', async () => {
    const { page } = await open();
    const refused = await page.submit({ field: FIELD, term: 'Quartz' });
    expect(errorsOf(refused)).toEqual(['No term for Topics has the name “Quartz”. Enter another name.']);
    expect(offered(refused)).toEqual([]);
    for (const field of ['', 'field_gone', 'title', 'field_member_of'])
      expect(errorsOf(await page.submit({ field, term: '' }))).toEqual([
        'Choose a field.',
        'Enter the name of a term.',
      ]);
  });
});

describe('the term completions of a bulk change', () => {
  const complete = async (path: string, as?: string) => repository.get(`/admin/content/bulk/terms/${path}`, as);

  it('come from the vocabularies of the field, and create no term', async () => {
    const response = await complete(`node/${FIELD}?q=harb`, 'editor');
    expect(await response.json()).toEqual({
      completions: ['Harbour', 'Harbour boats'].map((name) => ({
        id: ids[name],
        text: `${name} (${ids[name]})`,
        bundle: 'Subject',
        ...{ noun: 'topic', years: '', items: expect.any(Number) },
      })),
      vocabularies: [],
      ...{ authorities: [], services: [], notices: [] },
    });
    expect((await complete('media/field_media_use?q=orig', 'editor')).status).toBe(200);
  });

  it('require a user, and a field that refers to terms', async () => {
    expect((await complete(`node/${FIELD}?q=a`)).status).toBe(401);
    for (const path of [
      'node/field_gone',
      'node/field_member_of',
      'node/title',
      `taxonomy_term/${FIELD}`,
      'user/roles',
    ])
      expect({ path, status: (await complete(`${path}?q=a`, 'editor')).status }).toEqual({ path, status: 404 });
  });
});
