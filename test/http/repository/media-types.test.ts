import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { createMedia, fileOf, pngHead, putToNode, readJson, stock, uploadFile } from '../../support/binaries.ts';
import { createTestRepository, type EntityJson, type TestRepository } from '../../support/test-repository.ts';

let repository: TestRepository;
let icon: EntityJson;
beforeAll(async () => {
  repository = await createTestRepository();
  const { rows } = await repository.running.services.database.client.execute(
    "SELECT id FROM file WHERE uri LIKE 'public://media-icons/%'",
  );
  icon = await readJson(repository, `/entity/file/${rows[0]?.[0]}`);
});
afterAll(() => repository.stop());

/** Spec: rest-behaviour, 3.5: source field, extensions, fields mapped on save beside the name. */
const TYPES = {
  image: { field: 'field_media_image', extensions: 'png gif jpg jpeg webp avif', mapped: true },
  audio: { field: 'field_media_audio_file', extensions: 'mp3 wav aac flac m4a ogg', mapped: true },
  video: {
    field: 'field_media_video_file',
    extensions: 'mp4 mov wmv avi mts flv f4v swf mkv webm ogv mpeg',
    mapped: true,
  },
  document: {
    field: 'field_media_document',
    extensions: 'txt rtf doc docx ppt pptx xls xlsx pdf odf odg odp ods odt fodt fods fodp fodg key numbers pages epub',
    mapped: true,
  },
  file: {
    field: 'field_media_file',
    extensions:
      'txt rtf doc docx hocr ppt pptx xls xlsx pdf odf odg odp ods odt fodt fods fodp fodg key numbers pages tiff tif jp2 heic svg xml csv json geojson zip vtt glb stl obj warc wacz eml mbox',
    mapped: true,
  },
  extracted_text: { field: 'field_media_file', extensions: 'txt doc docx pdf', mapped: false },
  fits_technical_metadata: { field: 'field_media_file', extensions: 'xml', mapped: true },
};

const post = (body: Record<string, unknown>, as = 'admin') => repository.post('/entity/media?_format=json', body, as);
const iconItem = (title: string) => ({
  target_id: icon.fid[0].value,
  alt: '',
  title,
  width: 180,
  height: 180,
  target_type: 'file',
  target_uuid: icon.uuid[0].value,
  url: `${repository.url}${icon.uri[0].url}`,
});

describe.each(Object.entries(TYPES))('media of type %s', (type, { field, extensions, mapped }) => {
  it('accepts only the extensions of its source field', async () => {
    for (const extension of extensions.split(' ')) {
      const response = await putToNode(repository, {
        node: await repository.node(),
        type,
        uri: `public://${type}/a.${extension}`,
        body: 'x',
        contentType: 'application/x-test',
      });
      expect({ extension, status: response.status }).toEqual({ extension, status: 201 });
    }
    const before = await stock(repository);
    const response = await putToNode(repository, {
      node: await repository.node(),
      type,
      uri: 'public://a.exe',
      body: 'x',
    });
    expect({ status: response.status, body: await response.json() }).toEqual({
      status: 400,
      body: { message: `Invalid file extension.  Valid types are ${extensions}` },
    });
    expect((await stock(repository)).files).toEqual(before.files);
  });

  it('takes name, type, size and thumbnail from its file', async () => {
    const extension = extensions.split(' ')[0] as string;
    const uri = `public://over/${type}.${extension}`;
    const node = await repository.node();
    const media = await createMedia(repository, {
      node,
      type,
      uri,
      body: pngHead(6, 5),
      contentType: 'application/x-test',
    });
    const file = await fileOf(repository, media, field);
    const name = `${type}.${extension}`;
    expect(media.name).toEqual([{ value: name }]);
    if (mapped) {
      expect(media.field_mime_type).toEqual([{ value: 'application/x-test' }]);
      expect(media.field_file_size).toEqual([{ value: pngHead(6, 5).byteLength }]);
    } else expect(media).not.toHaveProperty('field_file_size');
    const url = `${repository.url}${file.uri[0].url}`;
    const target = { target_type: 'file', target_uuid: file.uuid[0].value, url };
    const target_id = file.fid[0].value;
    if (type === 'image') {
      const item = { target_id, alt: name, title: null, width: 6, height: 5, ...target };
      expect({ value: media[field], thumbnail: media.thumbnail }).toEqual({ value: [item], thumbnail: [item] });
      expect(media.field_width).toEqual([{ value: 6 }]);
      expect(media.field_height).toEqual([{ value: 5 }]);
    } else {
      expect(media[field]).toEqual([{ target_id, display: true, description: null, ...target }]);
      expect(Object.keys(media[field][0])).toEqual([
        'target_id',
        'display',
        'description',
        'target_type',
        'target_uuid',
        'url',
      ]);
      expect(media.thumbnail).toEqual([iconItem(name)]);
    }
  });

  it('requires a source', async () => {
    const before = await stock(repository);
    const response = await post({ bundle: [{ target_id: type }], name: [{ value: 'Nothing' }] });
    expect(response.status).toBe(422);
    expect(((await response.json()) as EntityJson).message).toBe(
      `Unprocessable Entity: validation failed.\n${field}: This value should not be null.\n`,
    );
    expect(await stock(repository)).toEqual(before);
  });

  it('refuses a file with another extension', async () => {
    const own = extensions.split(' ');
    const [other, otherField, name] = own.includes('txt')
      ? (['image', 'field_media_image', 'wrong.png'] as const)
      : (['document', 'field_media_document', 'wrong.txt'] as const);
    const file = await uploadFile(repository, name, 'x', { type: other, field: otherField });
    const response = await post({ bundle: [{ target_id: type }], [field]: [{ target_id: file.fid[0].value }] });
    expect({ status: response.status, message: ((await response.json()) as EntityJson).message }).toEqual({
      status: 422,
      message: `Unprocessable Entity: validation failed.\n${field}.0: Only files with the following extensions are allowed: ${extensions}.\n`,
    });
  });
});

