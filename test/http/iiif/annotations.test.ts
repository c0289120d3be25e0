import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { pngHead, uploadFile } from '../../support/binaries.ts';
import { createIiifSite, fixture, type IiifSite, idOf } from '../../support/iiif-site.ts';
import { expectValid } from '../../support/presentation-schema.ts';
import type { EntityJson } from '../../support/test-repository.ts';

let site: IiifSite;
beforeAll(async () => {
  site = await createIiifSite();
});
afterAll(async () => {
  expect(site.repository.failures()).toEqual([]);
  await site.repository.stop();
});

const hocr = (lines: string) =>
  `<html><body><div class="ocr_page" title="bbox 0 0 500 1000">${lines}</div></body></html>`;
const line = (text: string, box: string) => `<span class="ocr_line" lang="eng" title="bbox ${box}">${text}</span>`;

async function page(text: string, fields = {}): Promise<{ node: EntityJson; path: string }> {
  const node = await site.item('page', [], fields);
  const image = await site.put(node, 'png', pngHead(1000, 2000));
  await site.put(node, 'hocr', text, 'hocr');
  return { node, path: `/node/${idOf(node)}/canvas/${image}/annotations` };
}

async function read(path: string): Promise<EntityJson> {
  const response = await site.repository.get(path);
  expect(response.status).toBe(200);
  return (await response.json()) as EntityJson;
}

describe('the recognized text of a canvas', () => {
  it('is an annotation page with one annotation for each line, in canvas pixels', async () => {
    const { node, path } = await page(
      hocr(line('First &lt;line&gt;', '10 20 110 40') + line('Last', '490 990 600 1100')),
    );
    const { url } = site.repository;
    const [canvas] = (await site.manifest(node)).items;
    expect(canvas.annotations).toEqual([{ id: `${url}${path}`, type: 'AnnotationPage' }]);
    const annotations = await expectValid(await read(path));
    expect(annotations.items).toMatchObject([
      {
        motivation: 'supplementing',
        body: { type: 'TextualBody', value: 'First <line>', language: 'en' },
        target: `${canvas.id}#xywh=20,40,200,40`,
      },
      { body: { value: 'Last' }, target: `${canvas.id}#xywh=980,1980,20,20` },
    ]);
  });

  it('returns 422 and is omitted from the manifest if its file is too large', async () => {
    const { node, path } = await page(hocr('<p>x</p>'.repeat(2_200_000)));
    const response = await site.repository.get(path);
    expect(response.status).toBe(422);
    expect(await response.json()).toEqual({
      message: 'The recognized text is larger than 16 MB. Download its file instead.',
    });
    expect((await site.manifest(node)).items[0].annotations).toBeUndefined();
  });

  it('has no lines if the file is not hOCR', async () => {
    const { path } = await page('not hOCR');
    expect((await expectValid(await read(path))).items).toEqual([]);
  });

  it('does not exist without hOCR, or for another media', async () => {
    const { node } = await page(hocr(''));
    const bare = await site.item('page');
    const image = await site.put(bare, 'png', pngHead(10, 10));
    for (const path of [`/node/${idOf(bare)}/canvas/${image}`, `/node/${idOf(node)}/canvas/${image}`])
      expect((await site.repository.get(`${path}/annotations`)).status).toBe(404);
  });

  it('requires access to its node', async () => {
    const { path } = await page(hocr(''), { status: [{ value: false }] });
    expect((await site.repository.get(path)).status).toBe(401);
    expect((await site.repository.get(path, 'admin')).status).toBe(200);
  });
});

describe('the captions of a video', () => {
  it('are the caption tracks of its media, by language', async () => {
    const { repository } = site;
    const node = await site.item('video');
    const file = await uploadFile(repository, 'a.mp4', await fixture('av/two-seconds.mp4'), {
      type: 'video',
      field: 'field_media_video_file',
    });
    const tracks = await Promise.all(
      ['captions', 'chapters'].map(async (kind) => {
        const track = await uploadFile(repository, `${kind}.vtt`, 'WEBVTT', {
          type: 'file',
          field: 'field_media_file',
        });
        return { target_id: track.fid[0].value, kind, label: 'Deutsch', srclang: 'de', default: false };
      }),
    );
    const media = {
      bundle: 'video',
      name: [{ value: 'a.mp4' }],
      field_media_of: [{ target_id: idOf(node) }],
      field_media_video_file: [{ target_id: file.fid[0].value }],
      field_track: tracks,
    };
    const response = await repository.post('/entity/media?_format=json', media, 'admin');
    expect({ status: response.status, problem: response.status === 201 ? '' : await response.text() }).toEqual({
      status: 201,
      problem: '',
    });
    const [canvas] = (await expectValid(await site.manifest(node))).items;
    expect(canvas.annotations).toHaveLength(1);
    const [annotation, ...others] = canvas.annotations[0].items;
    expect(others).toEqual([]);
    expect(annotation).toMatchObject({
      motivation: 'supplementing',
      body: { type: 'Text', format: 'text/vtt', label: { de: ['Deutsch'] }, language: 'de' },
      target: canvas.id,
    });
    expect((await fetch(annotation.body.id)).status).toBe(200);
  });
});
