import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { ADD_ITEM, errorsOf, type FormBrowser, type OpenPage, signedIn } from '../../support/form-call.ts';
import { createTestRepository, type EntityJson, type TestRepository } from '../../support/test-repository.ts';

const MODEL_OF_SITE = `
node_types:
  islandora_object:
    fields:
      field_shelf: { type: string, label: Shelf }
      field_seal: { type: string, label: Seal, required: true, default_value: [{ value: none }] }
    form:
      not_offered: { paged: [field_seal, field_isbn] }
  thesis:
    label: Thesis
    fields:
      field_degree: { type: string, label: Degree }
`;
const MODEL = 'field_model.0.target_id';
const MAX_FORM_BYTES = 60 * 1024;

let repository: TestRepository;
let jane: FormBrowser;
let form: OpenPage;
beforeAll(async () => {
  repository = await createTestRepository({}, { model: MODEL_OF_SITE });
  await repository.user('jane', 'administrator');
  jane = await signedIn(repository, 'jane');
  form = await jane.open(ADD_ITEM);
});
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await repository.stop();
});

const groups = (page: OpenPage) => page.elements('.group h2').map(({ text }) => text);
const shown = (page: OpenPage) => page.elements('[data-name]').map(({ attributes }) => attributes['data-name']);
const offered = (page: OpenPage) =>
  page.elements('.add-field li:not([hidden]) button').map(({ attributes }) => attributes.value?.slice('open '.length));
const model = (label: string) => form.elements('option').find(({ text }) => text === label)?.attributes.value ?? '';
const open = (page: OpenPage, name: string, values = {}) => page.submit(values, { button: ['do', `open ${name}`] });
async function created(values: Record<string, string> = {}): Promise<number> {
  const answer = await form.submit({ 'title.0.value': 'A title', [MODEL]: model('Image'), ...values });
  expect(errorsOf(answer)).toEqual([]);
  return Number(/\/node\/(\d+)/.exec(answer.headers.get('location') ?? '')?.[1]);
}

