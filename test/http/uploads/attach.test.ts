import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { auditServices } from '../../support/audit.ts';
import { countRows, pngHead, settledFiles } from '../../support/binaries.ts';
import { USE } from '../../support/site-builder.ts';
import { createTestRepository, type EntityJson, type TestRepository } from '../../support/test-repository.ts';
import { attach, attached, beginUpload, uploadWhole } from '../../support/tus.ts';

const BOOK = 'https://schema.org/Book';
const PAGE = 'http://id.loc.gov/ontologies/bibframe/part';
const COLLECTION = 'http://purl.org/dc/dcmitype/Collection';
const IMAGE = 'http://purl.org/coar/resource_type/c_c513';

let repository: TestRepository;
let item: number;
beforeAll(async () => {
  repository = await createTestRepository();
  await repository.user('editor', 'repository_editor');
  await repository.user('loader', 'workbench_user');
  item = await newNode('An item', IMAGE);
});
afterAll(async () => {
  await settledFiles(repository);
  expect(await auditServices(repository.running.services, true)).toEqual([]);
  expect(repository.failures()).toEqual([]);
  await repository.stop();
});

async function newNode(title: string, model: string, as = 'admin', more = {}): Promise<number> {
  const field_model = [{ target_id: await repository.termId(model) }];
  return (await repository.node({ title: [{ value: title }], field_model, ...more }, as)).nid[0].value;
}
const read = async (path: string): Promise<EntityJson> =>
  (await repository.get(`${new URL(path, 'http://x').pathname}?_format=json`, 'admin')).json() as Promise<EntityJson>;
const download = (url: string) => repository.get(new URL(url).pathname, 'admin');
let made = 0;
/** The bytes of a picture that no other test uses. */
const picture = () => new Uint8Array(pngHead(3, 2, `${made++}`));
const sha256 = (bytes: Uint8Array) => Bun.SHA256.hash(bytes, 'hex');
const refused = async (response: Response) => [response.status, ((await response.json()) as EntityJson).message];

