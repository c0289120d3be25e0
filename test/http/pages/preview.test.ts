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
import { detail } from '../../support/page.ts';
import { dangersOf } from '../../support/page-safety.ts';
import { barOf, EDIT, NOTHING_SAVED, PREVIEW, previewed, SAVE } from '../../support/preview-call.ts';
import type { EntityJson, TestRepository } from '../../support/test-repository.ts';

const MODEL = 'field_model.0.target_id';

let repository: TestRepository;
let jane: FormBrowser;
let image: string;
beforeAll(async () => {
  ({ repository, jane, image } = await openFormSite());
});
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await repository.stop();
});

const heading = (page: OpenPage) => page.elements('h1')[0]?.text;
const read = async (path: string) =>
  (await (await repository.get(`${path}?_format=json`, 'jane')).json()) as EntityJson;

/** The values of a form without those of its session and version. */
const typedIn = (page: OpenPage) =>
  Object.fromEntries([...page.fields()].filter(([name]) => !['form_token', 'form_version'].includes(name)));

describe('the preview of a new item', () => {
  const values = {
    'title.0.value': 'The harbour “at night”',
    [MODEL]: '',
    'field_edtf_date.0.value': '1929~',
    'field_description.0.value': 'One line.\nAnother.',
    'path.0.alias': '/harbour-at-night',
    'status.0.value': '0',
  };

  it('shows its page, and stores nothing', async () => {
    const preview = await previewed(repository, jane, ADD_ITEM, { ...values, [MODEL]: image });
    expect(preview.status).toBe(200);
    expect(heading(preview)).toBe('The harbour “at night”');
    expect(barOf(preview)).toEqual([NOTHING_SAVED]);
    expect(preview.elements('.preview-bar button').map(({ text }) => text)).toEqual(['Back to editing', 'Save']);
    expect(preview.elements('.kind')[0]?.text).toBe('Image · about 1929');
    expect(detail(preview.html, 'Date')).toEqual(['about 1929']);
    expect(preview.html).toContain('Not published');
    expect(preview.elements('title')[0]?.text).toStartWith('Preview: The harbour');
    expect((await repository.get('/harbour-at-night', 'jane')).status).toBe(404);
  });

  it('shows neither an address of its own nor editing links', async () => {
    const preview = await previewed(repository, jane, ADD_ITEM, { ...values, [MODEL]: image });
    expect(preview.html).not.toMatch(/\/node\/0\b/);
    for (const absent of ['.edit-links', '.upload-link', '.derivative-list', '.stage', '.share', '.cite', '.downloads'])
      expect({ absent, elements: preview.elements(absent) }).toEqual({ absent, elements: [] });
  });

  it('is neither cached nor indexed', async () => {
    const preview = await previewed(repository, jane, ADD_ITEM, { ...values, [MODEL]: image });
    expect(preview.headers.get('cache-control')).toBe('no-store, private');
    expect(preview.elements('meta[name=robots]')[0]?.attributes.content).toBe('noindex');
    expect(preview.elements('link[rel=canonical], meta[property^="og:"], script[type="application/ld+json"]')).toEqual(
      [],
    );
    expect(preview.headers.get('content-language')).toBe('en');
  });

  it('leads back to the form with all typed values, and saves them', async () => {
    const typed = { ...values, [MODEL]: image, 'field_identifier.0.value': ' "a" & <b> ' };
    const preview = await previewed(repository, jane, ADD_ITEM, typed);
    const form = await preview.submit({}, EDIT);
    expect(form.status).toBe(200);
    expect(heading(form)).toBe('Add Repository Item');
    expect(errorsOf(form)).toEqual([]);
    expect(form.elements('form[data-keep]')[0]?.attributes['data-keep']).toBe('changed');
    const sent = { ...typed, 'field_description.0.value': 'One line.\r\nAnother.' };
    expect(typedIn(form)).toMatchObject(sent);
    const again = await form.submit({}, PREVIEW);
    const saved = await again.submit({}, SAVE);
    expect(saved.status).toBe(303);
    const node = await read(new URL(saved.headers.get('location') ?? '').pathname);
    expect(node.title[0].value).toBe(values['title.0.value']);
    expect(node.field_description[0].value).toBe('One line.\nAnother.');
    expect(node.path[0].alias).toBe('/harbour-at-night');
    expect(node.status).toEqual([{ value: false }]);
  });

  it('looks like the saved page', async () => {
    const collection = await repository.node({ title: [{ value: 'The port' }] });
    const typed = {
      'title.0.value': 'Quays',
      [MODEL]: image,
      'field_member_of.0.target_id': 'The port',
      'field_coordinates.0.lat': '47.5',
      'field_coordinates.0.lng': '7.25',
      'field_abstract.0.value': '<p>Black <strong>&amp; white</strong></p>',
      'field_abstract.0.format': 'basic_html',
    };
    const preview = await previewed(repository, jane, ADD_ITEM, typed);
    const saved = await preview.submit({}, SAVE);
    const page = await jane.open(new URL(saved.headers.get('location') ?? '').pathname);
    const parts = ['.record-head *', '.crumbs a', '.record *', '.description'];
    for (const part of parts) {
      const textsOf = (of: OpenPage) => of.elements(part).map(({ tag, text }) => `${tag} ${text}`);
      expect(textsOf(page)).not.toEqual([]);
      expect({ part, texts: textsOf(preview) }).toEqual({ part, texts: textsOf(page) });
    }
    expect(preview.elements('.crumbs a').map(({ attributes }) => attributes.href)).toEqual([
      `/node/${collection.nid[0].value}`,
    ]);
  });

  it('shows the form with its problems if it is invalid, keeping typed values', async () => {
    const answer = await previewed(repository, jane, ADD_ITEM, {
      ...values,
      [MODEL]: '',
      'field_edtf_date.0.value': '29th May',
      'field_coordinates.0.lat': '1',
    });
    expect(answer.status).toBe(422);
    expect(heading(answer)).toBe('Add Repository Item');
    expect(answer.elements('.error-summary a').map(({ attributes }) => attributes.href)).toEqual([
      '#field_coordinates.0.lng',
    ]);
    const next = await answer.submit({ 'field_coordinates.0.lat': '' }, PREVIEW);
    expect(next.status).toBe(422);
    expect(errorsOf(next)).toEqual([expect.stringContaining('is not valid EDTF'), 'Model is required.']);
    expect(next.fields().get('field_edtf_date.0.value')).toBe('29th May');
    expect(next.elements('.preview-bar')).toEqual([]);
  });

  it('runs no script of typed HTML', async () => {
    const script = `<p>kept</p><script>alert(1)</script><img src="/x" onerror="alert(2)"><a href="javascript:alert(3)">b</a>`;
    const preview = await previewed(repository, jane, ADD_ITEM, {
      'title.0.value': `"><script>alert(4)</script>`,
      [MODEL]: image,
      'field_abstract.0.value': script,
      'field_abstract.0.format': 'basic_html',
      'field_identifier.0.value': `"><img src=x onerror=alert(5)>`,
    });
    expect(preview.status).toBe(200);
    expect(dangersOf(preview.html)).toEqual([]);
    expect(preview.elements('.description p').map(({ text }) => text)).toEqual(['kept']);
    expect(preview.headers.get('content-security-policy')).toContain("script-src 'self'");
    expect(preview.fields().get('field_abstract.0.value')).toBe(script);
  });
});