describe('the icon of media without an image', () => {
  it('is an image that every caller may fetch', async () => {
    const response = await repository.get(icon.uri[0].url);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('image/png');
    expect(icon.status).toEqual([{ value: true }]);
  });

  it('can be deleted, and is created again at the next start', async () => {
    const node = await repository.node();
    const media = await createMedia(repository, {
      node,
      type: 'file',
      uri: 'public://icon.txt',
      body: 'x',
      contentType: 'text/plain',
    });
    expect((await repository.delete(`/entity/file/${icon.fid[0].value}?_format=json`, 'admin')).status).toBe(204);
    expect((await readJson(repository, `/media/${media.mid[0].value}`)).thumbnail).toEqual([]);
    const another = { node: await repository.node(), type: 'file', body: 'x', contentType: 'text/plain' };
    expect((await createMedia(repository, { ...another, uri: 'public://icon2.txt' })).thumbnail).toEqual([]);
    await repository.restart();
    const { rows } = await repository.running.services.database.client.execute(
      "SELECT id FROM file WHERE uri LIKE 'public://media-icons/%'",
    );
    icon = await readJson(repository, `/entity/file/${rows[0]?.[0]}`);
    const later = { ...another, node: await repository.node(), uri: 'public://icon3.txt' };
    expect((await createMedia(repository, later)).thumbnail).toEqual([iconItem('icon3.txt')]);
  });
});

