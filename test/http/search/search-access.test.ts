import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { facet, type SearchAnswer, search, searchPath } from '../../support/search-call.ts';
import { SiteBuilder } from '../../support/site-builder.ts';
import { createTestRepository, type TestRepository } from '../../support/test-repository.ts';

let repository: TestRepository;
let collection: number;

/** The callers with the items that each may view: published ones, the owner's draft, and all. */
const CALLERS: readonly (readonly [as: string | undefined, titles: readonly string[]])[] = [
  [undefined, ['Quay open']],
  ['stranger', ['Quay open']],
  ['owner', ['Quay draft', 'Quay open']],
  ['editor', ['Quay draft', 'Quay open', 'Quay secret']],
  ['admin', ['Quay draft', 'Quay open', 'Quay secret']],
];

beforeAll(async () => {
  repository = await createTestRepository();
  await repository.user('stranger');
  const owner = await repository.user('owner', 'workbench_user');
  await repository.user('editor', 'repository_editor');
  const build = new SiteBuilder(repository);
  const terms = Object.fromEntries(
    await Promise.all(
      ['Known', 'Drafted', 'Classified'].map(async (name) => [name, await build.term('subject', name)] as const),
    ),
  );
  collection = await build.node('collection', 'Hidden archive', { status: [false] });
  const fields = (subject: string, word: string) => ({
    field_subject: [terms[subject] as number],
    field_member_of: [collection],
    field_description: [`The word ${word} stands here.`],
    field_edtf_date_created: [subject === 'Known' ? '1901' : '1955'],
  });
  await build.node('image', 'Quay open', fields('Known', 'plainword'));
  const hidden = { status: [false] };
  await build.node('image', 'Quay secret', { ...fields('Classified', 'secretword'), ...hidden });
  await build.node('image', 'Quay draft', { ...fields('Drafted', 'draftword'), ...hidden, uid: [owner] });
});
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await repository.stop();
});

const titlesOf = ({ items }: SearchAnswer) => items.map(({ title }) => title).sort();

describe.each(CALLERS)('a search by %s', (as, titles) => {
  it('finds and counts only what the caller may view', async () => {
    const answer = await search(repository, { q: 'quay' }, as);
    expect({ total: answer.total, titles: titlesOf(answer) }).toEqual({ total: titles.length, titles: [...titles] });
    expect(facet(answer, 'model')).toEqual({ Image: titles.length });
    const decades = facet(answer, 'decade');
    expect(decades).toEqual({ '1900s': 1, ...(titles.length > 1 && { '1950s': titles.length - 1 }) });
  });

  it('counts only values of what the caller may view', async () => {
    const answer = await search(repository, {}, as);
    const subjects = { 'Quay open': 'Known', 'Quay draft': 'Drafted', 'Quay secret': 'Classified' };
    const expected = titles.map((title) => [subjects[title as keyof typeof subjects], 1]);
    expect(facet(answer, 'subject')).toEqual(Object.fromEntries(expected));
    expect(Object.keys(facet(answer, 'collection'))).toEqual(
      as === 'editor' || as === 'admin' ? ['Hidden archive'] : [],
    );
  });

  it('reveals no snippet, page or correction of hidden text', async () => {
    for (const [word, title] of [
      ['secretword', 'Quay secret'],
      ['draftword', 'Quay draft'],
    ] as const) {
      const isSeen = titles.includes(title);
      const answer = await search(repository, { q: word }, as);
      expect([answer.total, answer.items.length, answer.facets.length > 0]).toEqual(
        isSeen ? [1, 1, true] : [0, 0, false],
      );
      const misspelt = `${word.slice(0, -1)}t`;
      const html = await (await repository.get(`/search?q=${misspelt}`, as, { Accept: 'text/html' })).text();
      expect(html.includes(`>${word}<`)).toBe(isSeen);
    }
  });

  it('omits a hidden collection of a result', async () => {
    const html = await (await repository.get('/search?q=quay', as, { Accept: 'text/html' })).text();
    expect(html.includes('part of <a')).toBe(as === 'editor' || as === 'admin');
    expect(html.includes('Hidden archive')).toBe(as === 'editor' || as === 'admin');
  });

  it('does not complete hidden titles', async () => {
    const response = await repository.get(searchPath({ q: 'quay' }, '/search/suggest'), as);
    const { suggestions } = (await response.json()) as { suggestions: { text: string }[] };
    expect(suggestions.map(({ text }) => text).sort()).toEqual([...titles]);
    const archive = await repository.get(searchPath({ q: 'hidden arch' }, '/search/suggest'), as);
    expect(((await archive.json()) as { suggestions: unknown[] }).suggestions.length).toBe(
      as === 'editor' || as === 'admin' ? 1 : 0,
    );
  });

  it('shows a filter by a hidden collection without its name', async () => {
    const query = `/search?f.collection=${collection}`;
    const html = await (await repository.get(query, as, { Accept: 'text/html' })).text();
    expect(html.includes('Hidden archive')).toBe(as === 'editor' || as === 'admin');
  });
});

describe('a change of permissions to view an item', () => {
  it('takes effect immediately', async () => {
    const found = (await search(repository, { q: 'secretword' }, 'admin')).items[0];
    const publish = (status: boolean) =>
      repository.patch(`/node/${found?.nid}?_format=json`, { type: 'islandora_object', status: [status] }, 'admin');
    await publish(true);
    expect((await search(repository, { q: 'secretword' })).total).toBe(1);
    await publish(false);
    expect((await search(repository, { q: 'secretword' })).total).toBe(0);
  });
});

describe('a site without permissions for anonymous callers', () => {
  it('returns neither results nor completions to them', async () => {
    const closed = await createTestRepository({}, { model: 'roles: { anonymous: { permissions: [view media] } }\n' });
    await closed.node({ title: [{ value: 'Quay' }] });
    expect(await search(closed, { q: 'quay' })).toMatchObject({ total: 0, items: [], facets: [] });
    const response = await closed.get(searchPath({ q: 'quay' }, '/search/suggest'));
    expect(await response.json()).toEqual({ query: 'quay', suggestions: [] });
    expect((await search(closed, { q: 'quay' }, 'admin')).total).toBe(1);
    await closed.stop();
  });
});