describe('a complete upload', () => {
  it('becomes a media of a node, with its type by the extension and its checksum', async () => {
    const bytes = picture();
    const answer = await attached(repository, await uploadWhole(repository, 'bay.png', bytes), { node: item });
    expect(answer).toMatchObject({ state: 'attached', sha256: sha256(bytes), bytes: bytes.length, duplicates: [] });
    const media = await read(answer.media.url);
    expect(media.bundle[0].target_id).toBe('image');
    expect(media.name).toEqual([{ value: 'bay.png' }]);
    expect(media.field_media_of[0].target_id).toBe(item);
    expect(media.field_media_use[0].target_id).toBe(await repository.termId(USE.original));
    expect(media.field_media_image[0]).toMatchObject({ width: 3, height: 2, alt: 'bay.png' });
    const file = await download(media.field_media_image[0].url);
    expect(new Uint8Array(await file.arrayBuffer())).toEqual(bytes);
  });

  it('returns the same response to a repeated request, and creates nothing twice', async () => {
    const path = await uploadWhole(repository, 'twice.png', picture());
    const media = await countRows(repository, 'media');
    const [first, second] = await Promise.all([
      attached(repository, path, { node: item }),
      attached(repository, path, { node: item }),
    ]);
    expect(second).toEqual(first);
    expect(await attached(repository, path, { node: item })).toEqual(first);
    expect(await countRows(repository, 'media')).toBe(media + 1);
  });

  it('becomes an item of a collection, titled with the file name', async () => {
    const collection = await newNode('A collection', COLLECTION);
    const path = await uploadWhole(repository, 'Harbour at night.png', picture());
    const answer = await attached(repository, path, { member_of: collection });
    const node = await read(answer.node.url);
    expect(node.title).toEqual([{ value: 'Harbour at night' }]);
    expect(node.field_member_of[0].target_id).toBe(collection);
    expect(node.field_model[0].target_id).toBe(await repository.termId(IMAGE));
    expect((await read(answer.media.url)).field_media_of[0].target_id).toBe(answer.node.id);
    expect((await attached(repository, path, { member_of: collection })).node).toEqual(answer.node);
  });

  it('becomes a draft with rights', async () => {
    const collection = await newNode('Drafts', COLLECTION);
    const path = await uploadWhole(repository, 'draft_0001.png', picture());
    const target = { member_of: collection, published: false, rights: 'In copyright' };
    const node = await read((await attached(repository, path, target)).node.url);
    expect([node.title[0].value, node.status[0].value]).toEqual(['Draft 0001', false]);
    expect(node.field_rights[0].value).toBe('In copyright');
  });

  it('becomes a page of a book, at its position', async () => {
    const book = await newNode('A book', BOOK);
    const path = await uploadWhole(repository, 'p2.tif', picture());
    const answer = await attached(repository, path, { member_of: book, weight: 2, title: 'Page 2' });
    const node = await read(answer.node.url);
    expect(node.field_model[0].target_id).toBe(await repository.termId(PAGE));
    expect(node.title).toEqual([{ value: 'Page 2' }]);
    expect(node.field_weight).toEqual([{ value: 2 }]);
    expect((await read(answer.media.url)).bundle[0].target_id).toBe('file');
  });

  it('continues with the item that an interrupted request has created', async () => {
    const collection = await newNode('Another collection', COLLECTION);
    const path = await uploadWhole(repository, 'interrupted.png', picture());
    const nodes = await countRows(repository, 'node');
    const { database } = repository.running.services;
    const uuid = (await read(`/node/${item}`)).uuid[0].value;
    await database.write([
      { sql: 'UPDATE upload SET node_uuid = ? WHERE id = ?', args: [uuid, path.slice('/uploads/'.length)] },
    ]);
    expect((await attached(repository, path, { member_of: collection })).node.id).toBe(item);
    expect(await countRows(repository, 'node')).toBe(nodes);
  });

  it('replaces the file of a media', async () => {
    const old = await attached(repository, await uploadWhole(repository, 'old.png', picture()), { node: item });
    const bytes = picture();
    const answer = await attached(repository, await uploadWhole(repository, 'new.png', bytes), { media: old.media.id });
    expect(answer.media.id).toBe(old.media.id);
    const { field_media_image } = await read(old.media.url);
    expect(new Uint8Array(await (await download(field_media_image[0].url)).arrayBuffer())).toEqual(bytes);
  });

  it('replaces the file of a text that was edited, and tells that the text stays', async () => {
    const text = (content: string) => new Uint8Array(Buffer.from(content));
    const old = await attached(repository, await uploadWhole(repository, 'a.txt', text('first')), { node: item });
    const field_edited_text = [{ value: 'edited', format: 'basic_html' }];
    const { pathname } = new URL(old.media.url);
    const body = { bundle: 'extracted_text', field_edited_text };
    expect((await repository.patch(`${pathname}?_format=json`, body, 'admin')).status).toBe(200);
    const upload = await uploadWhole(repository, 'b.txt', text('second'));
    expect((await attached(repository, upload, { media: old.media.id })).notices).toEqual([
      `The text of media ${old.media.id} was edited by hand. It stays, and may have words of the previous file.`,
    ]);
  });

  it('becomes captions of a video, after the existing ones', async () => {
    const video = await attached(repository, await uploadWhole(repository, 'v.mp4', picture()), { node: item });
    for (const language of ['en', 'de']) {
      const path = await uploadWhole(repository, `${language}.vtt`, Buffer.from(`WEBVTT\n\nNOTE ${language}\n`));
      const answer = await attached(repository, path, { track_of: video.media.id, language, label: language });
      expect(answer.media.id).toBe(video.media.id);
      expect((await attached(repository, path, { track_of: video.media.id })).media).toEqual(answer.media);
    }
    const { field_track } = await read(video.media.url);
    expect(field_track.map(({ kind, label, srclang }: EntityJson) => [kind, label, srclang])).toEqual([
      ['subtitles', 'en', 'en'],
      ['subtitles', 'de', 'de'],
    ]);
  });
});

