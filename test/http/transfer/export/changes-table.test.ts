import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { type FormBrowser, signedIn } from '../../../support/form-call.ts';
import { SiteBuilder } from '../../../support/site-builder.ts';
import { createTestRepository, type TestRepository } from '../../../support/test-repository.ts';
import { createUpdateSite, type UpdateSite } from '../../../support/update-site.ts';

let repository: TestRepository;
let site: UpdateSite;
let editor: FormBrowser;
let collection: number;
let members: number[];
beforeAll(async () => {
  repository = await createTestRepository();
  await repository.user('editor', 'repository_editor');
  await repository.user('reader');
  site = await createUpdateSite(repository);
  const build = new SiteBuilder(repository);
  collection = await build.node('collection', 'Ferries of the lake');
  const inCollection = { field_member_of: [collection] };
  const book = await build.node('book', 'Timetables', inCollection);
  const page = await build.node('page', 'Timetable of 1908', { field_member_of: [book] });
  members = [book, page, await build.node('image', 'A ferry', { ...inCollection, field_identifier: ['a|b'] })];
  editor = await signedIn(repository, 'editor');
}, 30_000);
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await site.remove();
  await repository.stop();
});

const CHANGES = '/admin/content/changes.csv';
const idsIn = (table: string) =>
  table
    .trim()
    .split('\n')
    .slice(1)
    .filter((line) => !line.startsWith('#') && !line.startsWith('"#'))
    .map((line) => Number(line.split(',')[0]));

describe('an export for changes', () => {
  it('of selected items is the table that repo export --for-update writes', async () => {
    const [book = 0, page = 0] = members;
    const { html, headers } = await editor.open(`${CHANGES}?kind=node&entry=${page}&entry=${book}`);
    expect(html).toBe(await site.export([book, page]));
    expect(headers.get('content-disposition')).toBe('attachment; filename="changes.csv"');
  });

  it('of a collection has its direct and indirect members, and the page of the collection leads to it', async () => {
    const page = await editor.open(`/node/${collection}`);
    const link = page.elements('a').find(({ text }) => text === 'Export for changes')?.attributes.href ?? '';
    expect(link).toBe(`${CHANGES}?members_of=${collection}`);
    expect(idsIn((await editor.open(link)).html).sort()).toEqual([...members].sort());
  });

  it('of a search has all of its results, and the page of the search leads to it', async () => {
    const { elements } = await editor.open('/search?q=timetable*');
    const sent = elements('#search-table [type=hidden], #search-table [value=changes]').map(({ attributes }) => [
      attributes.name ?? '',
      attributes.value ?? '',
    ]);
    const { html, headers } = await editor.open(`/search?${new URLSearchParams(sent)}`);
    expect([idsIn(html).sort(), headers.get('content-disposition')]).toEqual([
      members.slice(0, 2).sort(),
      'attachment; filename=changes.csv',
    ]);
    expect(idsIn((await editor.open('/search?q=nothing&_format=csv&columns=changes')).html)).toEqual([]);
  });

  it('of all that match a filter follows the list, whose bar has its button', async () => {
    const list = await editor.open('/admin/content?title=ferry');
    expect(list.elements('button').map(({ text, attributes }) => [text, attributes.formaction])).toContainEqual([
      'Export for changes',
      CHANGES,
    ]);
    expect(idsIn((await editor.open(`${CHANGES}?all=1&filter=title%3Dferry`)).html)).toEqual(members.slice(2));
    expect((await editor.open(CHANGES)).status).toBe(400);
  });

  it('leaves the cell of a value with the subdelimiter empty, and says so in a comment', async () => {
    const { html } = await editor.open(`${CHANGES}?entry=${members[2]}`);
    expect(html).not.toContain('a|b');
    expect(html.trim().split('\n').at(-1)).toBe(
      '"# 1 values of field_identifier with |: their cells are empty, which changes nothing."',
    );
  });

  it('is for editors alone', async () => {
    const reader = await signedIn(repository, 'reader');
    expect((await reader.open(`${CHANGES}?entry=${members[0]}`)).status).toBe(403);
    expect((await reader.open('/search?q=ferry&_format=csv&columns=changes')).status).toBe(403);
    const pages = await Promise.all(['/search?q=ferry', `/node/${collection}`].map((path) => reader.open(path)));
    expect(pages.map(({ html }) => html.includes('Export for changes'))).toEqual([false, false]);
  });
});
