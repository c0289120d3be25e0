import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { createMedia, fileOf, pngHead, putToNode, readJson } from '../../support/binaries.ts';
import { indexedWith, indexRecord } from '../../support/search-index.ts';
import { createTestRepository, type EntityJson, type TestRepository } from '../../support/test-repository.ts';

const TEXT_USE = 'http://pcdm.org/use#ExtractedText';
const HOCR_USE = 'https://discoverygarden.ca/use#hocr';

let repository: TestRepository;
beforeAll(async () => {
  repository = await createTestRepository();
});
afterAll(async () => {
  await repository.stop();
});

const database = () => repository.running.services.database;
const indexed = (words: string) => indexedWith(database(), words, 'fulltext');
const recordOf = (node: EntityJson) =>
  indexRecord(database(), repository.running.services.model.search.facets, node.nid[0].value);
const idOf = (node: EntityJson): number => node.nid[0].value;

const text = (node: EntityJson, body: string, name = crypto.randomUUID()) => ({
  node,
  type: 'extracted_text',
  use: TEXT_USE,
  uri: `public://${name}.txt`,
  body,
  contentType: 'text/plain',
});
const hocr = (node: EntityJson, words: string) => ({
  ...text(node, ''),
  type: 'file',
  use: HOCR_USE,
  uri: `public://${crypto.randomUUID()}.hocr`,
  contentType: 'text/vnd.hocr+html',
  body: `<?xml version="1.0"?><html><head><title>notext</title></head><body><div class="ocr_page">${words
    .split(' ')
    .map((word, index) => `<span class="ocrx_word" title="bbox ${index} 0 9 9">${word}</span>`)
    .join('')}</div></body></html>`,
});
const patchMedia = (media: EntityJson, fields: EntityJson) =>
  repository.patch(`/media/${media.mid[0].value}?_format=json`, { bundle: media.bundle, ...fields }, 'admin');

describe('extracted text', () => {
  it('makes its node findable, and marks it as having text', async () => {
    const node = await repository.node();
    await createMedia(repository, text(node, 'The Schmetterling of\nZürich & "others"'));
    expect(await indexed('schmetterling of zurich')).toEqual([idOf(node)]);
    expect(await recordOf(node)).toMatchObject({ hasText: true, facets: { full_text: [1] } });
  });

  it('is replaced by another PUT', async () => {
    const node = await repository.node();
    await createMedia(repository, hocr(node, 'Halcyon'));
    expect((await putToNode(repository, { ...hocr(node, 'Turbulent'), uri: undefined })).status).toBe(204);
    expect(await indexed('halcyon')).toEqual([]);
    expect(await indexed('turbulent')).toEqual([idOf(node)]);
  });

  it('is replaced by the edited text', async () => {
    const node = await repository.node();
    const media = await createMedia(repository, text(node, 'Misrecogn1sed'));
    const field_edited_text = [{ value: 'Emended <em>lacuna</em>', format: 'basic_html' }];
    expect((await patchMedia(media, { field_edited_text })).status).toBe(200);
    expect(await indexed('misrecogn1sed')).toEqual([]);
    expect(await indexed('emended lacuna')).toEqual([idOf(node)]);
  });

  it('is not searched while its media is unpublished', async () => {
    const node = await repository.node();
    const media = await createMedia(repository, text(node, 'Sequestered'));
    expect((await patchMedia(media, { status: [{ value: false }] })).status).toBe(200);
    expect(await indexed('sequestered')).toEqual([]);
    expect(await recordOf(node)).toMatchObject({ hasText: false });
    expect((await patchMedia(media, { status: [{ value: true }] })).status).toBe(200);
    expect(await indexed('sequestered')).toEqual([idOf(node)]);
  });

  it('moves with its media to another node', async () => {
    const [from, to] = [await repository.node(), await repository.node()];
    const media = await createMedia(repository, text(from, 'Itinerant'));
    expect((await patchMedia(media, { field_media_of: [{ target_id: idOf(to) }] })).status).toBe(200);
    expect(await indexed('itinerant')).toEqual([idOf(to)]);
    expect({ from: (await recordOf(from))?.hasText, to: (await recordOf(to))?.hasText }).toEqual({
      from: false,
      to: true,
    });
  });

  it('is removed with its use, its media or its file', async () => {
    const node = await repository.node();
    const used = await createMedia(repository, text(node, 'Unusedword'));
    const other = await repository.termId('http://pcdm.org/use#ThumbnailImage');
    expect((await patchMedia(used, { field_media_use: [{ target_id: other }] })).status).toBe(200);
    expect(await indexed('unusedword')).toEqual([]);
    const second = await repository.node();
    const removed = await createMedia(repository, text(second, 'Removedword'));
    expect((await repository.delete(`/media/${removed.mid[0].value}?_format=json`, 'admin')).status).toBe(204);
    expect(await indexed('removedword')).toEqual([]);
    expect(await recordOf(second)).toMatchObject({ hasText: false });
  });

  it('of a long file is removed with the file', async () => {
    const node = await repository.node();
    const long = `Vanishing ${'filler words '.repeat(200_000)}`;
    const media = await createMedia(repository, text(node, long));
    expect(media.field_edited_text).toEqual([]);
    expect(await indexed('vanishing')).toEqual([idOf(node)]);
    const file = await fileOf(repository, media, 'field_media_file');
    expect((await repository.delete(`/entity/file/${file.fid[0].value}?_format=json`, 'admin')).status).toBe(204);
    expect(await indexed('vanishing')).toEqual([]);
  });

  it('remains when the node or a field of the media changes', async () => {
    const node = await repository.node();
    const media = await createMedia(repository, text(node, 'Perennial'));
    const title = [{ value: 'Another title' }];
    const type = [{ target_id: 'islandora_object' }];
    expect((await repository.patch(`/node/${idOf(node)}?_format=json`, { type, title }, 'admin')).status).toBe(200);
    expect((await patchMedia(media, { name: [{ value: 'Renamed' }] })).status).toBe(200);
    expect(await indexed('perennial')).toEqual([idOf(node)]);
  });

  it('may hold NUL, broken UTF-8 and 50 MB, of which the first 4 million characters are searched', async () => {
    const node = await repository.node();
    await createMedia(repository, text(node, 'before\0after \uD800 fragments'));
    expect(await indexed('before')).toEqual([idOf(node)]);
    const large = await repository.node();
    const body = `Firstword ${'the same line of text again\n'.repeat(1_900_000)} Lastword`;
    await createMedia(repository, text(large, body));
    expect(await indexed('firstword')).toEqual([idOf(large)]);
    expect(await indexed('lastword')).toEqual([]);
  }, 120_000);

  it.each([
    ['東京都の図書館', '図書館'],
    ['กินข้าวที่บ้าน', 'ข้าว'],
    ['هذا كِتَابٌ قديم', 'كتاب قديم'],
    ['w Łodzi żółć', 'zolc'],
  ])('is found by words in %s', async (body, words) => {
    const node = await repository.node();
    await createMedia(repository, text(node, body));
    expect(await indexed(words)).toEqual([idOf(node)]);
  });
});

