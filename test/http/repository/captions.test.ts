import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { settledFiles } from '../../support/binaries.ts';
import { createTestRepository, type EntityJson, type TestRepository } from '../../support/test-repository.ts';
import { attach, uploadWhole } from '../../support/tus.ts';

const SRT = '1\r\n00:00:01,000 --> 00:00:02,000\r\nA door opens.\r\n';
const VTT = '\uFEFFWEBVTT\r\n\r\n00:00:01.000 --> 00:00:02.000\r\nA door opens.\r\n';
const NO_WEBVTT = 'The captions are not WebVTT, which begins with the word WEBVTT.';
const CONVERT =
  'Captions in SubRip (SRT) must be converted to WebVTT first, such as with ffmpeg -i captions.srt captions.vtt.';

let repository: TestRepository;
let node: number;
let video: number;
beforeAll(async () => {
  repository = await createTestRepository();
  node = (await repository.node()).nid[0].value;
  const media = await repository.build.media(node, { uri: 'public://film.mp4', bytes: 'film', media: 'video' });
  video = media.mid[0].value;
});
afterAll(async () => {
  await settledFiles(repository);
  expect(repository.failures()).toEqual([]);
  await repository.stop();
});

const send = (path: string, name: string, bytes: string) =>
  repository.fetch(`/file/upload/${path}?_format=json`, {
    ...{ method: 'POST', as: 'admin', body: bytes },
    headers: { 'Content-Type': 'application/octet-stream', 'Content-Disposition': `file; filename="${name}"` },
  });
const refused = async (response: Response) => [response.status, ((await response.json()) as EntityJson).message];

async function fileOf(name: string, bytes: string): Promise<number> {
  const response = await send('media/file/field_media_file', name, bytes);
  expect(response.status).toBe(201);
  return ((await response.json()) as EntityJson).fid[0].value;
}
const addTrack = (target_id: number) =>
  repository.patch(
    `/media/${video}?_format=json`,
    { bundle: 'video', field_track: [{ target_id, kind: 'captions', label: 'English', srclang: 'en' }] },
    'admin',
  );
const put = (path: string, bytes: string, location = 'public://words.vtt') =>
  repository.fetch(path, {
    ...{ method: 'PUT', as: 'admin', body: bytes },
    headers: { 'Content-Type': 'text/vtt', 'Content-Location': location },
  });

describe('captions of a media', () => {
  it('are accepted with a byte order mark and any end of lines', async () => {
    expect((await addTrack(await fileOf('good.vtt', VTT))).status).toBe(200);
  });

  it('are refused if their file is not WebVTT', async () => {
    const invalid = (message: string) => [422, `Unprocessable Entity: validation failed.\nfield_track.0: ${message}\n`];
    expect(await refused(await addTrack(await fileOf('page.vtt', '<html></html>')))).toEqual(invalid(NO_WEBVTT));
    expect(await refused(await addTrack(await fileOf('srt.vtt', SRT)))).toEqual(invalid(CONVERT));
    expect(await refused(await addTrack(await fileOf('none.vtt', '')))).toEqual(invalid(NO_WEBVTT));
  });

  it('are refused when they are uploaded for the field, and nothing is stored', async () => {
    const failed = (line: string) => [422, `Unprocessable Entity: file validation failed.\n${line}`];
    const path = 'media/video/field_track';
    expect((await send(path, 'good.vtt', VTT)).status).toBe(201);
    expect(await refused(await send(path, 'page.vtt', '<html></html>'))).toEqual(failed(NO_WEBVTT));
    expect(await refused(await send(path, 'film.srt', SRT))).toEqual(
      failed(`Only files with the following extensions are allowed: vtt. ${CONVERT}`),
    );
  });

  it('are refused as an upload in parts', async () => {
    const bad = await attach(repository, await uploadWhole(repository, 'bad.vtt', Buffer.from(SRT)), {
      track_of: video,
    });
    expect((await refused(bad))[0]).toBe(422);
    const srt = await attach(repository, await uploadWhole(repository, 'film.srt', Buffer.from(SRT)), {
      track_of: video,
    });
    const [status, message] = await refused(srt);
    expect(status).toBe(422);
    expect(message).toEndWith(CONVERT);
  });

  it('that were stored before keep a media changeable', async () => {
    const { database } = repository.running.services;
    const file = await fileOf('kept.vtt', VTT);
    expect((await addTrack(file)).status).toBe(200);
    const other = await fileOf('srt-as-text.txt', SRT);
    await database.write([
      {
        sql: 'UPDATE file SET (storage_key, filesize) = (SELECT storage_key, filesize FROM file WHERE id = ?) WHERE id = ?',
        args: [other, file],
      },
    ]);
    const track = { target_id: file, kind: 'captions', label: 'English, corrected', srclang: 'en' };
    const path = `/media/${video}?_format=json`;
    expect((await repository.patch(path, { bundle: 'video', field_track: [track] }, 'admin')).status).toBe(200);
  });
});

describe('a transcript in WebVTT', () => {
  it('is refused when its bytes are not, and keeps its file when it is replaced so', async () => {
    const use = await repository.termId('http://pcdm.org/use#Transcript');
    const path = `/node/${node}/media/file/${use}`;
    const [status, message] = await refused(await put(path, SRT));
    expect(status).toBe(422);
    expect(message).toContain(CONVERT);
    expect((await put(path, VTT)).status).toBe(201);
    expect(await refused(await put(path, 'words'))).toEqual([422, NO_WEBVTT]);
    expect(await (await repository.get('/sites/default/files/words.vtt')).text()).toBe(VTT.slice(1));
  });
});
