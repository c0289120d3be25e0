import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { type ImageSite, identified, pictured, startImageSite } from '../../support/image-site.ts';
import type { EntityJson } from '../../support/test-repository.ts';

const [WIDTH, HEIGHT] = [1539, 1027];

let site: ImageSite;
let media: EntityJson;
let base: string;
beforeAll(async () => {
  site = await startImageSite();
  // Red on the left, blue on the right; bright at the top.
  const command = ['convert', '-size', `${WIDTH}x${HEIGHT}`, 'gradient:white-gray', '(', '+clone', '-sparse-color'];
  const path = await site.make('wide.jpg', [
    ...[...command, 'bilinear', `0,0 red ${WIDTH},0 blue`, ')', '-compose', 'multiply', '-composite'],
    ...['-quality', '95', 'FILE'],
  ]);
  media = await site.upload(path, 'image/jpeg');
  base = `${site.repository.url}/iiif/3/${media.uuid[0].value}`;
}, 60_000);
afterAll(async () => {
  expect(site.repository.failures()).toEqual([]);
  await site.stop();
});

const ask = (request: string, init?: Parameters<ImageSite['ask']>[2]) => site.ask(media, request, init);

describe('info.json', () => {
  it('describes the image, its tiles and its sizes', async () => {
    const response = await ask('info.json', { headers: { Accept: '*/*' } });
    expect(response.headers.get('Content-Type')).toBe(
      'application/ld+json;profile="http://iiif.io/api/image/3/context.json"',
    );
    expect(await response.json()).toEqual({
      '@context': 'http://iiif.io/api/image/3/context.json',
      id: base,
      type: 'ImageService3',
      protocol: 'http://iiif.io/api/image',
      profile: 'level2',
      width: WIDTH,
      height: HEIGHT,
      maxWidth: 16383,
      maxHeight: 16383,
      maxArea: 16777216,
      sizes: [
        { width: 385, height: 257 },
        { width: 770, height: 514 },
        { width: WIDTH, height: HEIGHT },
      ],
      tiles: [{ width: 512, height: 512, scaleFactors: [1, 2, 4] }],
      extraFormats: ['webp'],
      extraQualities: ['color', 'gray', 'bitonal'],
      extraFeatures: ['canonicalLinkHeader', 'mirroring', 'profileLinkHeader', 'sizeUpscaling'],
    });
  });

  it('is sent as JSON to browsers and to clients that prefer it', async () => {
    const typeFor = async (accept: string) =>
      (await ask('info.json', { headers: { Accept: accept } })).headers.get('Content-Type');
    expect(await typeFor('application/json')).toBe('application/json');
    expect(await typeFor('text/html,application/xhtml+xml,*/*;q=0.8')).toBe('application/json');
    expect(await typeFor('application/ld+json')).toStartWith('application/ld+json;');
    expect(await typeFor('*/*')).toStartWith('application/ld+json;');
  });

  it('is found by an escaped address', async () => {
    const uuid = String(media.uuid[0].value).replaceAll('-', '%2D');
    expect(await identified(await site.repository.get(`/iiif/3/${uuid}/full/max/0/default.jpg`))).toBe(
      'JPEG 1539 1027',
    );
    expect((await site.repository.get(`/iiif/3/${uuid}/info.json`)).status).toBe(200);
  });

  it('is the redirect target of the base address, for scripts of every site', async () => {
    const response = await fetch(base, { redirect: 'manual', headers: { Origin: 'https://viewer.example.org' } });
    expect({ status: response.status, location: response.headers.get('Location') }).toEqual({
      status: 303,
      location: `${base}/info.json`,
    });
    expect(response.headers.get('Access-Control-Allow-Origin')).toBe('*');
    expect((await ask('info.json')).headers.get('Access-Control-Allow-Origin')).toBe('*');
  });
});

describe('a stored tile or size', () => {
  it.each([
    ['0,0,512,512/512,512/0/default.jpg', 'JPEG 512 512'],
    ['1536,1024,3,3/3,3/0/default.jpg', 'JPEG 3 3'],
    ['1024,0,515,1024/258,512/0/default.jpg', 'JPEG 258 512'],
    ['full/385,257/0/default.jpg', 'JPEG 385 257'],
    ['0,0,1539,1027/385,/0/default.jpg', 'JPEG 385 257'],
    ['full/220,147/0/default.jpg', 'JPEG 220 147'],
    ['full/max/0/default.jpg', 'JPEG 1539 1027'],
  ])('%s is sent without starting a process', async (request, expected) => {
    const started = site.repository.log.filter(({ part }) => part === 'processor').length;
    expect(await identified(await ask(request))).toBe(expected);
    expect(site.repository.log.filter(({ part }) => part === 'processor').length).toBe(started);
  });

  it('has an ETag and a canonical link', async () => {
    const response = await ask('0,0,1539,1027/385,/0/default.jpg');
    const { headers } = response;
    expect(headers.get('Link')).toBe(
      `<http://iiif.io/api/image/3/level2.json>; rel="profile", <${base}/full/385,257/0/default.jpg>; rel="canonical"`,
    );
    expect(headers.get('Cache-Control')).toBe('public, no-cache');
    expect(headers.get('Vary')).toBe('Authorization, JWT-Authorization, Cookie');
    expect(headers.get('Last-Modified')).toMatch(/ GMT$/);
    const again = await ask('full/385,257/0/default.jpg', {
      headers: { 'If-None-Match': String(headers.get('ETag')) },
    });
    expect({ status: again.status, text: await again.text() }).toEqual({ status: 304, text: '' });
    const other = await ask('0,0,512,512/512,512/0/default.jpg');
    expect(other.headers.get('ETag')).not.toBe(headers.get('ETag'));
  });

  it('has a length for HEAD, and is sent whole for a Range', async () => {
    const path = '0,0,512,512/512,512/0/default.jpg';
    const head = await ask(path, { method: 'HEAD' });
    const whole = await ask(path, { headers: { Range: 'bytes=0-9' } });
    expect({ status: whole.status, length: head.headers.get('Content-Length') }).toEqual({
      status: 200,
      length: String((await whole.bytes()).length),
    });
  });
});

