import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { endOf, movedTo } from '../../support/bulk-call.ts';
import { type FormBrowser, type OpenPage, signedIn } from '../../support/form-call.ts';
import { SiteBuilder } from '../../support/site-builder.ts';
import { createTestRepository, type EntityJson, type TestRepository } from '../../support/test-repository.ts';

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

let repository: TestRepository;
let build: SiteBuilder;
let admin: FormBrowser;
let collection: number;
let inside: number;
let pictures: number[];
let recording: number;

beforeAll(async () => {
  repository = await createTestRepository();
  build = new SiteBuilder(repository);
  await repository.user('reader');
  await repository.user('editor', 'repository_editor');
  admin = await signedIn(repository, 'admin');
  const english = await build.term('language', 'Old Frisian');
  collection = await build.node('collection', 'Harbour photographs', { field_language: [english] });
  inside = await build.node('image', 'The bay', { field_member_of: [collection], field_language: [english] });
  const outside = await build.node('image', 'The island');
  pictures = [await picture(inside, 'original', 'bay view.png'), await picture(outside, 'original', 'island.png')];
  await picture(inside, 'thumbnail', 'thumbnail.png');
  const north = await build.node('image', 'The island from the north', { field_language: [english] });
  await describePicture(await picture(north, 'original', 'described.png'), 'An island with a lighthouse');
  const south = await build.node('image', 'The island from the south', { field_language: [english] });
  const renamed = await picture(south, 'original', 'renamed.png');
  await build.change(`/media/${renamed}`, { bundle: 'image', name: ['The island from the south'] });
  pictures.push(renamed);
  const audio = await build.node('audio', 'Interview', { field_language: [english] });
  const mp3 = { use: 'original', media: 'audio', mimeType: 'audio/mpeg', name: 'a.mp3', bytes: 'sound' } as const;
  recording = await build.upload(audio, mp3);
  const captioned = await build.node('audio', 'Interview with captions', { field_language: [english] });
  await build.captions(await build.upload(captioned, mp3), 'audio', 'WEBVTT\n');
});
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await repository.stop();
});

const picture = (node: number, use: 'original' | 'thumbnail', name: string) =>
  build.upload(node, { use, media: 'image', mimeType: 'image/png', name, bytes: PNG });
async function read(path: string): Promise<EntityJson> {
  return (await (await repository.get(`${path}?_format=json`, 'admin')).json()) as EntityJson;
}
async function describePicture(media: number, alt: string): Promise<void> {
  const [item] = (await read(`/media/${media}`)).field_media_image;
  await build.change(`/media/${media}`, { bundle: 'image', field_media_image: [{ target_id: item.target_id, alt }] });
}
const REPORT = '/admin/reports/accessibility';
const fieldsOf = (page: OpenPage) => page.elements('.texts textarea').map(({ attributes }) => attributes.name);
const counts = (page: OpenPage) => page.elements('.chips a').map(({ text }) => text);

describe('the accessibility report', () => {
  it('counts what lacks alternative text, captions or language', async () => {
    expect(counts(await admin.open(REPORT))).toEqual([
      'Pictures without alternative text 3',
      'Recordings without captions 1',
      'Items without language 1',
    ]);
  });

  it('lists images whose alternative text is missing or a file name, and no derivatives', async () => {
    expect(fieldsOf(await admin.open(REPORT))).toEqual(pictures.map((id) => `alt-${id}`));
  });

  it('lists recordings without captions, and items without a language', async () => {
    const captions = await admin.open(`${REPORT}?show=captions`);
    expect(captions.elements('.entries a').map(({ attributes }) => attributes.href)).toContain(`/media/${recording}`);
    const language = await admin.open(`${REPORT}?show=language`);
    expect(language.elements('.entries a').map(({ text }) => text)).toEqual(['The island', 'Edit: The island']);
  });

  it('links to the pages that add captions or a transcript, and that replace a file', async () => {
    const linksOf = async (query: string, within: string) => {
      const page = await admin.open(REPORT + query);
      return page.elements(`${within} a`).map(({ attributes }) => attributes.href);
    };
    const [node] = (await read(`/media/${recording}`)).field_media_of;
    expect((await linksOf('?show=captions', '.entries')).slice(1)).toEqual([
      `/media/${recording}/upload?choice=track`,
      `/node/${node.target_id}/upload?choice=files&use=transcript`,
      `/media/${recording}/upload?choice=source`,
      `/media/${recording}/edit`,
    ]);
    expect(await linksOf('', '.texts')).toContain(`/media/${pictures[0]}/upload?choice=source`);
  });

  it('can be limited to one collection', async () => {
    const page = await admin.open(`${REPORT}?collection=${collection}`);
    expect(fieldsOf(page)).toEqual([`alt-${pictures[0]}`]);
    expect(counts(page)).toEqual([
      'Pictures without alternative text 1',
      'Recordings without captions 0',
      'Items without language 0',
    ]);
  });

  it('shows a text that is too long again with an error', async () => {
    const page = await admin.open(`${REPORT}?collection=${collection}`);
    const [first = 0] = pictures;
    const long = 'A bay. '.repeat(100).trim();
    const answer = await page.submit({ [`alt-${first}`]: long });
    expect(answer.status).toBe(422);
    expect(answer.elements('.error-summary a').map(({ attributes }) => attributes.href)).toEqual([`#alt-${first}`]);
    expect(answer.fields().get(`alt-${first}`)).toBe(long);
  });

  it('saves texts with a revision and a log message, and drops those images', async () => {
    const page = await admin.open(REPORT);
    const [first, second] = pictures;
    const answer = await page.submit({ [`alt-${first}`]: 'Two colliers in the bay', [`alt-${second}`]: '' });
    expect(answer.status).toBe(303);
    const media = await read(`/media/${first}`);
    expect(media.field_media_image[0].alt).toBe('Two colliers in the bay');
    expect(media.revision_log_message[0].value).toBe('Added the alternative text');
    expect(fieldsOf(await admin.open(REPORT))).toEqual(pictures.slice(1).map((id) => `alt-${id}`));
  });

  it('leads to a bulk change that adds a language', async () => {
    const page = await admin.open(`${REPORT}?show=language`);
    const [box] = page.elements('.entries input');
    const query = `kind=node&action=term&field=field_language&entry=${box?.attributes.value}`;
    const confirm = await admin.open(`/admin/content/bulk/confirm?${query}`);
    expect(confirm.fields().get('field')).toBe('field_language');
    await endOf(admin, movedTo(await confirm.submit({ term: 'old frisian' })));
    expect((await admin.open(`${REPORT}?show=language`)).html).toContain('Nothing is missing here.');
  });

  it('saves nothing for media that the caller may not change', async () => {
    const reader = await signedIn(repository, 'reader');
    expect((await reader.open(REPORT)).status).toBe(403);
    const fields = (await admin.open(REPORT)).fields();
    expect((await reader.post(REPORT, fields)).status).toBe(403);
    expect((await repository.get(REPORT, undefined, { Accept: 'text/html' })).status).toBe(401);
    // A token of the same session for a media that does not exist.
    const answer = await (await admin.open(REPORT)).submit({ 'alt-999999': 'Nothing' });
    expect(answer.status).toBe(422);
    expect(answer.html).toContain('Media 999999 does not exist.');
  });
});
