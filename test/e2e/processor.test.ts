import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { type DerivativeService, startDerivativeService } from '../support/derivatives.ts';
import { readFits } from '../support/fits.ts';
import { run, SPOKEN_TEXT } from '../support/fixtures.ts';

let service: DerivativeService;
beforeAll(async () => {
  service = await startDerivativeService();
});
afterAll(() => service.stop());

const bytes = (text: string) => new Uint8Array(Buffer.from(text));
const identify = (image: Uint8Array) => run(['identify', '-format', '%m %w %h', '-'], image);
const cornerColour = (image: Uint8Array) => run(['convert', '-', '-format', '%[pixel:p{0,0}]', 'info:'], image);

describe('an image', () => {
  it('becomes a thumbnail in the size of X-Repo-Args', async () => {
    const thumbnail = await service.make('plasma.png', {
      from: 'image/png',
      to: 'image/jpeg',
      args: '-thumbnail 100x100',
    });
    expect(await identify(thumbnail)).toBe('JPEG 100 50');
  });

  it.each([
    ['image/png', 'PNG'],
    ['image/tiff', 'TIFF'],
    ['image/jp2', 'JP2'],
    ['image/webp', 'WEBP'],
    ['image/gif', 'GIF'],
  ])('becomes %s in full size without X-Repo-Args', async (to, format) => {
    const image = await service.make('plasma.jpg', { from: 'image/jpeg', to });
    expect(await identify(image)).toBe(`${format} 400 200`);
  });

  it.each([
    ['landscape', '5000x3000', 'JPEG 2400 1440'],
    ['portrait', '600x4800', 'JPEG 300 2400'],
    ['exactly that size', '2400x100', 'JPEG 2400 100'],
    ['small', '16x9', 'JPEG 16 9'],
  ])('becomes a JPEG of at most the size in -resize, never enlarged: %s', async (_, size, expected) => {
    const name = `${size}.png`;
    await run(['convert', '-size', size, 'xc:red', service.fixtures.path(name)]);
    const made = await service.make(name, { from: 'image/png', to: 'image/jpeg', args: '-resize 2400x2400' });
    expect(await identify(made)).toBe(expected);
    const thumbnail = await service.make(name, { from: 'image/png', to: 'image/jpeg', args: '-thumbnail 5000x5000' });
    expect(await identify(thumbnail)).toBe(`JPEG ${size.replace('x', ' ')}`);
  });

  it('keeps its size in inches when it is scaled down', async () => {
    const resolution = (image: Uint8Array) => run(['identify', '-format', '%w %x %U', '-'], image);
    const { path } = service.fixtures;
    const dense = ['-size', '600x300', 'plasma:red-blue', '-density', '300', '-units', 'PixelsPerInch'];
    await run(['convert', ...dense, path('dense.tif')]);
    const wanted = { from: 'image/tiff', to: 'image/jpeg' };
    expect(await resolution(await service.make('dense.tif', { ...wanted, args: '-resize 300x300' }))).toBe(
      '300 150 PixelsPerInch',
    );
    expect(await resolution(await service.make('dense.tif', wanted))).toBe('600 300 PixelsPerInch');
  });

  it('is rotated by its EXIF orientation', async () => {
    const { path } = service.fixtures;
    await run(['exiftool', '-n', '-Orientation=6', '-o', path('sideways.jpg'), path('plasma.jpg')]);
    const image = await service.make('sideways.jpg', { from: 'image/jpeg', to: 'image/png' });
    expect(await identify(image)).toBe('PNG 200 400');
  });

  it('becomes white where transparent as JPEG, and stays transparent as PNG', async () => {
    const jpeg = await service.make('glass.png', { from: 'image/png', to: 'image/jpeg' });
    expect(await cornerColour(jpeg)).toMatch(/^(white|gray\(255\)|srgb\(255,255,255\))$/);
    const png = await service.make('glass.png', { from: 'image/png', to: 'image/png' });
    expect(await cornerColour(png)).toMatch(/,0\)$|^none$/);
  });

  it('with several pages becomes its first page', async () => {
    const image = await service.make('pages.tif', { from: 'image/tiff', to: 'image/png' });
    expect((await identify(image)).match(/PNG/g)).toHaveLength(1);
  });

  it('is rejected with 500 and plain text if it is damaged', async () => {
    const whole = await service.fixtures.read('plasma.png');
    for (const broken of [bytes('no image at all'), whole.slice(0, whole.length / 2)]) {
      const response = await service.post(broken, { from: 'image/png', to: 'image/jpeg' });
      expect(response.status).toBe(500);
      expect(response.headers.get('Content-Type')).toStartWith('text/plain');
    }
  });

  it('is read only as its declared type', async () => {
    const svg = bytes(
      '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>',
    );
    for (const disguised of [svg, bytes('push graphic-context\nviewbox 0 0 9 9\npop graphic-context\n')]) {
      expect((await service.post(disguised, { from: 'image/png', to: 'image/jpeg' })).status).toBe(500);
    }
    const response = await service.post('plasma.jpg', { from: 'image/png', to: 'image/jpeg' });
    expect(response.status).toBe(500);
  });

  it('is rejected as SVG, except for its technical metadata', async () => {
    const svg = bytes('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>');
    const refused = await service.post(svg, { from: 'image/svg+xml', to: 'image/png' });
    expect(refused.status).toBe(500);
    expect(await refused.text()).toContain('No command is configured that makes image/png from image/svg+xml');
    const xml = Buffer.from(await service.make(svg, { from: 'image/svg+xml', to: 'application/xml' }));
    expect(readFits(xml.toString()).identities[0]?.mimeType).toBe('image/svg+xml');
  });
});

