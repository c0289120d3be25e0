import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { expectRefusal, rawHead, readJson, stock, uploadFile, uploadResponse } from '../../support/binaries.ts';
import { speak } from '../../support/raw-http.ts';
import { createTestRepository, type EntityJson, type TestRepository } from '../../support/test-repository.ts';

/** Fields that take scripts, or only small files. */
const MODEL = `
media_types:
  document:
    fields:
      field_media_document: { file_extensions: [txt, php, js] }
  audio:
    fields:
      field_media_audio_file: { file_extensions: [mp3, php] }
  video:
    fields:
      field_media_video_file: { file_extensions: [mp4], max_file_bytes: 50 }
`;
const DOCUMENT = { type: 'document', field: 'field_media_document' };
const FILE = { type: 'file', field: 'field_media_file' };
const WANTED = 'A file name in the format "filename=FILENAME" must be provided.';

let repository: TestRepository;
beforeAll(async () => {
  repository = await createTestRepository({ maxUploadBytes: 1000 }, { model: MODEL });
});
afterAll(async () => {
  await repository.stop();
});

const month = new Date().toISOString().slice(0, 7);
const named = (disposition: string) => ({ 'Content-Disposition': disposition });

describe('an upload', () => {
  it('returns 201 with the record of a temporary file and no Location', async () => {
    const response = await uploadResponse(repository, 'hello', named('file; filename="hello.txt"'), FILE);
    expect(response.status).toBe(201);
    expect(response.headers.get('location')).toBeNull();
    const file = (await response.json()) as EntityJson;
    expect(Object.keys(file)).toEqual([
      'fid',
      'uuid',
      'langcode',
      'uid',
      'filename',
      'uri',
      'filemime',
      'filesize',
      'status',
      'created',
      'changed',
    ]);
    expect(file).toMatchObject({
      uid: [{ target_id: 1 }],
      filename: [{ value: 'hello.txt' }],
      uri: [{ value: `fedora://${month}/hello.txt`, url: `/_flysystem/fedora/${month}/hello.txt` }],
      filemime: [{ value: 'text/plain' }],
      filesize: [{ value: 5 }],
      status: [{ value: false }],
    });
    expect(await readJson(repository, `/entity/file/${file.fid[0].value}`)).toEqual(file);
  });

  it.each([
    ['page.jp2', 'image/jp2'],
    ['page.TIF', 'image/tiff'],
    ['text.vtt', 'text/vtt'],
    ['data.xml', 'application/xml'],
    ['book.hocr', 'application/octet-stream'],
  ])('derives the MIME type from the name: %s', async (name, type) => {
    expect((await uploadFile(repository, name, 'x', FILE)).filemime).toEqual([{ value: type }]);
  });

  it('numbers names that are in use', async () => {
    const names = [];
    for (let count = 0; count < 3; count++)
      names.push((await uploadFile(repository, 'twice.txt', 'x', FILE)).uri[0].value);
    expect(names).toEqual(['', '_0', '_1'].map((suffix) => `fedora://${month}/twice${suffix}.txt`));
  });

  it('may be empty, with a length or in chunks', async () => {
    expect((await uploadFile(repository, 'empty.txt', '', FILE)).filesize).toEqual([{ value: 0 }]);
    const head = rawHead('POST', '/file/upload/media/file/field_media_file?_format=json', {
      'Content-Type': 'application/octet-stream',
      'Content-Disposition': 'file; filename="chunked.txt"',
      'Transfer-Encoding': 'chunked',
    });
    const { text } = await speak(Number(new URL(repository.url).port), [head, '0\r\n\r\n']);
    expect(text).toStartWith('HTTP/1.1 201');
    expect(text).toContain('"filesize":[{"value":0}]');
  });

  it.each([
    ['a folder', 'file; filename="bk1/p-002.txt"', 'p-002.txt'],
    ['an absolute path', 'file; filename="/var/data/p-003.txt"', 'p-003.txt'],
    ['a folder of another system', 'file; filename="C:\\data\\p-004.txt"', 'p-004.txt'],
    ['parent folders', 'file; filename="../../../p-005.txt"', 'p-005.txt'],
    ['a plain and an extended name', `file; filename="bk1/p-006.txt"; filename*=utf-8''bk1%2Fp-006.txt`, 'p-006.txt'],
    ['a name in another script', `file; filename="?.txt"; filename*=UTF-8''%E6%97%A5+a.txt`, '日 a.txt'],
    ['an invalid extended name', `file; filename="plain.txt"; filename*=utf-8''%ff%fe.txt`, 'plain.txt'],
    ['a blank and a percent', 'file; filename="a 100% b.txt"', 'a 100% b.txt'],
    ['an escaped quote', 'file; filename="say \\"hi\\".txt"', 'say "hi".txt'],
    ['a dangerous part inside', 'file; filename="x.php.txt"', 'x.php_.txt'],
    ['no disposition type', 'filename="bare.txt"', 'bare.txt'],
    ['300 characters', `file; filename="${'n'.repeat(300)}.txt"`, `${'n'.repeat(196)}.txt`],
  ])('takes the last part of its path as its name: %s', async (_, disposition, name) => {
    const response = await uploadResponse(repository, 'x', named(disposition), FILE);
    expect(response.status).toBe(201);
    const file = (await response.json()) as EntityJson;
    expect(file.filename).toEqual([{ value: name }]);
    expect(await (await repository.get(file.uri[0].url, 'admin')).text()).toBe('x');
  });

  it.each([
    ['no Content-Disposition', {}, `"Content-Disposition" header is required. ${WANTED}`],
    ['no name', named('file'), `No filename found in "Content-Disposition" header. ${WANTED}`],
    ['an empty name', named('file; filename=""'), `No filename found in "Content-Disposition" header. ${WANTED}`],
    [
      'a name without quotes',
      named('file; filename=x.txt'),
      `No filename found in "Content-Disposition" header. ${WANTED}`,
    ],
    ['a folder only', named('file; filename="a/"'), `No filename found in "Content-Disposition" header. ${WANTED}`],
    [
      'a parent folder only',
      named('file; filename=".."'),
      `No filename found in "Content-Disposition" header. ${WANTED}`,
    ],
    [
      'a quoted extended name',
      named(`file; filename*="utf-8''x.txt"`),
      'The extended "filename*" format is currently not supported in the "Content-Disposition" header.',
    ],
    [
      'a line break in a name',
      named(`file; filename*=utf-8''a%0D%0ASet-Cookie.txt`),
      'The file name in the "Content-Disposition" header must not contain control characters.',
    ],
    [
      'NUL in a name',
      named(`file; filename*=utf-8''a.php%00.txt`),
      'The file name in the "Content-Disposition" header must not contain control characters.',
    ],
  ])('is refused with %s', async (_, headers, message) => {
    await expectRefusal(
      repository,
      () => uploadResponse(repository, 'x', headers as Record<string, string>, FILE),
      400,
      message,
    );
  });

  const allowed = (line: string) => `Unprocessable Entity: file validation failed.\n${line}`;
  it.each([
    [
      'image',
      'field_media_image',
      'a.txt',
      'Only files with the following extensions are allowed: png gif jpg jpeg webp avif.',
    ],
    [
      'image',
      'field_media_image',
      'png',
      'Only files with the following extensions are allowed: png gif jpg jpeg webp avif.',
    ],
    [
      'image',
      'field_media_image',
      'a.php',
      'Only files with the following extensions are allowed: png gif jpg jpeg webp avif.',
    ],
    [
      'image',
      'field_media_image',
      '.htaccess',
      'Only files with the following extensions are allowed: png gif jpg jpeg webp avif.',
    ],
    ['audio', 'field_media_audio_file', 'a.php', 'For security reasons, your upload has been rejected.'],
  ])('to %s is refused for its extension: %s.%s', async (type, field, name, line) => {
    await expectRefusal(
      repository,
      () => uploadResponse(repository, 'x', named(`file; filename="${name}"`), { type, field }),
      422,
      allowed(line),
    );
  });

  it.each([
    ['y.php', 'y.php_.txt', 'text/plain'],
    ['x.JS', 'x.JS_.txt', 'text/plain'],
    ['x.js.txt', 'x.js_.txt', 'text/plain'],
    ['x.PhP.txt', 'x.PhP_.txt', 'text/plain'],
  ])('gets a harmless name if the field allows scripts: %s', async (name, stored, type) => {
    const file = await uploadFile(repository, name, 'x', DOCUMENT);
    expect(file.filename[0].value).toBe(stored);
    expect(file.filemime[0].value).toBe(type);
  });

  it('is rejected above the limit of the field or the server', async () => {
    const video = { type: 'video', field: 'field_media_video_file' };
    await expectRefusal(
      repository,
      () => uploadResponse(repository, 'x'.repeat(100), named('file; filename="a.mp4"'), video),
      422,
      allowed('The file is 100 bytes exceeding the maximum file size of 50 bytes.'),
    );
    const announced = { 'Content-Length': '900', 'Content-Type': 'application/octet-stream' };
    const path = '/file/upload/media/video/field_media_video_file?_format=json';
    const head = rawHead('POST', path, { ...announced, 'Content-Disposition': 'file; filename="a.mp4"' });
    const { text } = await speak(Number(new URL(repository.url).port), [head, 'x']);
    expect(text).toStartWith('HTTP/1.1 422');
    expect(text).toContain('The file is 900 bytes exceeding the maximum file size of 50 bytes.');
    expect((await uploadResponse(repository, 'x'.repeat(50), named('file; filename="a.mp4"'), video)).status).toBe(201);
    await expectRefusal(
      repository,
      () => uploadResponse(repository, 'x'.repeat(1001), named('file; filename="a.txt"'), FILE),
      413,
      'The file is larger than the maximum of 1000 bytes.',
    );
  });

  it('is read up to the limit of the field when its length is unknown', async () => {
    let sent = 0;
    const body = new ReadableStream({
      pull(controller) {
        if (sent === 1_000) controller.close();
        else controller.enqueue(Buffer.alloc(64));
        sent += 1;
      },
    });
    const video = { type: 'video', field: 'field_media_video_file' };
    await expectRefusal(
      repository,
      () => uploadResponse(repository, body as unknown as string, named('file; filename="a.mp4"'), video),
      422,
      allowed('The file exceeds the maximum file size of 50 bytes.'),
    );
    const small = new Blob(['x'.repeat(50)]).stream();
    const response = await uploadResponse(repository, small, named('file; filename="a.mp4"'), video);
    expect(response.status).toBe(201);
  });

  it('is rejected if it does not match its digest', async () => {
    const headers = {
      ...named('file; filename="a.txt"'),
      'Content-Digest': `sha-256=:${Buffer.alloc(32).toString('base64')}:`,
    };
    const before = await stock(repository);
    expect((await uploadResponse(repository, 'x', headers, FILE)).status).toBe(400);
    expect(await stock(repository)).toEqual(before);
  });
});

