import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import type { ParsedContent } from '../../../src/repository/content/content.ts';
import type { Surroundings } from '../../../src/repository/content/read/surroundings.ts';
import type { PageSource } from '../../../src/web/site.ts';
import { createReader, type Reader, withMembers } from '../../support/linked-data.ts';
import { contentPage, detail, elementsOf, pageSource, RUNNING_SCRIPT, sourceFile } from '../../support/page.ts';
import { createTestRepository, type EntityJson, type TestRepository } from '../../support/test-repository.ts';

let repository: TestRepository;
let reader: Reader;
let source: PageSource;
let node: number;

beforeAll(async () => {
  repository = await createTestRepository();
  reader = createReader(repository.running.services);
  source = pageSource(repository.running.services.model);
  node = (await repository.node({ title: [{ value: 'Moon' }] })).nid[0].value;
});
afterAll(() => repository.stop());

interface Opened {
  content: ParsedContent;
  around: Surroundings;
}

async function put(bundle: string, use: string, type: string, uri: string, body: Bun.BodyInit): Promise<Opened> {
  const term = await repository.termId(`http://pcdm.org/use#${use}`);
  const headers = { 'Content-Type': type, 'Content-Location': uri };
  const response = await repository.put(`/node/${node}/media/${bundle}/${term}`, body, headers, 'admin');
  expect(response.status).toBe(201);
  return opened(Number(response.headers.get('location')?.split('/').at(-1)));
}

async function opened(id: number): Promise<Opened> {
  const content = await reader.find('media', id);
  return { content, around: await reader.around(content) };
}

const pageOf = ({ content, around }: Opened) => contentPage(content, around, [], source);
const viewer = (html: string) => elementsOf(html, '.viewer > img, .viewer > audio, .viewer > video')[0];
const downloads = (html: string) =>
  elementsOf(html, '.source-file a[download]').map(({ attributes }) => attributes.href);

describe('the page of a media', () => {
  it('shows an image with its size, alternative text, node and use', async () => {
    const bytes = await Bun.file(new URL('../../fixtures/images/red.png', import.meta.url)).bytes();
    const image = await put('image', 'OriginalFile', 'image/png', 'public://a "red" dot.png', bytes);
    const html = pageOf(image);
    const { width, height } = JSON.parse(image.content.document).field_media_image[0];
    const src = '/sites/default/files/a%20%22red%22%20dot.png';
    expect(viewer(html)).toMatchObject({ tag: 'img', attributes: { src, width: `${width}`, height: `${height}` } });
    expect(elementsOf(html, 'h1')[0]?.text).toBe('a "red" dot.png');
    expect(viewer(html)?.attributes.alt).toBe('a "red" dot.png');
    expect(downloads(html)).toEqual([src]);
    expect(elementsOf(html, '.belonging')[0]?.text).toBe('Original File of Moon');
    expect(elementsOf(html, '.belonging a')[0]?.attributes.href).toBe(`/node/${node}`);
    expect(detail(html, 'Image')).toEqual(['a "red" dot.png']);
    expect(detail(html, 'File size')).toEqual([`${bytes.length} bytes`]);
  });

  it('plays audio and video, with the uploaded tracks', async () => {
    const audio = await put('audio', 'OriginalFile', 'audio/mpeg', 'public://song.mp3', 'sound');
    expect(viewer(pageOf(audio))).toMatchObject({
      ...{ tag: 'audio', attributes: { src: '/sites/default/files/song.mp3', preload: 'metadata' } },
    });
    const video = await put('video', 'OriginalFile', 'video/mp4', 'public://film.mp4', 'film');
    const tracks = [
      {
        target_id: 1,
        url: '/sites/default/files/film.vtt',
        label: 'English',
        kind: 'captions',
        srclang: 'en',
        default: true,
      },
      { target_id: 2, url: '//evil.example/x.vtt', label: 'Elsewhere', kind: 'captions', srclang: 'en' },
    ];
    const html = pageOf({ ...video, content: withMembers(video.content, { field_track: tracks }) });
    expect(viewer(html)?.tag).toBe('video');
    expect(elementsOf(html, 'video track').map(({ attributes }) => attributes)).toEqual([
      { src: '/sites/default/files/film.vtt', kind: 'captions', srclang: 'en', label: 'English', default: '' },
    ]);
    expect(detail(html, 'Track')).toEqual(['English (captions, en)']);
  });

  it.each(['image/x-unknown', 'application/zip', 'text/html', 'image', 'audio/', '"><script>', ''])(
    'offers a file of type %j only for download',
    async (filemime) => {
      const document = await reader.find('media', (await anyDocument()).content.head.id);
      const file = sourceFile(filemime, 'private://2026/a.bin');
      const html = pageOf({ content: document, around: { targets: [], media: [], hasMoreMedia: false, file } });
      expect(elementsOf(html, `img, audio, video, ${RUNNING_SCRIPT}, object, embed, iframe`)).toEqual([]);
      expect(downloads(html)).toEqual(['/system/files/2026/a.bin']);
    },
  );

  it('hides the address of a file that the caller may not fetch', async () => {
    const { content, around } = await anyDocument();
    const html = pageOf({ content, around: { ...around, file: undefined } });
    expect(html).toContain('You may not read this file.');
    expect(html).not.toContain('/document.pdf"');
    expect(elementsOf(html, '[download]')).toEqual([]);
    expect(detail(html, 'Document')).toEqual([]);
  });

  it('links to a remote video', async () => {
    const response = await repository.post(
      '/entity/media?_format=json',
      {
        bundle: [{ target_id: 'remote_video' }],
        name: [{ value: 'Film' }],
        field_media_oembed_video: [{ value: 'https://video.example/1' }],
      },
      'admin',
    );
    expect(response.status).toBe(201);
    const { mid } = (await response.json()) as EntityJson;
    const html = pageOf(await opened(mid[0].value));
    expect(elementsOf(html, '.fields a').map(({ attributes }) => attributes.href)).toEqual(['https://video.example/1']);
    expect(html).not.toContain('not open to you');
  });

  it('formats sizes for readers', async () => {
    const { content, around } = await anyDocument();
    const sizeOf = (bytes: unknown) =>
      detail(pageOf({ content: withMembers(content, { field_file_size: [{ value: bytes }] }), around }), 'File size');
    expect([0, 1, 999, 1000, 1_250_000, 999_960, 8_000_000_000_000_000].map((bytes) => sizeOf(bytes)[0])).toEqual([
      ...['0 bytes', '1 byte', '999 bytes', '1 kB', '1.3 MB', '1 MB', '8,000 TB'],
    ]);
    expect(sizeOf(-1)).toEqual(['-1']);
    expect(sizeOf('many')).toEqual(['many']);
  });

  let document: Opened | undefined;
  async function anyDocument(): Promise<Opened> {
    document ??= await put('document', 'OriginalFile', 'application/pdf', 'public://document.pdf', '%PDF');
    return document;
  }
});
