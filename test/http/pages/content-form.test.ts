import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import {
  ADD_ITEM,
  errorsOf,
  type FormBrowser,
  formBrowser,
  type OpenPage,
  openFormSite,
  signedIn,
} from '../../support/form-call.ts';
import type { EntityJson, TestRepository } from '../../support/test-repository.ts';

let repository: TestRepository;
let jane: FormBrowser;
let image: string;
beforeAll(async () => {
  ({ repository, jane, image } = await openFormSite());
  await repository.user('reader');
});
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await repository.stop();
});

const MODEL = 'field_model.0.target_id';
const idIn = ({ headers }: OpenPage) => Number(/\/node\/(\d+)/.exec(headers.get('location') ?? '')?.[1]);
const read = async (id: number) =>
  (await (await repository.get(`/node/${id}?_format=json`, 'jane')).json()) as EntityJson;
const term = async (vid: string, name: string) =>
  (
    (await (
      await repository.post('/taxonomy/term?_format=json', { vid, name: [{ value: name }] }, 'admin')
    ).json()) as EntityJson
  ).tid[0].value as number;

/** The attribute that tells the script of a form whether it has unsaved entries. */
const keepOf = (page: OpenPage) => page.elements('form[data-keep]')[0]?.attributes['data-keep'];

async function created(values: Record<string, string> = {}): Promise<number> {
  const answer = await (await jane.open(ADD_ITEM)).submit({ 'title.0.value': 'A title', [MODEL]: image, ...values });
  expect(errorsOf(answer)).toEqual([]);
  expect(answer.status).toBe(303);
  return idIn(answer);
}

