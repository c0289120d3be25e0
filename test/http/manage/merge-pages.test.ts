import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { type FormBrowser, signedIn } from '../../support/form-call.ts';
import { SiteBuilder } from '../../support/site-builder.ts';
import { createTestRepository, type TestRepository } from '../../support/test-repository.ts';
import { until } from '../../support/until.ts';

let repository: TestRepository;
let build: SiteBuilder;
let editor: FormBrowser;
beforeAll(async () => {
  repository = await createTestRepository();
  build = new SiteBuilder(repository);
  await repository.user('reader');
  await repository.user('editor', 'repository_editor');
  editor = await signedIn(repository, 'editor');
});
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await repository.stop();
});

describe('the page of a merge', () => {
  it('asks for the other term, tells the effects, and merges', async () => {
    const [wrong, right] = [await build.term('subject', 'Harbors'), await build.term('subject', 'Harbours')];
    const item = await build.node('image', 'The bay', { field_subject: [wrong] });
    const path = `/taxonomy/manage/subject/merge/${wrong}`;
    expect((await editor.open(path)).elements('#into')).toHaveLength(1);
    const unknown = await editor.open(`${path}?into=Nothing`);
    expect([unknown.status, unknown.elements('.error-summary a').length]).toEqual([422, 1]);
    expect((await editor.open(`${path}?into=Harbors`)).html).toContain('Choose another term than this one.');
    const confirm = await editor.open(`${path}?into=harbours`);
    expect(confirm.html).toContain('This cannot be undone.');
    expect(confirm.html).toContain('1 reference to it changes');
    const merged = await confirm.submit();
    expect([merged.status, merged.headers.get('location')]).toEqual([303, expect.stringContaining(`/term/${right}`)]);
    await until(async () => (await build.read(`/node/${item}`)).field_subject[0].target_id === right);
    expect((await editor.open(path)).status).toBe(404);
  });

  it('shows why a merge is refused, and only opens for those who may change the term', async () => {
    const top = await build.term('subject', 'Animals');
    const below = await build.term('subject', 'Birds', { parent: [top] });
    const path = `/taxonomy/manage/subject/merge/${top}`;
    const refused = await (await editor.open(`${path}?into=Birds+(${below})`)).submit();
    expect(refused.status).toBe(422);
    expect(refused.html).toContain('A term cannot be replaced by one below it.');
    expect((await (await signedIn(repository, 'reader')).open(path)).status).toBe(403);
    expect((await editor.open(`/taxonomy/manage/person/merge/${top}`)).status).toBe(404);
  });
});

describe('the terms of a vocabulary', () => {
  it('are listed with the number of their uses, and the unused ones are deleted together', async () => {
    const [used, one, other] = [
      await build.term('genre', 'Maps'),
      await build.term('genre', 'Charts'),
      await build.term('genre', 'Plans'),
    ];
    await build.node('image', 'The coast', { field_genre: [used] });
    const list = await editor.open('/taxonomy/manage/genre?q=maps');
    expect(list.elements('tbody tr td').at(0)?.text).toBe('1');
    const unused = await editor.open('/taxonomy/manage/genre/unused');
    const names = unused.elements('tbody th a').map(({ text }) => text);
    expect(names).toEqual(expect.arrayContaining(['Charts', 'Plans']));
    expect(names).not.toContain('Maps');
    // Another editor has used one of them meanwhile.
    await build.node('image', 'The chart', { field_genre: [one] });
    const done = await unused.submit({ term: [String(one), String(other), String(used)] });
    expect(decodeURIComponent(done.headers.get('set-cookie') ?? '')).toContain('Deleted 1 term.');
    const { status } = await repository.get(`/taxonomy/term/${other}?_format=json`, 'admin');
    expect([status, (await build.read(`/taxonomy/term/${one}`)).name[0].value]).toEqual([404, 'Charts']);
  });

  it('of the configuration are never listed as unused', async () => {
    const admin = await signedIn(repository, 'admin');
    const names = (await admin.open('/taxonomy/manage/islandora_media_use/unused')).elements('tbody th a');
    expect(names.map(({ text }) => text)).not.toContain('Original File');
  });
});

describe('the report of similar terms', () => {
  it('lists pairs with their difference, and leads to their merge', async () => {
    const names = ['Doe, Jane', 'Jane Doe', 'Doe, Jane, 1901-1980', 'Müller, Anna', 'Muller, Anna', 'Mueller, Ann'];
    for (const name of [...names, 'Smith, Robert', 'Smith, Roberta', 'Roe, 1850-1900', 'Roe, 1901-1980'])
      await build.term('person', name);
    const path = '/taxonomy/manage/person/similar';
    const first = await editor.open(path);
    expect(first.html).toContain('The terms have not been compared yet.');
    expect((await first.submit()).status).toBe(303);
    const report = await until(async () => {
      const page = await editor.open(path);
      return page.elements('tbody tr').length > 0 && page;
    });
    const rows = report.elements('tbody tr').map(({ text }) => text);
    const has = (...parts: string[]) => rows.some((row) => parts.every((part) => row.includes(part)));
    expect(has('Doe, JaneJane Doe', 'Order of the words')).toBe(true);
    expect(has('Doe, Jane', '1901-1980', 'Dates')).toBe(true);
    expect(has('Müller, AnnaMuller, Anna', 'Writing')).toBe(true);
    expect(has('Smith, RobertSmith, Roberta', 'One letter')).toBe(true);
    expect(has('Roe')).toBe(false);
    const [link] = report.elements('tbody .actions a');
    const confirm = await editor.open(link?.attributes.href ?? '');
    expect([confirm.status, confirm.elements('button.danger').length]).toEqual([200, 1]);
    await confirm.submit();
    expect((await editor.open(path)).elements('tbody tr').length).toBeLessThan(rows.length);
    expect((await (await signedIn(repository, 'reader')).open(path)).status).toBe(403);
  });
});