describe('a computed image', () => {
  it.each([
    ['full/100,/0/default.jpg', 'JPEG 100 67'],
    ['full/,100/0/default.png', 'PNG 150 100'],
    ['full/pct:10/0/default.webp', 'WEBP 154 103'],
    ['full/!300,300/0/default.jpg', 'JPEG 300 200'],
    ['full/200,50/0/default.jpg', 'JPEG 200 50'],
    ['square/100,/0/default.jpg', 'JPEG 100 100'],
    ['pct:25,25,50,50/max/0/default.jpg', 'JPEG 770 514'],
    ['10,20,30,40/max/90/default.jpg', 'JPEG 40 30'],
    ['1500,1000,500,500/max/0/default.jpg', 'JPEG 39 27'],
    ['10,20,30,40/^60,/0/default.png', 'PNG 60 80'],
    ['10,20,30,40/^max/0/gray.jpg', 'JPEG 120 160'],
    ['full/max/270/bitonal.png', 'PNG 1027 1539'],
    ['full/200,/!180/color.jpg', 'JPEG 200 133'],
  ])('%s is %s', async (request, expected) => {
    expect(await identified(await ask(request))).toBe(expected);
  });

  it('shows the region, upright, mirrored or rotated', async () => {
    const isRed = (request: string) => ask(request).then((response) => pictured(response, '%[fx:p{5,5}.r>p{5,5}.b]'));
    expect(await isRed('0,0,200,200/50,50/0/default.png')).toBe('1');
    expect(await isRed('1300,0,200,200/50,50/0/default.png')).toBe('0');
    expect(await isRed('full/100,/!0/default.png')).toBe('0');
    expect(await isRed('full/100,/180/default.png')).toBe('0');
    expect(await isRed('full/100,/!180/default.png')).toBe('1');
  });

  it('can be gray or black and white', async () => {
    expect(await pictured(await ask('full/100,/0/gray.png'), '%[colorspace] %[type]')).toContain('Gray');
    expect(await pictured(await ask('full/100,/0/bitonal.png'), '%[type]')).toBe('Bilevel');
  });

  it('is computed once for several callers', async () => {
    const started = () => site.repository.log.filter(({ part }) => part === 'processor').length;
    const before = started();
    const request = 'full/123,/0/default.jpg';
    const all = await Promise.all(Array.from({ length: 5 }, async () => (await ask(request)).bytes()));
    expect(new Set(all.map((bytes) => Bun.hash(bytes))).size).toBe(1);
    await (await ask(request)).bytes();
    expect(started()).toBe(before + 1);
  });
});

describe('an invalid request', () => {
  it.each([
    ['full/max/0', 'An image has the address REGION/SIZE/ROTATION/QUALITY.FORMAT'],
    ['full/max/0/default.jpg/more', 'An image has the address'],
    ['junk/max/0/default.jpg', 'The region "junk" is invalid.'],
    ['0,0,0,10/max/0/default.jpg', 'Its width and height must be above 0.'],
    ['-1,0,10,10/max/0/default.jpg', 'The region "-1,0,10,10" is invalid.'],
    ['2000,0,10,10/max/0/default.jpg', 'The region lies outside the image of 1539 x 1027 pixels.'],
    ['pct:100,0,10,10/max/0/default.jpg', 'The region lies outside the image'],
    ['full/pct:0/0/default.jpg', 'The size "pct:0" is invalid. It must be above 0.'],
    ['full/0,/0/default.jpg', 'It must be above 0.'],
    ['full/full/0/default.jpg', 'The size "full" is invalid.'],
    ['full/,/0/default.jpg', 'The size "," is invalid.'],
    ['full/pct:150/0/default.jpg', 'More than 100 percent requires ^'],
    ['full/2000,/0/default.jpg', 'Enlarging requires ^.'],
    ['full/^20000,/0/default.jpg', 'is more than 4 times that of the region'],
    ['full/^999999999,999999999/0/default.jpg', 'is more than 4 times'],
    ['full/max/45/default.jpg', 'Only 0, 90, 180 and 270 are supported.'],
    ['full/max/361/default.jpg', 'The rotation "361" is invalid.'],
    ['full/max/0/sepia.jpg', 'The quality "sepia.jpg" is invalid.'],
    ['full/max/0/default.tif', 'The format tif is not supported. The formats are jpg, png or webp.'],
    ['full/max/0/default.exe', 'The format exe is unknown.'],
    ['%E0%A4%A/max/0/default.jpg', 'invalid escape'],
  ])('%s returns 400 with the reason', async (request, message) => {
    const response = await ask(request);
    expect(response.status).toBe(400);
    expect(((await response.json()) as { message: string }).message).toContain(message);
  });

  it.each(['00000000-0000-4000-8000-000000000000', 'junk', '1'])(
    'returns 404 for an unknown image: %s',
    async (uuid) => {
      for (const path of [`/iiif/3/${uuid}`, `/iiif/3/${uuid}/info.json`, `/iiif/3/${uuid}/full/max/0/default.jpg`])
        expect((await site.repository.get(path)).status).toBe(404);
    },
  );

  it('returns 405 for another method', async () => {
    expect((await ask('info.json', { method: 'POST' })).status).toBe(405);
  });
});