describe('text recognition', () => {
  const read = async (file: string, from: string, args?: string) =>
    Buffer.from(await service.make(file, { from, to: 'text/plain', ...(args && { args }) })).toString();

  it('finds the words of an image', async () => {
    expect(await read('words.png', 'image/png')).toContain(SPOKEN_TEXT);
    expect(await read('words.png', 'image/png', '-l eng --psm 7')).toContain(SPOKEN_TEXT);
  });

  it('reads every page of a TIFF', async () => {
    const text = await read('pages.tif', 'image/tiff');
    expect(text).toContain('First page');
    expect(text).toContain('Second page');
    expect(text).toBe('First page\n\nSecond page\n');
  });

  it.each([undefined, '-c tessedit_create_hocr=1 -c hocr_font_info=0'])(
    'makes hOCR with X-Repo-Args %p',
    async (args) => {
      const wanted = { from: 'image/png', to: 'text/vnd.hocr+html', ...(args && { args }) };
      const hocr = Buffer.from(await service.make('words.png', wanted)).toString();
      expect(hocr.match(/class='ocr_page'/g)).toHaveLength(1);
      expect(hocr).toMatch(/<span class='ocrx_word'[^>]*>Archive<\/span>/);
    },
  );

  it('rejects a text file declared as an image instead of reading it as a list of files', async () => {
    for (const to of ['text/plain', 'text/vnd.hocr+html']) {
      const response = await service.post(bytes(`${service.fixtures.path('words.png')}\n`), { from: 'image/png', to });
      expect(response.status).toBe(500);
      expect(await response.text()).not.toContain('Archive');
    }
  });
});

describe('a PDF', () => {
  it('becomes its text', async () => {
    const text = await service.make('hello.pdf', { from: 'application/pdf', to: 'text/plain' });
    expect(Buffer.from(text).toString()).toContain('Hello PDF 42');
  });

  it.each([
    ['image/png', 'PNG 100 67'],
    ['image/jpeg', 'JPEG 100 67'],
  ])('becomes a thumbnail of its first page in %s', async (to, expected) => {
    const image = await service.make('hello.pdf', { from: 'application/pdf', to, args: '-thumbnail 100x100' });
    expect(await identify(image)).toBe(expected);
  });

  it('is rejected with 500 if it is damaged', async () => {
    for (const to of ['image/png', 'text/plain']) {
      expect((await service.post(bytes('%PDF-1.4 no'), { from: 'application/pdf', to })).status).toBe(500);
    }
  });
});

describe('a source that is fetched', () => {
  let source: Bun.Server<undefined>;
  beforeAll(() => {
    source = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: (request) => new Response(Bun.file(service.fixtures.path(new URL(request.url).pathname.slice(1)))),
    });
  });
  afterAll(() => source.stop(true));

  const get = (file: string, accept: string, args = '') =>
    fetch(service.processor.url, {
      headers: { 'Apix-Ldp-Resource': new URL(file, source.url).href, Accept: accept, 'X-Repo-Args': args },
    });

  it('is processed by the type in the response of its server', async () => {
    const thumbnail = await get('plasma.png', 'image/jpeg', '-thumbnail 100x100');
    expect(thumbnail.headers.get('Content-Type')).toBe('image/jpeg');
    expect(await identify(await thumbnail.bytes())).toBe('JPEG 100 50');
    expect(await (await get('words.png', 'text/plain')).text()).toContain(SPOKEN_TEXT);
    expect(await (await get('hello.pdf', 'text/plain')).text()).toContain('Hello PDF 42');
  });
});

describe('technical metadata', () => {
  it('is made for a type without other commands', async () => {
    const archive = new Uint8Array(Bun.gzipSync('hello'));
    const xml = await service.make(archive, { from: 'application/gzip', to: 'application/xml' });
    expect(readFits(Buffer.from(xml).toString()).identities[0]?.format).toBe('GZIP');
  });
});