describe('the form of an item', () => {
  it('has the groups of the model, and the fields that are used most', () => {
    expect(groups(form)).toEqual([
      ...['Title and kind', 'Names', 'Dates', 'Subjects', 'Description', 'Identifiers', 'Rights'],
      ...['Place in the collections', 'Publication', 'More'],
    ]);
    expect(shown(form).slice(0, 3)).toEqual(['title', 'field_model', 'field_linked_agent']);
    expect(shown(form)).toHaveLength(13);
  });

  it('has at most 60 KB', () => {
    expect(Buffer.byteLength(form.html)).toBeLessThanOrEqual(MAX_FORM_BYTES);
  });

  it('explains each field, and names it in words of readers', () => {
    expect(form.elements('[id="title.0.value-help"]')[0]?.text).toStartWith('The name in lists');
    expect(form.elements('fieldset[data-field=field_subject]')[0]?.attributes).toMatchObject({
      'data-label': 'Topics',
      'aria-describedby': 'field_subject-field-help',
    });
    expect(form.elements('.add-field li .help').length).toBeGreaterThan(30);
  });

  it('explains a field with several controls once', async () => {
    const opened = await open(form, 'field_abstract');
    const help = opened.elements('.groups .help').filter(({ text }) => text.startsWith('A summary with formatting'));
    expect(help.map(({ attributes }) => attributes.id)).toEqual(['field_abstract-field-help']);
  });

  it('offers a field that no group names in a last group, and shows a required one', () => {
    expect(offered(form).at(-1)).toBe('field_shelf');
    expect(form.elements('.add-field h3').at(-1)?.text).toBe('More');
    expect(shown(form).at(-1)).toBe('field_seal');
  });

  it('adds an offered field in its place, with everything that was typed', async () => {
    expect(offered(form)).toContain('field_extent');
    const opened = await open(form, 'field_extent', { 'title.0.value': 'Typed' });
    expect(opened.status).toBe(200);
    expect(groups(opened).indexOf('Physical form')).toBe(groups(opened).indexOf('Identifiers') - 1);
    expect(offered(opened)).not.toContain('field_extent');
    expect(opened.fields().get('title.0.value')).toBe('Typed');
    expect(opened.elements('[autofocus]').map(({ attributes }) => attributes.name)).toEqual(['field_extent.0.value']);
    // It stays while the form is sent again, empty or with a problem elsewhere.
    const next = await open(opened, 'field_isbn');
    expect(shown(next)).toContain('field_extent');
    const invalid = await next.submit({ 'title.0.value': '' });
    expect(invalid.status).toBe(422);
    expect(shown(invalid)).toEqual(expect.arrayContaining(['field_extent', 'field_isbn']));
    const preview = await next.submit({ [MODEL]: model('Image') }, { button: ['do', 'preview'] });
    expect(shown(await preview.submit({}, { button: ['do', 'edit'] }))).toContain('field_extent');
  });

  it('ignores a button for an unknown field', async () => {
    expect(shown(await open(form, 'field_nothing'))).toEqual(shown(form));
  });

  it('always shows a field with a value or a problem', async () => {
    const id = await created({ 'field_extent.0.value': '1 print' });
    expect(shown(await jane.open(`/node/${id}/edit`))).toContain('field_extent');
    const invalid = await form.submit({ 'field_copyright_date.0.value': 'May' });
    expect(invalid.elements('.error-summary a[href="#field_copyright_date.0.value"]')).toHaveLength(1);
    expect(shown(invalid)).toContain('field_copyright_date');
  });

  it('leaves the values of fields as they are that it does not show', async () => {
    const id = await created({ 'langcode.0.value': 'en' });
    const page = await jane.open(`/node/${id}/edit`);
    expect(shown(page)).not.toContain('field_extent');
    const change = { type: 'islandora_object', field_extent: ['2 prints'] };
    await repository.patch(`/node/${id}?_format=json`, change, 'admin');
    const warned = await page.submit({ 'title.0.value': 'Another title' });
    expect(warned.status).toBe(409);
    expect((await warned.submit()).status).toBe(303);
    const saved = (await (await repository.get(`/node/${id}?_format=json`, 'jane')).json()) as EntityJson;
    expect(saved.title).toEqual([{ value: 'Another title' }]);
    expect(saved.field_extent).toEqual([{ value: '2 prints' }]);
  });

  it('offers no field that does not suit the chosen model', async () => {
    const suited = async (label: string) => offered(await open(form, 'field_genre', { [MODEL]: model(label) }));
    expect(await suited('Image')).toContain('field_isbn');
    expect(await suited('Page')).not.toContain('field_isbn');
    expect(await suited('Collection')).not.toContain('field_volume');
    expect(await suited('Newspaper')).toContain('field_frequency');
    expect(await suited('Paged Content')).not.toContain('field_isbn');
    const page = await open(form, 'field_isbn', { [MODEL]: model('Page'), 'field_isbn.0.value': '978-3' });
    expect(shown(page)).toContain('field_isbn');
    const structures = JSON.parse(form.elements('form[data-structures]')[0]?.attributes['data-structures'] ?? '{}');
    expect(Object.values(structures).toSorted()).toEqual([...['collection', 'collection', 'page', 'paged', 'paged']]);
  });

  it('shows a required field of each model', async () => {
    const values = { [MODEL]: model('Paged Content'), 'field_seal.0.value': '' };
    expect(shown(await open(form, 'field_genre', values))).toContain('field_seal');
  });
});

describe('the form of a type without groups', () => {
  it('shows all its fields', async () => {
    const page = await jane.open('/node/add/thesis');
    expect(groups(page)).toEqual(['Title and kind', 'Details', 'Publication']);
    expect(shown(page)).toContain('field_degree');
    expect(page.elements('.add-field')).toEqual([]);
  });
});
