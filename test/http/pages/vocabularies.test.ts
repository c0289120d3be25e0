import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { type FormBrowser, type OpenPage, signedIn } from '../../support/form-call.ts';
import { createTestRepository, type TestRepository } from '../../support/test-repository.ts';

const TERMS = '/taxonomy/manage/subject';
let repository: TestRepository;
let editor: FormBrowser;
beforeAll(async () => {
  repository = await createTestRepository();
  await repository.user('editor', 'repository_editor');
  await repository.user('reader');
  editor = await signedIn(repository, 'editor');
  for (const name of ['Harbours', 'Cranes', 'Ships'])
    await repository.post('/taxonomy/term?_format=json', { vid: 'subject', name: [name] }, 'admin');
});
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await repository.stop();
});

const names = (page: OpenPage) => page.elements('tbody th a').map(({ text }) => text);
const weightOf = (page: OpenPage, name: string) =>
  page.elements('tbody input').find(({ attributes }) => attributes['aria-label'] === `Weight of ${name}`)?.attributes
    .name ?? '';

describe('the list of vocabularies', () => {
  it('lists vocabularies whose terms the caller may change, with their number', async () => {
    const page = await editor.open('/taxonomy');
    const found = page.elements('.page-list > div').map(({ text }) => text);
    expect(found).toContain('Subject3 terms');
    expect((await (await signedIn(repository, 'reader')).open('/taxonomy')).status).toBe(403);
  });
});

describe('the terms of a vocabulary', () => {
  it('are in their order, and can be found by part of the name', async () => {
    expect(names(await editor.open(TERMS))).toEqual(['Cranes', 'Harbours', 'Ships']);
    expect(names(await editor.open(`${TERMS}?q=ARB`))).toEqual(['Harbours']);
    const none = await editor.open(`${TERMS}?q=%25`);
    expect(none.elements('.empty').map(({ text }) => text)).toEqual(['No term has this in its name.']);
  });

  it('are sorted by their weights', async () => {
    const page = await editor.open(TERMS);
    const saved = await page.submit({ [weightOf(page, 'Cranes')]: '5' });
    expect(saved.status).toBe(303);
    expect(decodeURIComponent(saved.headers.get('set-cookie') ?? '')).toContain('Saved the order of 1 term.');
    expect(names(await editor.open(TERMS))).toEqual(['Harbours', 'Ships', 'Cranes']);
  });

  it('keep their order if a weight is invalid, and show it again', async () => {
    const page = await editor.open(TERMS);
    const field = weightOf(page, 'Ships');
    const again = await page.submit({ [field]: 'heavy', [weightOf(page, 'Harbours')]: '7' });
    expect(again.status).toBe(422);
    expect(again.elements('.error-summary a').map(({ attributes }) => attributes.href)).toEqual([`#${field}`]);
    expect(again.fields().get(field)).toBe('heavy');
    expect(names(await editor.open(TERMS))).toEqual(['Harbours', 'Ships', 'Cranes']);
  });

  it('require the permission to change them', async () => {
    const reader = await signedIn(repository, 'reader');
    expect((await reader.open(TERMS)).status).toBe(403);
    expect((await reader.post(TERMS, new URLSearchParams())).status).toBe(403);
    expect((await editor.open('/taxonomy/manage/nothing')).status).toBe(404);
  });
});

describe('completions of a reference', () => {
  const complete = async (query: string, as?: string, field = 'node/islandora_object/field_subject') =>
    repository.get(`/entity/completions/${field}?q=${encodeURIComponent(query)}`, as);

  it('start with the names that begin with the text, and have ids', async () => {
    const answer = (await (await complete('s', 'editor')).json()) as {
      completions: { text: string }[];
      vocabularies: { name: string }[];
    };
    expect(answer.completions.map(({ text }) => text.replace(/ \(\d+\)$/, ''))).toEqual([
      'Ships',
      'Cranes',
      'Harbours',
    ]);
    expect(answer.vocabularies.map(({ name }) => name)).toContain('subject');
  });

  it('require a signed-in caller, and a known field', async () => {
    expect((await complete('s')).status).toBe(401);
    expect((await complete('s', 'editor', 'node/islandora_object/field_x')).status).toBe(404);
    expect((await complete('s', 'editor', 'nothing/x/y')).status).toBe(404);
    expect(await (await complete('s', 'editor', 'node/islandora_object/title')).json()).toMatchObject({
      completions: [],
    });
  });
});