describe('the preview of a stored item', () => {
  const stored = async () => `/node/${(await repository.node({ title: [{ value: 'Before' }] })).nid[0].value}`;

  it('shows the changes together with existing files, and stores nothing', async () => {
    const path = await stored();
    const use = await repository.termId('http://pcdm.org/use#OriginalFile');
    const bytes = await Bun.file('test/fixtures/images/red.jpg').bytes();
    const headers = { 'Content-Type': 'image/jpeg', 'Content-Location': 'public://preview.jpg' };
    expect((await repository.put(`${path}/media/image/${use}`, bytes, headers, 'admin')).status).toBe(201);
    const preview = await previewed(repository, jane, `${path}/edit`, {
      'title.0.value': 'After',
      'path.0.alias': '/after',
      'revision_log.0.value': 'Changed',
    });
    expect(preview.status).toBe(200);
    expect(heading(preview)).toBe('After');
    expect(barOf(preview)).toEqual([NOTHING_SAVED]);
    expect(preview.elements('.stage')).toHaveLength(1);
    expect(preview.elements('a.download')[0]?.attributes.href).toEndWith('preview.jpg');
    expect(preview.elements('.citations dd')[0]?.text).toContain('After');
    expect(preview.elements('.edit-links, .upload-link, .derivative-list, .record-foot a')).toEqual([]);
    const before = await read(path);
    expect(before.title[0].value).toBe('Before');
    expect((await preview.submit({}, SAVE)).status).toBe(303);
    const after = await read(path);
    expect({ title: after.title[0].value, path: after.path[0].alias }).toEqual({ title: 'After', path: '/after' });
  });

  it('accepts an address in use, which saving rejects', async () => {
    const [taken, path] = [await stored(), await stored()];
    const body = { type: 'islandora_object', path: [{ alias: '/in-use' }] };
    expect((await repository.patch(`${taken}?_format=json`, body, 'admin')).status).toBe(200);
    const preview = await previewed(repository, jane, `${path}/edit`, { 'path.0.alias': '/in-use' });
    expect(preview.status).toBe(200);
    const answer = await preview.submit({}, SAVE);
    expect(answer.status).toBe(422);
    expect(errorsOf(answer)).toEqual([expect.stringContaining('/in-use')]);
    expect(answer.fields().get('path.0.alias')).toBe('/in-use');
  });

  it('shows the stored item if nothing has changed', async () => {
    const preview = await previewed(repository, jane, `${await stored()}/edit`, {});
    expect(preview.status).toBe(200);
    expect(heading(preview)).toBe('Before');
    expect(barOf(preview)).toEqual([NOTHING_SAVED]);
  });

  it('shows breadcrumbs of a typed collection, except through the item itself', async () => {
    const above = await repository.node({ title: [{ value: 'Above' }] });
    const port = await repository.node({
      title: [{ value: 'Port' }],
      field_member_of: [{ target_id: above.nid[0].value }],
    });
    const path = await stored();
    const portName = `Port (${port.nid[0].value})`;
    const preview = await previewed(repository, jane, `${path}/edit`, { 'field_member_of.0.target_id': portName });
    expect(preview.elements('.crumbs a').map(({ text }) => text)).toEqual(['Above', 'Port']);
    const own = await previewed(repository, jane, `/node/${above.nid[0].value}/edit`, {
      'field_member_of.0.target_id': portName,
    });
    expect({ status: own.status, crumbs: own.elements('.crumbs a') }).toEqual({ status: 200, crumbs: [] });
  });

  it('warns of a change by someone else, before and after the preview', async () => {
    const path = await stored();
    const form = await jane.open(`${path}/edit`);
    const shown = await form.submit({ 'title.0.value': 'By Jane' }, PREVIEW);
    await repository.patch(`${path}?_format=json`, { type: 'islandora_object', title: ['By another'] }, 'admin');
    for (const [from, button] of [
      [form, PREVIEW],
      [shown, SAVE],
    ] as const) {
      const warned = await from.submit({ 'title.0.value': 'By Jane' }, button);
      expect(warned.status).toBe(409);
      expect(warned.elements('.warning tbody tr').map(({ text }) => text)).toEqual(['TitleBy anotherBy Jane']);
      expect(warned.elements('.preview-bar')).toEqual([]);
    }
    const warned = await form.submit({ 'title.0.value': 'By Jane' }, PREVIEW);
    const again = await warned.submit({}, PREVIEW);
    expect({ status: again.status, heading: heading(again) }).toEqual({ status: 200, heading: 'By Jane' });
    expect((await again.submit({}, SAVE)).status).toBe(303);
    expect((await read(path)).title[0].value).toBe('By Jane');
  });

  it('is offered again after the session has ended', async () => {
    const path = await stored();
    const browser = await signedIn(repository, 'jane');
    const form = await browser.open(`${path}/edit`);
    const shown = await form.submit({ 'title.0.value': 'Typed before' }, PREVIEW);
    await (await browser.open('/user/logout')).submit();
    for (const [from, button] of [
      [form, PREVIEW],
      [shown, EDIT],
    ] as const) {
      const asked = await from.submit({ 'title.0.value': 'Typed before' }, button);
      expect({ status: asked.status, heading: heading(asked) }).toEqual({ status: 401, heading: 'Sign in' });
      const again = await asked.submit({ name: 'jane', pass: 'jane' });
      const cookie = again.headers.get('set-cookie')?.split(';', 1)[0] ?? '';
      const sent = await browser.post(`${path}/edit`, again.fields(), { Cookie: cookie });
      expect(sent.status).toBe(200);
      expect(sent.fields().get('title.0.value')).toBe('Typed before');
    }
    expect((await read(path)).title[0].value).toBe('Before');
  });

  it('requires the form token and the right to change', async () => {
    const path = await stored();
    await repository.user('guest');
    const guest = await signedIn(repository, 'guest');
    const fields = new URLSearchParams({ 'title.0.value': 'x', do: 'preview' });
    expect((await jane.post(`${path}/edit`, fields)).status).toBe(403);
    expect((await guest.post(`${path}/edit`, fields)).status).toBe(403);
    expect((await formBrowser(repository).post(`${path}/edit`, fields)).status).toBe(401);
    const foreign = (await jane.open(`${path}/edit`)).fields();
    foreign.set('do', 'preview');
    expect((await jane.post(`${path}/edit`, foreign, { 'Sec-Fetch-Site': 'cross-site' })).status).toBe(403);
  });

  it('names a field that has been removed from the model since', async () => {
    const path = await stored();
    const fields = (await jane.open(`${path}/edit`)).fields();
    fields.set('field_gone.0.value', 'Precious');
    fields.set('do', 'preview');
    const answer = await jane.post(`${path}/edit`, fields);
    expect(answer.status).toBe(422);
    expect(errorsOf(answer)).toEqual([
      'The field "field_gone" has been removed from this form. Its value was: Precious',
    ]);
  });
});

