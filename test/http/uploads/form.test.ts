import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { auditServices } from '../../support/audit.ts';
import { countRows, pngHead, settledFiles } from '../../support/binaries.ts';
import { type FormBrowser, formBrowser, signedIn } from '../../support/form-call.ts';
import { elementsOf } from '../../support/page.ts';
import { SiteBuilder } from '../../support/site-builder.ts';
import { createTestRepository, type EntityJson, type TestRepository } from '../../support/test-repository.ts';

let repository: TestRepository;
let editor: FormBrowser;
let collection: number;
let image: number;
beforeAll(async () => {
  repository = await createTestRepository({ maxUploadBytes: 100_000 });
  await repository.user('editor', 'repository_editor');
  await repository.user('reader');
  editor = await signedIn(repository, 'editor');
  const build = new SiteBuilder(repository);
  collection = await build.node('collection', 'Letters & papers');
  image = await build.node('image', 'A picture');
});
afterAll(async () => {
  await settledFiles(repository);
  expect(await auditServices(repository.running.services, true)).toEqual([]);
  await repository.stop();
});

const png = (text: string) => new File([new Uint8Array(pngHead(2, 2, text))], `${text}.png`, { type: 'image/png' });

/** Fills in the form of a page as a browser without JavaScript does, and sends it with a file. */
async function send(browser: FormBrowser, path: string, file: File | undefined, values: Record<string, string> = {}) {
  const { html } = await browser.open(path);
  const body = new FormData();
  for (const { attributes } of elementsOf(html, 'form.upload input[type=hidden]'))
    body.append(attributes.name ?? '', attributes.value ?? '');
  for (const [name, value] of Object.entries(values)) body.set(name, value);
  if (file !== undefined) body.append('file', file);
  const headers = { Accept: 'text/html', 'Sec-Fetch-Site': 'same-origin', Cookie: browser.session?.cookie ?? '' };
  const response = await repository.fetch(path, { method: 'POST', headers, body });
  return { status: response.status, headers: response.headers, html: await response.text() };
}
const fileInput = (html: string) => elementsOf(html, '#file')[0]?.attributes;
const read = async (path: string) =>
  (await (await repository.get(`${path}?_format=json`, 'admin')).json()) as EntityJson;

