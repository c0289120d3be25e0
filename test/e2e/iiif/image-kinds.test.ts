import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { jobsOf } from '../../support/derivative-site.ts';
import { type ImageSite, identified, pictured, startImageSite } from '../../support/image-site.ts';
import type { EntityJson } from '../../support/test-repository.ts';
import { until } from '../../support/until.ts';

let site: ImageSite;
beforeAll(async () => {
  site = await startImageSite();
});
afterAll(async () => {
  expect(site.repository.failures()).toEqual([]);
  await site.stop();
});

interface Info {
  width: number;
  height: number;
  tiles: { scaleFactors: number[] }[];
}

const infoOf = async (media: EntityJson) => (await (await site.ask(media, 'info.json')).json()) as Info;
const nodeOf = (media: EntityJson) => ({ nid: [{ value: media.field_media_of[0].target_id }] });
const tilesJobOf = async (media: EntityJson) =>
  (await jobsOf(site.repository, nodeOf(media))).find(({ action }) => action.includes('tiles'));

/** A picture with red on the left. */
const PICTURE = ['convert', '-size', '600x400', 'xc:blue', '-fill', 'red', '-draw', 'rectangle 0,0 299,399'];

describe('tiles', () => {
  it.each([
    ['a 16-bit gray TIFF', 'gray.tif', 'image/tiff', 'file', ['-colorspace', 'Gray', '-depth', '16'], '600 400'],
    ['a 16-bit color TIFF', 'deep.tif', 'image/tiff', 'file', ['-depth', '16'], '600 400'],
    ['a black and white TIFF', 'fax.tif', 'image/tiff', 'file', ['-monochrome', '-compress', 'Group4'], '600 400'],
    ['a CMYK JPEG', 'cmyk.jpg', 'image/jpeg', 'image', ['-colorspace', 'CMYK'], '600 400'],
    ['an animated GIF', 'moves.gif', 'image/gif', 'image', ['-duplicate', '2'], '600 400'],
    ['a JPEG 2000', 'other.jp2', 'image/jp2', 'file', [], '600 400'],
  ])('of %s are in sRGB or gray', async (_what, name, type, bundle, options, size) => {
    const media = await site.upload(await site.make(name, [...PICTURE, ...options, 'FILE']), type, { bundle });
    const info = await infoOf(media);
    expect(`${info.width} ${info.height} ${info.tiles[0]?.scaleFactors}`).toBe(`${size} 1,2`);
    const space = await pictured(await site.ask(media, '0,0,512,400/512,400/0/default.jpg'), '%m %w %h %[colorspace]');
    expect(space).toMatch(/^JPEG 512 400 (sRGB|Gray)$/);
    expect(await identified(await site.ask(media, '0,0,300,300/30,30/0/default.png'))).toBe('PNG 30 30');
  });

  it('keep the colors of a CMYK image', async () => {
    const path = await site.make('print.jpg', [...PICTURE, '-colorspace', 'CMYK', 'FILE']);
    const media = await site.upload(path, 'image/jpeg');
    const isRed = '%[fx:p{9,9}.r>0.6 && p{9,9}.b<0.4]';
    expect(await pictured(await site.ask(media, '0,0,512,400/512,400/0/default.jpg'), isRed)).toBe('1');
    expect(await pictured(await site.ask(media, 'full/99,/0/default.jpg'), isRed)).toBe('1');
  });

  it('of a transparent PNG are white, and computed PNG files stay transparent', async () => {
    const path = await site.make('clear.png', ['convert', '-size', '600x400', 'xc:none', 'FILE']);
    const media = await site.upload(path, 'image/png');
    const white = '%[fx:min(p{0,0}.r,min(p{0,0}.g,p{0,0}.b))]';
    expect(await pictured(await site.ask(media, '0,0,512,400/512,400/0/default.jpg'), white)).toBe('1');
    expect(await pictured(await site.ask(media, 'full/90,/0/default.jpg'), white)).toBe('1');
    expect(await pictured(await site.ask(media, 'full/90,/0/default.png'), '%[fx:p{0,0}.a]')).toBe('0');
  });

  it('of a photograph with an EXIF orientation are upright', async () => {
    const plain = await site.make('plain.jpg', [...PICTURE, 'FILE']);
    const path = await site.make('turned.jpg', ['exiftool', '-n', '-Orientation=6', '-o', 'FILE', plain]);
    const media = await site.upload(path, 'image/jpeg');
    expect(await infoOf(media)).toMatchObject({ width: 400, height: 600 });
    const isRed = '%[fx:p{9,9}.r>p{9,9}.b]';
    expect(await pictured(await site.ask(media, '0,0,400,512/400,512/0/default.jpg'), isRed)).toBe('1');
    expect(await pictured(await site.ask(media, '0,400,100,100/50,50/0/default.jpg'), isRed)).toBe('0');
    expect(await pictured(await site.ask(media, 'full/max/0/default.png'), '%w %h')).toBe('400 600');
  });

  it('of an image of one pixel have one pixel', async () => {
    const media = await site.upload(await site.make('dot.png', ['convert', 'xc:red', 'FILE']), 'image/png');
    expect(await infoOf(media)).toMatchObject({ width: 1, height: 1, tiles: [{ scaleFactors: [1] }] });
    for (const request of ['full/max/0/default.jpg', '0,0,1,1/1,1/0/default.jpg', 'square/1,/90/bitonal.jpg'])
      expect(await identified(await site.ask(media, request))).toBe('JPEG 1 1');
    expect(await identified(await site.ask(media, 'pct:0.01,0.01,0.01,0.01/^3,3/0/default.png'))).toBe('PNG 3 3');
  });

  it('of an image of 300 megapixels come from its tile pack', async () => {
    const path = await site.make('map.jpg', ['vips', 'black', 'FILE', '20000', '15000']);
    const media = await site.upload(path, 'image/jpeg', { isQuick: true });
    await until(async () => (await tilesJobOf(media))?.state === 'done', { seconds: 60 });
    // ImageMagick has limits for the other derivatives.
    site.repository.log.length = 0;
    const info = await infoOf(media);
    expect(info).toMatchObject({ width: 20_000, height: 15_000, tiles: [{ scaleFactors: [1, 2, 4, 8, 16, 32, 64] }] });
    expect(await identified(await site.ask(media, '19968,14848,32,152/32,152/0/default.jpg'))).toBe('JPEG 32 152');
    expect(await identified(await site.ask(media, 'full/313,235/0/default.jpg'))).toBe('JPEG 313 235');
    expect((await site.ask(media, 'full/20000,/0/default.jpg')).status).toBe(400);
  }, 120_000);

  it.each([
    ['an SVG with the name of a PNG', '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>', 'png'],
    ['text', 'no image at all', 'jpg'],
  ])('are not made of %s', async (_what, text, extension) => {
    const path = await site.make(`other.${extension}`, ['sh', '-c', 'printf %s "$1" > "$0"', 'FILE', text]);
    const media = await site.upload(path, extension === 'png' ? 'image/png' : 'image/jpeg', { isQuick: true });
    await until(async () => {
      const job = await tilesJobOf(media);
      return job !== undefined && job.attempts > 0 && job.lease === null && job;
    });
    const response = await site.ask(media, 'full/max/0/default.jpg');
    expect(response.status).toBe(500);
    expect(await response.json()).toEqual({ message: 'The image cannot be computed. Its file may be damaged.' });
    site.repository.log.length = 0;
  });
});