describe('a file that exists already', () => {
  it('is reported with its address, and saved anyway on request', async () => {
    const bytes = picture();
    const first = await attached(repository, await uploadWhole(repository, 'first.png', bytes), { node: item });
    const path = await uploadWhole(repository, 'second.png', bytes);
    const files = await countRows(repository, 'file');
    const asked = await attached(repository, path, { node: item, if_duplicate: 'ask' });
    expect(asked).toMatchObject({ state: 'duplicate', sha256: sha256(bytes) });
    expect(asked.media).toBeUndefined();
    expect(asked.duplicates).toEqual([
      expect.objectContaining({
        name: 'first.png',
        media: first.media,
        node: { id: item, url: expect.stringContaining(`/node/${item}`), title: 'An item' },
      }),
    ]);
    expect(await attached(repository, path, { node: item, if_duplicate: 'ask' })).toEqual(asked);
    expect(await countRows(repository, 'file')).toBe(files);
    const added = await attached(repository, path, { node: item });
    expect(added.state).toBe('attached');
    expect(added.duplicates).toEqual(asked.duplicates);
  });

  it('is not reported to a caller who may not read it', async () => {
    const hidden = await newNode('Hidden', IMAGE, 'admin', { status: [{ value: false }] });
    const bytes = picture();
    await attached(repository, await uploadWhole(repository, 'hidden.png', bytes), { node: hidden });
    const path = await uploadWhole(repository, 'mine.png', bytes, 'loader');
    const own = await newNode('Own', IMAGE, 'loader');
    const answer = await attached(repository, path, { node: own, if_duplicate: 'ask' }, 'loader');
    expect({ state: answer.state, duplicates: answer.duplicates }).toEqual({ state: 'attached', duplicates: [] });
  });
});

describe('a request to attach an upload', () => {
  const all = { node: 1 };

  it('is rejected for an incomplete or empty file', async () => {
    const incomplete = await beginUpload(repository, 'a.png', 10);
    expect(await refused(await attach(repository, incomplete, { node: item }))).toEqual([
      409,
      'The upload is not complete: 0 of 10 bytes have arrived.',
    ]);
    const empty = await beginUpload(repository, 'empty.png', 0);
    expect(await refused(await attach(repository, empty, { node: item }))).toEqual([
      422,
      'The file "empty.png" is empty (0 bytes): nothing was saved.',
    ]);
  });

  it('is rejected for a file of a wrong type', async () => {
    const path = await uploadWhole(repository, 'virus.exe', picture());
    expect(await refused(await attach(repository, path, { node: item }))).toEqual([
      422,
      'No media type accepts .exe files.',
    ]);
    const answer = await attach(repository, path, { node: item, media_type: 'image' });
    expect(await refused(answer)).toEqual([422, expect.stringContaining('png gif jpg jpeg')]);
    const video = await attached(repository, await uploadWhole(repository, 'w.mp4', picture()), { node: item });
    const replacing = await attach(repository, path, { media: video.media.id });
    expect(await refused(replacing)).toEqual([422, expect.stringContaining('mp4 mov')]);
    const tracks = await attach(repository, path, { track_of: video.media.id });
    expect(await refused(tracks)).toEqual([422, expect.stringContaining('vtt')]);
  });

  it('is rejected for a checksum other than the expected one', async () => {
    const path = await uploadWhole(repository, 'sum.png', picture());
    const answer = await attach(repository, path, { node: item, sha256: 'a'.repeat(64) });
    expect(answer.status).toBe(400);
  });

  it('is rejected with no target, two targets or unknown properties', async () => {
    const path = await uploadWhole(repository, 'a.png', picture());
    const one = 'The body must have exactly one of node, member_of, media and track_of.';
    expect(await refused(await attach(repository, path, {}))).toEqual([422, one]);
    expect(await refused(await attach(repository, path, { ...all, media: 1 }))).toEqual([422, one]);
    expect(await refused(await attach(repository, path, { ...all, nodee: 1 }))).toEqual([
      422,
      'Field "nodee" is unknown. Did you mean "node"?',
    ]);
    expect(await refused(await attach(repository, path, { node: 'x' }))).toEqual([
      422,
      expect.stringContaining('node: This must be the id of a node.'),
    ]);
    expect(await refused(await attach(repository, path, { node: 999_999 }))).toEqual([
      422,
      'node: There is no node 999999.',
    ]);
  });

  it('is rejected for a caller without permission, and stores nothing', async () => {
    const media = await attached(repository, await uploadWhole(repository, 'theirs.png', picture()), { node: item });
    const files = await countRows(repository, 'file');
    const path = await uploadWhole(repository, 'a.png', picture(), 'loader');
    expect(await refused(await attach(repository, path, { node: item }, 'loader'))).toEqual([
      403,
      "The 'edit any islandora_object content' permission is required.",
    ]);
    expect((await attach(repository, path, { media: media.media.id }, 'loader')).status).toBe(403);
    const hidden = await newNode('Hidden collection', COLLECTION, 'admin', { status: [{ value: false }] });
    expect((await attach(repository, path, { member_of: hidden }, 'loader')).status).toBe(403);
    expect((await attach(repository, path, { node: item }, null)).status).toBe(401);
    expect(await countRows(repository, 'file')).toBe(files);
  });
});