describe('the preview of a book', () => {
  it('has a new nonce in each response', async () => {
    const model = await repository.termId('https://schema.org/Book');
    const book = await repository.node({ title: [{ value: 'A book' }], field_model: [{ target_id: model }] });
    const id = book.nid[0].value;
    await repository.node({ title: [{ value: 'Page 1' }], field_member_of: [{ target_id: id }] });
    const nonces = [1, 2].map(async () => {
      const preview = await (await jane.open(`/node/${id}/edit`)).submit({}, PREVIEW);
      const nonce = preview.elements('meta[name=style-nonce]')[0]?.attributes.nonce;
      expect(preview.headers.get('content-security-policy')).toContain(`'nonce-${nonce}'`);
      expect(preview.html).not.toContain('nonce-of-this-response');
      return nonce;
    });
    expect(new Set(await Promise.all(nonces)).size).toBe(2);
  });
});

describe('the preview of a term', () => {
  it('shows a new term, and a changed one', async () => {
    const preview = await previewed(repository, jane, '/taxonomy/manage/subject/add', {
      'name.0.value': 'Cranes',
      'description.0.value': '<p>They lift.</p>',
    });
    expect(preview.status).toBe(200);
    expect(heading(preview)).toBe('Cranes');
    expect(barOf(preview)).toEqual([NOTHING_SAVED]);
    expect(preview.html).not.toMatch(/\/taxonomy\/term\/0\b/);
    const saved = await preview.submit({}, SAVE);
    const path = new URL(saved.headers.get('location') ?? '').pathname;
    const change = await previewed(repository, jane, `${path}/edit`, { 'name.0.value': 'Harbour cranes' });
    expect({ status: change.status, heading: heading(change) }).toEqual({ status: 200, heading: 'Harbour cranes' });
    expect((await read(path)).name[0].value).toBe('Cranes');
  });
});