describe('the upload form without JavaScript', () => {
  it('describes the file before one is sent', async () => {
    const input = fileInput((await editor.open(`/node/${image}/upload`)).html);
    expect(input?.['aria-describedby']).toBe('file-help');
    expect(input?.['aria-invalid']).toBeUndefined();
  });

  it('tells that an edited text of the replaced file stays', async () => {
    const text = (name: string, content: string) => new File([content], name, { type: 'text/plain' });
    await send(editor, `/node/${image}/upload`, text('a.txt', 'first'), { choice: 'files' });
    const [media] = ((await read(`/node/${image}/media`)) as unknown as EntityJson[]).slice(-1);
    const path = `/media/${media?.mid[0].value}`;
    const field_edited_text = [{ value: 'edited', format: 'basic_html' }];
    const body = { bundle: 'extracted_text', field_edited_text };
    expect((await repository.patch(`${path}?_format=json`, body, 'admin')).status).toBe(200);
    const { headers } = await send(editor, `${path}/upload`, text('b.txt', 'second'));
    expect(decodeURIComponent(headers.get('set-cookie') ?? '')).toContain(
      `The text of media ${media?.mid[0].value} was edited by hand. It stays, and may have words of the previous file.`,
    );
    expect((await read(path)).field_edited_text[0].value).toBe('edited');
    expect((await repository.delete(path, 'admin')).status).toBe(204);
  });

  it('adds a file to an item, and shows its checksum', async () => {
    const { status, headers } = await send(editor, `/node/${image}/upload`, png('bay'), { choice: 'files' });
    expect({ status, location: new URL(headers.get('location') ?? '').pathname }).toEqual({
      status: 303,
      location: `/node/${image}`,
    });
    const notice = decodeURIComponent(headers.get('set-cookie') ?? '');
    expect(notice).toContain(`SHA-256: ${Bun.SHA256.hash(await png('bay').bytes(), 'hex')}`);
    const media = (await read(`/node/${image}/media`))[0];
    expect(media.name).toEqual([{ value: 'bay.png' }]);
  });

  it('creates an item in a collection', async () => {
    const { headers } = await send(editor, `/node/${collection}/upload`, png('ferry'), { choice: 'items' });
    const node = await read(new URL(headers.get('location') ?? '').pathname);
    expect(node.title[0].value).toBe('Ferry');
    expect(node.field_member_of[0].target_id).toEqual(collection);
  });

  it('gives new items a model, rights, another collection and the state of a draft', async () => {
    const page = await editor.open(`/node/${collection}/upload`);
    expect(page.elements('[name=published][checked]').map(({ attributes }) => attributes.value)).toEqual(['1']);
    const model = page.elements('#model option').find(({ text }) => text === 'Page')?.attributes.value ?? '';
    const { headers } = await send(editor, `/node/${collection}/upload`, png('photo_0017'), {
      ...{ choice: 'items', published: '0', model, rights: 'In copyright', collection: String(image) },
    });
    const node = await read(new URL(headers.get('location') ?? '').pathname);
    expect(node.title[0].value).toBe('Photo 0017');
    expect(node.status[0].value).toBe(false);
    expect(node.field_model[0].target_id).toBe(Number(model));
    expect(node.field_rights[0].value).toBe('In copyright');
    expect(node.field_member_of[0].target_id).toBe(image);
  });

  it('opens with the choice of the link that leads to it', async () => {
    const page = await editor.open(`/node/${image}/upload?choice=files&use=transcript`);
    expect(page.elements('[name=use] option[selected]').map(({ text }) => text)).toEqual(['Transcript']);
    const links = (await editor.open(`/node/${image}`)).elements('a[href*="upload?choice="]');
    expect(
      links.map(({ text, attributes }) => [text, attributes.href?.replace(/\d+/, 'N').replaceAll('&amp;', '&')]),
    ).toContainEqual(['Add a transcript', '/node/N/upload?choice=files&use=transcript']);
    expect(links.some(({ text }) => text.startsWith('Replace: '))).toBe(true);
    expect((await formBrowser(repository).open(`/node/${image}`)).elements('a[href*="upload?choice="]')).toEqual([]);
  });

  it('replaces the file of a media', async () => {
    const media = (await read(`/node/${image}/media`))[0];
    const path = `/media/${media.mid[0].value}`;
    expect((await send(editor, `${path}/upload`, png('new'))).status).toBe(303);
    const { url } = (await read(path)).field_media_image[0];
    const bytes = await (await repository.get(new URL(url).pathname, 'admin')).bytes();
    expect(bytes).toEqual(await png('new').bytes());
  });

  it.each([
    ['without a file', undefined, 'Choose a file.'],
    ['with an empty file', new File([], 'a.png'), 'The file is empty (0 bytes): nothing was saved.'],
    ['with a file of a wrong type', new File(['x'], 'a.exe'), 'No media type accepts .exe files.'],
    ['with a file that is too large', new File([new Uint8Array(100_001)], 'a.tif'), 'larger than the maximum'],
  ])('is shown again %s, and saves nothing', async (_, file, message) => {
    const files = await countRows(repository, 'file');
    const { status, html } = await send(editor, `/node/${collection}/upload`, file, { choice: 'files' });
    expect(status).toBe(422);
    expect(html).toContain(message);
    expect(fileInput(html)).toMatchObject({ 'aria-invalid': 'true', 'aria-describedby': 'file-help file-error' });
    expect(elementsOf(html, '#choice-files[checked]')).toHaveLength(1);
    expect(await countRows(repository, 'file')).toBe(files);
  });

  it('requires the token of the session', async () => {
    const { status } = await send(editor, `/node/${image}/upload`, png('x'), { form_token: 'other', choice: 'files' });
    expect(status).toBe(403);
  });

  it('requires the permission to change the item', async () => {
    const path = `/node/${image}/upload`;
    expect((await formBrowser(repository).open(path)).status).toBe(401);
    const reader = await signedIn(repository, 'reader');
    expect((await reader.open(path)).status).toBe(403);
    expect((await reader.open(`/node/${image}`)).html).not.toContain(path);
    expect((await editor.open(`/node/${image}`)).html).toContain(path);
    expect((await editor.open('/node/99999/upload')).status).toBe(404);
  });
});