describe('extracted text', () => {
  const put = async (body: string, { name = 't.txt', contentType = 'text/plain' } = {}) =>
    createMedia(repository, {
      node: await repository.node(),
      type: 'extracted_text',
      uri: `public://text/${name}`,
      body,
      contentType,
    });

  it.each([
    ['one line', 'One line', 'One line'],
    ['lines of all kinds', 'a\nb\r\nc\rd', 'a<br />\nb<br />\nc<br />\nd'],
    ['a single line break', '\n', '<br />\n'],
  ])('is copied from its file: %s', async (_, text, value) => {
    expect((await put(text)).field_edited_text).toMatchObject([{ value, format: 'basic_html' }]);
  });

  it('is shown without the scripts of its file', async () => {
    const [item] = (await put('<script>alert(1)</script><b onclick="x()">b</b>')).field_edited_text;
    expect(item.processed).not.toContain('<script');
    expect(item.processed).not.toContain('onclick');
  });

  it.each([
    ['XML', '<?xml version="1.0"?><a/>', {}],
    [
      'a document',
      'PK\u0003\u0004',
      { name: 'a.docx', contentType: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document' },
    ],
    ['no UTF-8', 'caf\u00e9', {}],
    ['more than a field should hold', 'x'.repeat(2 * 1024 * 1024 + 1), {}],
    ['more lines than can be shown as breaks', 'x\n'.repeat(100_001), {}],
    ['more markup than can be filtered', '<b>'.repeat(100_001), {}],
  ])('is not copied from %s', async (name, text, options) => {
    const body = name === 'no UTF-8' ? Buffer.from(text, 'latin1') : text;
    const media = await createMedia(repository, {
      node: await repository.node(),
      type: 'extracted_text',
      uri: `public://text/${'name' in options ? options.name : 'not.txt'}`,
      body,
      contentType: 'contentType' in options ? options.contentType : 'text/plain',
    });
    expect(media.field_edited_text).toEqual([]);
  });

  it('keeps a value that was sent, even when the file is replaced', async () => {
    const file = await uploadFile(repository, 'sent.txt', 'from the file', {
      type: 'extracted_text',
      field: 'field_media_file',
    });
    const response = await post({
      bundle: 'extracted_text',
      field_media_file: [{ target_id: file.fid[0].value }],
      field_edited_text: [{ value: 'corrected', format: 'basic_html' }],
    });
    const media = (await response.json()) as EntityJson;
    expect(media.field_edited_text).toMatchObject([{ value: 'corrected' }]);
    const path = `/media/${media.mid[0].value}`;
    expect((await repository.put(`${path}/source`, 'other', { 'Content-Type': 'text/plain' }, 'admin')).status).toBe(
      204,
    );
    expect((await readJson(repository, path)).field_edited_text).toMatchObject([{ value: 'corrected' }]);
  });

  it('is copied even if an empty value was sent', async () => {
    const file = await uploadFile(repository, 'empty-sent.txt', 'from the file', {
      type: 'extracted_text',
      field: 'field_media_file',
    });
    const response = await post({
      bundle: 'extracted_text',
      field_media_file: [{ target_id: file.fid[0].value }],
      field_edited_text: [{ value: '' }],
    });
    expect(response.status).toBe(201);
    expect(((await response.json()) as EntityJson).field_edited_text).toMatchObject([{ value: 'from the file' }]);
  });
});

describe('a media that is created with an uploaded file', () => {
  const upload = (body: Bun.BodyInit = pngHead(2, 3), name = 'up.png') => uploadFile(repository, name, body);

  it('replaces the sizes of the client by measured ones', async () => {
    const file = await upload();
    const response = await post({
      bundle: [{ target_id: 'image' }],
      name: [{ value: 'Mine' }],
      field_media_image: [{ target_id: file.fid[0].value, alt: 'A', title: 'T', width: 999, height: 999 }],
      field_file_size: [{ value: 1 }],
      field_width: [{ value: 999 }],
      field_mime_type: [{ value: 'image/x-mine' }],
    });
    expect(response.status).toBe(201);
    expect(await response.json()).toMatchObject({
      name: [{ value: 'Mine' }],
      field_file_size: [{ value: pngHead(2, 3).byteLength }],
      field_width: [{ value: 2 }],
      field_height: [{ value: 3 }],
      field_mime_type: [{ value: 'image/x-mine' }],
      field_media_image: [{ alt: 'A', title: 'T', width: 2, height: 3 }],
      thumbnail: [{ alt: 'A', title: 'T', width: 2, height: 3 }],
    });
  });

  it('takes its values from another file in a PATCH and keeps the first file', async () => {
    const [first, second] = [await upload(), await upload(pngHead(20, 30), 'second.png')];
    const made = (await (
      await post({ bundle: 'image', field_media_image: [{ target_id: first.fid[0].value, alt: 'A' }] })
    ).json()) as EntityJson;
    const path = `/media/${made.mid[0].value}`;
    const change = { bundle: [{ target_id: 'image' }], field_media_image: [{ target_id: second.fid[0].value }] };
    expect((await repository.patch(`${path}?_format=json`, change, 'admin')).status).toBe(200);
    expect(await readJson(repository, path)).toMatchObject({
      name: [{ value: 'second.png' }],
      field_width: [{ value: 20 }],
      field_media_image: [{ target_id: second.fid[0].value, alt: '', width: 20 }],
      thumbnail: [{ target_id: second.fid[0].value, width: 20 }],
    });
    expect((await readJson(repository, `/entity/file/${first.fid[0].value}`)).status).toEqual([{ value: true }]);
    expect((await readJson(repository, `/entity/file/${second.fid[0].value}`)).status).toEqual([{ value: true }]);
  });

  it('keeps its name when only the text of its image changes', async () => {
    const file = await upload();
    const body = {
      bundle: 'image',
      name: [{ value: 'Harbour' }],
      field_media_image: [{ target_id: file.fid[0].value, alt: 'A' }],
    };
    const made = (await (await post(body)).json()) as EntityJson;
    const path = `/media/${made.mid[0].value}`;
    const change = { bundle: 'image', field_media_image: [{ target_id: file.fid[0].value, alt: 'B' }] };
    expect((await repository.patch(`${path}?_format=json`, change, 'admin')).status).toBe(200);
    expect(await readJson(repository, path)).toMatchObject({ name: [{ value: 'Harbour' }], thumbnail: [{ alt: 'B' }] });
  });

  it('accepts its own response as a PATCH', async () => {
    const file = await upload();
    const made = (await (
      await post({ bundle: 'image', field_media_image: [{ target_id: file.fid[0].value, alt: 'A' }] })
    ).json()) as EntityJson;
    const response = await repository.patch(`/media/${made.mid[0].value}?_format=json`, made, 'admin');
    expect({ status: response.status, body: await response.json() }).toEqual({ status: 200, body: made });
  });

  it('is refused for a missing file', async () => {
    const response = await post({ bundle: 'image', field_media_image: [{ target_id: 999_999 }] });
    expect({ status: response.status, message: ((await response.json()) as EntityJson).message }).toEqual({
      status: 422,
      message:
        'Unprocessable Entity: validation failed.\nfield_media_image.0.target_id: The referenced entity (file: 999999) does not exist.\n',
    });
  });
});

describe('subtitles', () => {
  it('are uploaded as a file and become a track of a video', async () => {
    const track = await uploadFile(repository, 'en.vtt', 'WEBVTT', { type: 'file', field: 'field_media_file' });
    const video = await uploadFile(repository, 'a.mp4', 'x', { type: 'video', field: 'field_media_video_file' });
    const response = await post({
      bundle: 'video',
      field_media_video_file: [{ target_id: video.fid[0].value }],
      field_track: [
        { target_id: track.fid[0].value, kind: 'subtitles', label: 'English', srclang: 'en', default: '1' },
      ],
    });
    expect(response.status).toBe(201);
    const item = {
      target_id: track.fid[0].value,
      label: 'English',
      kind: 'subtitles',
      srclang: 'en',
      default: true,
      target_type: 'file',
      target_uuid: track.uuid[0].value,
      url: `${repository.url}${track.uri[0].url}`,
    };
    const media = (await response.json()) as EntityJson;
    expect(media.field_track).toEqual([item]);
    expect(Object.keys(media.field_track[0])).toEqual(Object.keys(item));
    expect((await readJson(repository, `/entity/file/${track.fid[0].value}`)).status).toEqual([{ value: true }]);
  });
});

describe('a remote video', () => {
  it('consists of an address and has the generic icon', async () => {
    const url = 'https://vimeo.com/123';
    const response = await post({ bundle: 'remote_video', field_media_oembed_video: [{ value: url }] });
    expect(response.status).toBe(201);
    expect(await response.json()).toMatchObject({
      name: [{ value: url }],
      field_media_oembed_video: [{ value: url }],
      thumbnail: [iconItem(url)],
    });
    expect((await post({ bundle: 'remote_video' })).status).toBe(422);
  });

  it('accepts no bytes', async () => {
    const response = await putToNode(repository, {
      node: await repository.node(),
      type: 'remote_video',
      uri: 'public://a.mp4',
      body: 'x',
    });
    expect({ status: response.status, body: await response.json() }).toEqual({
      status: 404,
      body: { message: 'Source field not set for remote_video media' },
    });
  });
});