describe('the form of a new node', () => {
  it('creates a node with values of each kind of field', async () => {
    const subject = await term('subject', 'Harbours');
    const person = await term('person', 'Doe, Jane');
    const id = await created({
      'title.0.value': 'The harbour “at night”',
      'field_edtf_date.0.value': '1929~',
      'field_description.0.value': 'One line.\nAnother.',
      'field_coordinates.0.lat': '47.5',
      'field_coordinates.0.lng': '7.25',
      'field_subject.0.target_id': 'harbours',
      'field_linked_agent.0.rel_type': 'relators:pht',
      'field_linked_agent.0.target_id': `Doe, Jane (${person})`,
      'field_rights.0.value': '<em>Free</em>',
      'status.0.value': '0',
    });
    const node = await read(id);
    expect(node.title).toEqual([{ value: 'The harbour “at night”' }]);
    expect(node.field_edtf_date).toEqual([{ value: '1929~' }]);
    expect(node.field_description[0].value).toBe('One line.\nAnother.');
    expect(node.field_coordinates[0].lat).toBe(47.5);
    expect(node.field_coordinates[0].lng).toBe(7.25);
    expect(node.field_subject[0].target_id).toBe(subject);
    expect(node.field_linked_agent).toMatchObject([{ target_id: person, rel_type: 'relators:pht' }]);
    expect(node.status).toEqual([{ value: false }]);
  });

  it('takes references from its address', async () => {
    const collection = await created({ 'title.0.value': 'A collection' });
    const form = await jane.open(`${ADD_ITEM}?field_member_of=${collection}`);
    expect(form.fields().get('field_member_of.0.target_id')).toBe(`A collection (${collection})`);
  });

  it('shows problems beside fields and in a summary, and keeps all typed values', async () => {
    const answer = await (await jane.open(ADD_ITEM)).submit({
      'title.0.value': '',
      'field_edtf_date.0.value': '29th May',
      'field_subject.0.target_id': 'Nothing of this name',
      'field_description.0.value': 'Typed <b>here</b>',
    });
    expect(answer.status).toBe(422);
    expect(answer.elements('title')[0]?.text).toStartWith('Error: ');
    expect(errorsOf(answer)).toContain(
      'Topics: Nothing is called "Nothing of this name". Choose another name, or create it.',
    );
    expect(answer.fields().get('field_edtf_date.0.value')).toBe('29th May');
    expect(answer.fields().get('field_description.0.value')).toBe('Typed <b>here</b>');
    const next = await answer.submit({ 'field_subject.0.target_id': '' });
    expect(next.status).toBe(422);
    for (const [field, message] of [
      ['title.0.value', 'Title is required.'],
      [MODEL, 'Model is required.'],
      ['field_edtf_date.0.value', 'is not valid EDTF'],
    ] as const) {
      expect(next.elements(`.error-summary a[href="#${field}"]`)[0]?.text).toContain(message);
      const control = next.elements(`[name="${field}"]`)[0];
      expect(control?.attributes['aria-invalid']).toBe('true');
      expect(control?.attributes['aria-describedby']).toContain(`${field}-error`);
    }
  });

  it.each([
    ['a role without a name', { 'field_linked_agent.0.rel_type': 'relators:aut' }, 'field_linked_agent.0.target_id'],
    ['half of a point', { 'field_coordinates.0.lat': '1' }, 'field_coordinates.0.lng'],
  ])('reports %s instead of dropping it', async (_case, values, missing) => {
    const answer = await (await jane.open(ADD_ITEM)).submit({ 'title.0.value': 'x', [MODEL]: image, ...values });
    expect(answer.status).toBe(422);
    expect(answer.elements('.error-summary a')[0]?.attributes.href).toBe(`#${missing}`);
  });

  it('adds, moves and removes values without JavaScript', async () => {
    const form = await jane.open(ADD_ITEM);
    expect(keepOf(form)).toBe('unchanged');
    expect(form.elements('title')[0]?.text).toStartWith('Add Repository Item');
    const two = await form.submit({ 'field_identifier.0.value': 'a' }, { button: ['do', 'add field_identifier'] });
    expect(two.status).toBe(200);
    expect(keepOf(two)).toBe('changed');
    const moved = await two.submit({ 'field_identifier.1.value': 'b' }, { button: ['do', 'up field_identifier 1'] });
    expect(['0', '1'].map((delta) => moved.fields().get(`field_identifier.${delta}.value`))).toEqual(['b', 'a']);
    const one = await moved.submit({}, { button: ['do', 'remove field_identifier 0'] });
    expect(one.fields().getAll('field_identifier.0.value')).toEqual(['a']);
    expect(one.fields().has('field_identifier.1.value')).toBe(false);
  });

  it('creates a term if the field allows it', async () => {
    const asked = await (await jane.open(ADD_ITEM)).submit({
      'title.0.value': 'x',
      [MODEL]: image,
      'field_subject.0.target_id': 'Lighthouses',
    });
    const button = asked.elements('button[value="create field_subject 0 subject"]')[0];
    expect(button?.text).toBe('Create “Lighthouses” as a topic');
    const filled = await asked.submit({}, { button: ['do', 'create field_subject 0 subject'] });
    expect(filled.fields().get('field_subject.0.target_id')).toMatch(/^Lighthouses \(\d+\)$/);
    const saved = await filled.submit();
    expect((await read(idIn(saved))).field_subject).toHaveLength(1);
  });

  it('creates no term for a name unless its button is pressed', async () => {
    const form = await jane.open(ADD_ITEM);
    const two = await form.submit(
      { 'field_subject.0.target_id': 'Windmills' },
      { button: ['do', 'add field_subject 0'] },
    );
    expect(two.fields().get('field_subject.0.target_id')).toBe('Windmills');
    const found = await repository.get('/entity/completions/node/islandora_object/field_subject?q=windmills', 'jane');
    expect(((await found.json()) as EntityJson).completions).toEqual([]);
  });

  it('ignores a button that creates terms of a field without references', async () => {
    const answer = await (await jane.open(ADD_ITEM)).submit(
      { 'title.0.value': 'Windmills' },
      { button: ['do', 'create title 0'] },
    );
    expect(answer.status).toBe(200);
    expect(answer.fields().get('title.0.value')).toBe('Windmills');
  });

  it('names the rules of its texts to the script that checks them', async () => {
    const form = await jane.open(ADD_ITEM);
    const checksOf = (name: string) => form.elements(`[name="${name}"]`)[0]?.attributes['data-checks'];
    expect(JSON.parse(checksOf('title.0.value') ?? '[]')).toEqual([
      { pattern: '^[^]{0,255}$', flags: 'u', message: 'Title: may not be longer than 255 characters.' },
    ]);
    expect(checksOf('field_note.0.value')).toBeUndefined();
  });

  it('requires the permission to create a node', async () => {
    expect((await (await signedIn(repository, 'reader')).open(ADD_ITEM)).status).toBe(403);
    expect((await jane.open('/node/add/nothing')).status).toBe(404);
    expect((await formBrowser(repository).open(ADD_ITEM)).status).toBe(401);
  });

  it('requires the token of the session', async () => {
    const fields = (await jane.open(ADD_ITEM)).fields();
    fields.set('form_token', 'x');
    const answer = await jane.post(ADD_ITEM, fields, { 'Sec-Fetch-Site': 'none' });
    expect(answer.status).toBe(403);
    expect(answer.elements('h1')[0]?.text).toBe('Access denied');
    const foreign = await jane.post(ADD_ITEM, (await jane.open(ADD_ITEM)).fields(), { 'Sec-Fetch-Site': 'cross-site' });
    expect(foreign.status).toBe(403);
  });
});