describe('hOCR', () => {
  it('is searched without its markup', async () => {
    const node = await repository.node();
    await createMedia(repository, hocr(node, 'Gossamer threads'));
    expect(await indexed('gossamer threads')).toEqual([idOf(node)]);
    expect(await indexed('bbox')).toEqual([]);
    expect(await indexed('notext')).toEqual([]);
  });

  it('is searched only if there is no extracted text', async () => {
    const node = await repository.node();
    await createMedia(repository, hocr(node, 'Gloaming'));
    const plain = await createMedia(repository, text(node, 'Crepuscular'));
    expect(await indexed('gloaming')).toEqual([]);
    expect(await indexed('crepuscular')).toEqual([idOf(node)]);
    await repository.delete(`/media/${plain.mid[0].value}?_format=json`, 'admin');
    expect(await indexed('gloaming')).toEqual([idOf(node)]);
  });
});

describe('the types of files', () => {
  it('are those of published originals, without derivatives', async () => {
    const node = await repository.node();
    const options = { node, body: pngHead(2, 2, 'x'), uri: `public://${crypto.randomUUID()}.png` };
    const media = await createMedia(repository, options);
    const thumbnail = 'http://pcdm.org/use#ThumbnailImage';
    const jpeg = { ...options, use: thumbnail, uri: `public://${crypto.randomUUID()}.jpg`, contentType: 'image/jpeg' };
    await createMedia(repository, jpeg);
    expect((await recordOf(node))?.facets.file_type).toEqual(['image/png']);
    await patchMedia(media, { status: [{ value: false }] });
    expect((await recordOf(node))?.facets.file_type).toBeUndefined();
  });

  it('are complete after simultaneous uploads', async () => {
    const node = await repository.node();
    const uses = ['http://pcdm.org/use#OriginalFile', 'http://pcdm.org/use#PreservationMasterFile'];
    const puts = uses.map((use, index) => {
      const uri = `public://${crypto.randomUUID()}.${index ? 'jpg' : 'png'}`;
      return createMedia(repository, {
        node,
        use,
        body: pngHead(2, 2, String(index)),
        uri,
        contentType: index ? 'image/jpeg' : 'image/png',
      });
    });
    const texts = Array.from({ length: 4 }, async () =>
      createMedia(repository, { ...hocr(node, 'Simultaneous'), type: 'file' }).catch(() => {}),
    );
    await Promise.all([...puts, ...texts]);
    expect((await recordOf(node))?.facets.file_type?.toSorted()).toEqual(['image/jpeg', 'image/png']);
    expect(await indexed('simultaneous')).toEqual([idOf(node)]);
  });
});

it('a media with indexed text is served unchanged', async () => {
  const node = await repository.node();
  const media = await createMedia(repository, text(node, 'As before'));
  expect((await readJson(repository, `/media/${media.mid[0].value}`)).field_edited_text[0].value).toContain(
    'As before',
  );
});