describe('the route of uploads', () => {
  const post = (path: string, headers: Record<string, string> = {}, as: string | undefined = 'admin') =>
    repository.fetch(`/file/upload/${path}?_format=json`, {
      method: 'POST',
      body: 'x',
      as,
      headers: {
        'Content-Type': 'application/octet-stream',
        'Content-Disposition': 'file; filename="a.txt"',
        ...headers,
      },
    });

  it.each([
    ['an unknown field', 'media/file/field_nonsense', 404, 'Field "field_nonsense" does not exist'],
    ['an unknown bundle', 'media/nonsense/field_media_file', 404, 'Field "field_media_file" does not exist'],
    ['an unknown type', 'nonsense/file/field_media_file', 404, 'Field "field_media_file" does not exist'],
    ['a field of another bundle', 'media/file/field_media_image', 404, 'Field "field_media_image" does not exist'],
    ['a name of JavaScript', 'constructor/file/toString', 404, 'Field "toString" does not exist'],
    ['a field without files', 'media/file/field_mime_type', 403, '"field_mime_type" is not a file field'],
  ])('refuses %s', async (_, path, status, message) => {
    await expectRefusal(repository, () => post(path), status, message);
  });

  it('accepts only application/octet-stream', async () => {
    await expectRefusal(
      repository,
      () => post('media/file/field_media_file', { 'Content-Type': 'text/plain' }),
      415,
      'The Content-Type "text/plain" is not supported here. Send application/octet-stream.',
    );
    await expectRefusal(
      repository,
      () => post('media/file/field_media_file', { 'Content-Type': '' }),
      415,
      'The header Content-Type is missing.',
    );
  });

  it('requires authentication, and accepts only name and password', async () => {
    await expectRefusal(
      repository,
      () =>
        repository.fetch('/file/upload/media/file/field_media_file?_format=json', {
          method: 'POST',
          body: 'x',
          headers: { 'Content-Type': 'application/octet-stream' },
        }),
      401,
      'No authentication credentials provided.',
    );
    const { token } = (await (await repository.get('/jwt/token', 'admin')).json()) as { token: string };
    const headers = {
      Authorization: `Bearer ${token}`,
      'Content-Type': 'application/octet-stream',
      'Content-Disposition': 'file; filename="a.txt"',
    };
    await expectRefusal(
      repository,
      () =>
        repository.fetch('/file/upload/media/file/field_media_file?_format=json', {
          method: 'POST',
          body: 'x',
          headers,
        }),
      403,
      'This address does not accept this authentication method.',
    );
  });
});