describe('the form of a stored node', () => {
  it('saves nothing and keeps all values if nothing has changed', async () => {
    const id = await created({
      'field_coordinates.0.lat': '1',
      'field_coordinates.0.lng': '2',
      'field_edtf_date.0.value': '1930',
      'field_rights.0.value': 'Free',
    });
    const before = await read(id);
    const answer = await (await jane.open(`/node/${id}/edit`)).submit();
    expect(answer.status).toBe(303);
    expect(answer.headers.get('location')).toBe(`${repository.url}/node/${id}`);
    expect(await read(id)).toEqual(before);
  });

  it('saves a change as a revision with its message, and can return to the form', async () => {
    const id = await created();
    const form = await jane.open(`/node/${id}/edit`);
    expect(form.fields().get('revision_log.0.value')).toBe('');
    const answer = await form.submit(
      { 'title.0.value': 'Another title', 'revision_log.0.value': 'Corrected' },
      { button: ['do', 'save'] },
    );
    expect(answer.headers.get('location')).toBe(`${repository.url}/node/${id}/edit`);
    expect(decodeURIComponent(answer.headers.get('set-cookie') ?? '')).toContain('notice=Saved.');
    const node = await read(id);
    expect(node.title[0].value).toBe('Another title');
    expect(node.revision_log[0].value).toBe('Corrected');
  });

  it('warns of a change by someone else, and shows the difference', async () => {
    const id = await created();
    const form = await jane.open(`/node/${id}/edit`);
    const change = { type: 'islandora_object', title: ['By another'] };
    await repository.patch(`/node/${id}?_format=json`, change, 'admin');
    const warned = await form.submit({ 'title.0.value': 'By Jane' });
    expect(warned.status).toBe(409);
    expect(warned.elements('#conflict-title')[0]?.text).toBe('admin has saved this meanwhile');
    expect(warned.elements('.warning tbody tr').map(({ text }) => text)).toEqual(['TitleBy anotherBy Jane']);
    expect((await read(id)).title[0].value).toBe('By another');
    expect((await warned.submit()).status).toBe(303);
    expect((await read(id)).title[0].value).toBe('By Jane');
  });

  it('restores the typed values after the session has ended', async () => {
    const id = await created();
    const browser = await signedIn(repository, 'jane');
    const form = await browser.open(`/node/${id}/edit`);
    await (await browser.open('/user/logout')).submit();
    const asked = await form.submit({ 'title.0.value': 'Typed before' });
    expect(asked.status).toBe(401);
    expect(asked.elements('h1')[0]?.text).toBe('Sign in');
    const again = await asked.submit({ name: 'jane', pass: 'jane' });
    expect(again.status).toBe(200);
    expect(again.elements('h1')[0]?.text).toBe('Your entries are still here');
    const cookie = again.headers.get('set-cookie')?.split(';', 1)[0] ?? '';
    const saved = await browser.post(`/node/${id}/edit`, again.fields(), { Cookie: cookie });
    expect(saved.status).toBe(303);
    expect((await read(id)).title[0].value).toBe('Typed before');
  });

  it('names a field that has been removed from the model since', async () => {
    const fields = (await jane.open(ADD_ITEM)).fields();
    fields.set('title.0.value', 'x');
    fields.set(MODEL, image);
    fields.set('field_gone.0.value', 'Precious');
    const answer = await jane.post(ADD_ITEM, fields);
    expect(answer.status).toBe(422);
    expect(errorsOf(answer)).toEqual([
      'The field "field_gone" has been removed from this form. Its value was: Precious',
    ]);
    expect((await answer.submit()).status).toBe(303);
  });

  it('requires the permission to change the node', async () => {
    const id = await created();
    expect((await (await signedIn(repository, 'reader')).open(`/node/${id}/edit`)).status).toBe(403);
    expect((await jane.open('/node/999999/edit')).status).toBe(404);
    const answer = await formBrowser(repository).post(
      `/node/${id}/edit`,
      new URLSearchParams({ 'title.0.value': 'x' }),
    );
    expect(answer.status).toBe(401);
  });
});

describe('the form of a media', () => {
  it('changes its texts, and returns JSON at the same address', async () => {
    const node = await created();
    const use = await repository.termId('http://pcdm.org/use#OriginalFile');
    const bytes = await Bun.file('test/fixtures/images/red.jpg').bytes();
    const put = await repository.put(
      `/node/${node}/media/image/${use}`,
      bytes,
      { 'Content-Type': 'image/jpeg', 'Content-Location': 'public://photo.jpg' },
      'admin',
    );
    const path = new URL(put.headers.get('location') ?? '').pathname;
    const form = await jane.open(`${path}/edit`);
    expect(form.status).toBe(200);
    expect(form.elements('.value-file a').map(({ text }) => text)).toEqual(['photo.jpg']);
    expect((await form.submit({ 'field_media_image.0.alt': 'A harbour' })).status).toBe(303);
    const json = (await (await repository.get(`${path}/edit?_format=json`, 'jane')).json()) as EntityJson;
    expect(json.field_media_image).toMatchObject([{ alt: 'A harbour', url: expect.stringContaining('photo.jpg') }]);
    expect((await formBrowser(repository).open(`${path}/edit`)).status).toBe(401);
  });
});