describe('the preview of a media', () => {
  it('shows a new media without a file, and a changed one with a file', async () => {
    const preview = await previewed(repository, jane, '/media/add/remote_video', {
      'name.0.value': 'A talk',
      'field_media_oembed_video.0.value': 'https://example.org/v',
    });
    expect(preview.status).toBe(200);
    expect(heading(preview)).toBe('A talk');
    expect(barOf(preview)).toEqual([NOTHING_SAVED]);
    expect(preview.html).not.toMatch(/\/media\/0\b/);
    const node = await repository.node();
    const use = await repository.termId('http://pcdm.org/use#OriginalFile');
    const bytes = await Bun.file('test/fixtures/images/red.jpg').bytes();
    const headers = { 'Content-Type': 'image/jpeg', 'Content-Location': 'public://media.jpg' };
    const put = await repository.put(`/node/${node.nid[0].value}/media/image/${use}`, bytes, headers, 'admin');
    const path = new URL(put.headers.get('location') ?? '').pathname;
    const change = await previewed(repository, jane, `${path}/edit`, {
      'name.0.value': 'The quay',
      'field_media_image.0.alt': 'A quay',
    });
    expect({ status: change.status, heading: heading(change) }).toEqual({ status: 200, heading: 'The quay' });
    expect(change.elements('.stage img')[0]?.attributes.alt).toBe('A quay');
    expect((await change.submit({}, SAVE)).status).toBe(303);
    expect((await read(path)).name[0].value).toBe('The quay');
  });

  it('is not offered by the form that leads to the upload page', async () => {
    const form = await jane.open('/media/add/image');
    expect(form.elements('button[value=preview]')).toEqual([]);
  });
});