describe('the requests of a loader', () => {
  it('create a media of an upload from bare values and change its use', async () => {
    const item = await repository.node();
    const file = await uploadFile(repository, 'bk1/p-009.txt', 'page', FILE);
    const use = await repository.termId('http://pcdm.org/use#OriginalFile');
    const body = {
      bundle: [{ target_id: 'file', target_type: 'media_type' }],
      name: [{ value: 'Page 9' }],
      field_media_file: [{ target_id: file.fid[0].value, target_type: 'file' }],
      field_media_of: [{ target_id: item.nid[0].value, target_type: 'node' }],
      field_media_use: [{ target_id: String(use), target_type: 'taxonomy_term' }],
      status: { value: '1' },
    };
    const response = await repository.post('/entity/media', body, 'admin');
    expect(response.status).toBe(201);
    const media = (await response.json()) as EntityJson;
    expect(response.headers.get('location')).toBe(`${repository.url}/media/${media.mid[0].value}`);
    expect(media).toMatchObject({
      name: [{ value: 'Page 9' }],
      field_file_size: [{ value: 4 }],
      field_mime_type: [{ value: 'text/plain' }],
      status: [{ value: true }],
      field_media_file: [
        { target_id: file.fid[0].value, display: true, description: null, url: `${repository.url}${file.uri[0].url}` },
      ],
    });
    const uses = [{ target_id: use }, { target_id: await repository.termId('http://pcdm.org/use#ServiceFile') }];
    const patched = await repository.patch(
      `/media/${media.mid[0].value}/edit?_format=json`,
      { bundle: body.bundle, field_media_use: uses },
      'admin',
    );
    expect(patched.status).toBe(200);
    expect(((await patched.json()) as EntityJson).field_media_use).toMatchObject(uses);
  });
});