describe('the form of a text with a format', () => {
  it('names the rule of its length to the script that checks it', async () => {
    const node = await created();
    const use = await repository.termId('http://pcdm.org/use#ServiceFile');
    const put = await repository.put(
      `/node/${node}/media/fits_technical_metadata/${use}`,
      new TextEncoder().encode('<fits/>'),
      { 'Content-Type': 'application/xml', 'Content-Location': 'fedora://fits.xml' },
      'admin',
    );
    const form = await jane.open(`${new URL(put.headers.get('location') ?? '').pathname}/edit`);
    const area = form.elements('textarea[name="fits_ois_file_information_md5che.0.value"]')[0];
    expect(JSON.parse(area?.attributes['data-checks'] ?? '[]')).toMatchObject([{ pattern: '^[^]{0,255}$' }]);
  });
});

describe('the form of a new media', () => {
  it('asks for the item, and leads to its upload page', async () => {
    const id = await created({ 'title.0.value': 'The pier' });
    const form = await jane.open('/media/add/image');
    expect(form.elements('.action-bar button').map(({ text }) => text)).toEqual(['Choose a file']);
    const empty = await form.submit();
    expect(empty.status).toBe(422);
    expect(errorsOf(empty)).toEqual(['Media of is required.']);
    const answer = await form.submit({ 'field_media_of.0.target_id': 'The pier' });
    expect(answer.status).toBe(303);
    expect(answer.headers.get('location')).toBe(`${repository.url}/node/${id}/upload`);
    expect((await jane.open(`/node/${id}/upload`)).status).toBe(200);
  });

  it('creates a media without a file', async () => {
    const form = await jane.open('/media/add/remote_video');
    const answer = await form.submit({
      'name.0.value': 'A talk',
      'field_media_oembed_video.0.value': 'https://example.org/v',
    });
    expect(errorsOf(answer)).toEqual([]);
    expect(answer.status).toBe(303);
    expect(answer.headers.get('location')).toContain('/media/');
  });
});

describe('the form of a term', () => {
  it('creates and changes a term', async () => {
    const answer = await (await jane.open('/taxonomy/manage/subject/add')).submit({ 'name.0.value': 'Cranes' });
    const path = new URL(answer.headers.get('location') ?? '').pathname;
    const form = await jane.open(`${path}/edit`);
    expect((await form.submit({ 'name.0.value': 'Harbour cranes' })).status).toBe(303);
    const json = (await (await repository.get(`${path}?_format=json`, 'jane')).json()) as EntityJson;
    expect(json.name).toEqual([{ value: 'Harbour cranes' }]);
  });
});

describe('the form of a stored term', () => {
  it('carries the parts of values that no control shows, and nothing else', async () => {
    const options = { attributes: { rel: ['me'] } };
    const link = { uri: 'https://id.loc.gov/1', title: 'Signals', source: 'lcsh', options };
    const created = await repository.post(
      '/taxonomy/term?_format=json',
      { vid: 'subject', name: ['Signal boxes'], field_authority_link: [link], path: [{ alias: '/signal-boxes' }] },
      'admin',
    );
    const before = (await created.json()) as EntityJson;
    const path = `/taxonomy/term/${before.tid[0].value}`;
    const form = await jane.open(`${path}/edit`);
    expect([...form.fields()].filter(([name]) => name.endsWith('._rest'))).toEqual([
      ['field_authority_link.0._rest', JSON.stringify({ options })],
      ['path.0._rest', '{"langcode":"en"}'],
    ]);
    expect((await form.submit()).status).toBe(303);
    expect(await (await repository.get(`${path}?_format=json`, 'admin')).json()).toEqual(before);
  });
});

describe('the page of an item', () => {
  it('links to its forms for callers who may use them', async () => {
    const id = await created();
    const linksOf = async (browser: FormBrowser) =>
      (await browser.open(`/node/${id}`))
        .elements('.edit-links a')
        .map(({ text, attributes }) => [text, attributes.href]);
    expect(await linksOf(jane)).toEqual([
      ['Edit', `${repository.url}/node/${id}/edit`],
      ['Files', `/node/${id}/files`],
      ['Add a member', `/node/add/islandora_object?field_member_of=${id}`],
      ['Unpublish', `/node/${id}/publication`],
      ['Delete', `${repository.url}/node/${id}/delete`],
    ]);
    expect(await linksOf(await signedIn(repository, 'reader'))).toEqual([]);
    expect(await linksOf(formBrowser(repository))).toEqual([]);
  });
});
