import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { tmpdir } from 'node:os';
import { type DerivativeService, startDerivativeService } from '../support/derivatives.ts';
import { readFits } from '../support/fits.ts';
import { run, SPOKEN_TEXT } from '../support/fixtures.ts';
import { until } from '../support/until.ts';

let service: DerivativeService;
beforeAll(async () => {
  service = await startDerivativeService();
});
afterAll(() => service.stop());

const look = (image: Uint8Array, format: string) => run(['identify', '-format', format, '-'], image);
const words = async (file: string, from: string) =>
  Buffer.from(await service.make(file, { from, to: 'text/plain' })).toString();

/** Creates a file of pictures with the words of the fixture. */
async function made(name: string, ...options: string[]): Promise<string> {
  const picture = service.fixtures.path('words.png');
  const command = options.map((option) => (option === 'words' ? picture : option));
  await run(['convert', ...command, service.fixtures.path(name)]);
  return name;
}

/** A small copy of the picture. */
const COPY = ['(', 'words', '-resize', '25%', ')'];

/** Creates a TIFF of these pages, one of which says that it is a smaller copy of another. */
async function withCopy(copy: 'IFD0' | 'IFD1', ...pages: string[]): Promise<string> {
  const name = await made('copied.tif', ...pages);
  await run(['exiftool', '-n', '-overwrite_original', `-${copy}:SubfileType=1`, service.fixtures.path(name)]);
  return name;
}

describe('the JPEG of an image', () => {
  it.each([
    ['image/jpeg', 'jpg'],
    ['image/tiff', 'tif'],
    ['image/vnd.adobe.photoshop', 'psd'],
  ])('in CMYK of type %s is in sRGB with the colours of its inks', async (from, extension) => {
    const file = await made(`print.${extension}`, '-size', '40x40', 'xc:red', '-colorspace', 'CMYK');
    expect(await look(await service.fixtures.read(file), '%[colorspace]')).toStartWith('CMYK');
    for (const args of ['', '-thumbnail 20x20']) {
      const image = await service.make(file, { from, to: 'image/jpeg', args });
      expect(await look(image, '%[colorspace]')).toBe('sRGB');
      expect(
        await run(['convert', '-', '-format', '%[fx:u.r > 0.75 && u.g < 0.25 && u.b < 0.25]', 'info:'], image),
      ).toBe('1');
    }
  });

  it('in grey stays grey', async () => {
    const file = await made('grey.jpg', 'words', '-colorspace', 'gray');
    const image = await service.make(file, { from: 'image/jpeg', to: 'image/jpeg' });
    expect(await look(image, '%[colorspace] %w %h')).toBe('Gray 600 120');
  });
});

describe('a TIFF that holds a smaller copy of its picture', () => {
  it.each([
    ['before it', 'IFD0', [...COPY, 'words']],
    ['after it', 'IFD1', ['words', ...COPY]],
  ] as const)('%s becomes the full picture, and its text is recognised once', async (_, copy, pages) => {
    const file = await withCopy(copy, ...pages);
    const image = await service.make(file, { from: 'image/tiff', to: 'image/jpeg' });
    expect(await look(image, '%w %h')).toBe('600 120');
    expect((await words(file, 'image/tiff')).match(/\S.*|\f/g)).toEqual([SPOKEN_TEXT]);
  });

  it('and nothing else becomes that copy', async () => {
    const file = await withCopy('IFD0', ...COPY);
    expect(await look(await service.make(file, { from: 'image/tiff', to: 'image/jpeg' }), '%w')).toBe('150');
    expect((await service.post(file, { from: 'image/tiff', to: 'text/plain' })).status).toBe(200);
  });
});

describe('a TIFF with an unreadable later page', () => {
  it('becomes a picture of its first page', async () => {
    const file = await made('unread.tif', 'words', 'words');
    await run(['exiftool', '-n', '-overwrite_original', '-IFD1:Compression=34892', service.fixtures.path(file)]);
    expect(await look(await service.make(file, { from: 'image/tiff', to: 'image/jpeg' }), '%w %h')).toBe('600 120');
  });
});

describe('text recognition', () => {
  it.each([3, 6, 8])('reads an image upright with the EXIF orientation %i', async (orientation) => {
    const turned = { 3: '180', 6: '-90', 8: '90' }[orientation] ?? '0';
    const file = await made('turned.jpg', 'words', '-background', 'red', '-splice', '0x20', '-rotate', turned);
    await run(['exiftool', '-n', '-overwrite_original', `-Orientation=${orientation}`, service.fixtures.path(file)]);
    expect(await words(file, 'image/jpeg')).toContain(SPOKEN_TEXT);
    const wanted = { from: 'image/jpeg', to: 'text/vnd.hocr+html' };
    const hocr = Buffer.from(await service.make(file, wanted)).toString();
    expect(hocr).toContain('bbox 0 0 600 140');
    expect(Number(/ocrx_word' id='\w+' title='bbox (\d+)/.exec(hocr)?.[1])).toBeWithin(15, 40);
  });

  it('returns an empty line for a blank page', async () => {
    const file = await made('blank.png', '-size', '600x800', 'xc:white');
    expect(await words(file, 'image/png')).toBe('\n');
  });

  it('reads a TIFF of more than a thousand pages', async () => {
    const file = await made('many.tif', '-size', '40x40', 'xc:white', '-duplicate', '1199', 'words');
    expect(await words(file, 'image/tiff')).toContain(SPOKEN_TEXT);
  });

  it('reads only the first frame of an animated GIF', async () => {
    const file = await made('moving.gif', 'words', 'words', 'words');
    expect((await words(file, 'image/gif')).match(/\S.*|\f/g)).toEqual([SPOKEN_TEXT]);
  });

  it('logs why a picture cannot be read, without a path of the server', async () => {
    for (const to of ['text/plain', 'text/vnd.hocr+html', 'image/jpeg']) {
      const failures = () => service.processor.log.filter(({ status }) => status === 500);
      const before = failures().length;
      expect((await service.post('words.png', { from: 'image/jpeg', to })).status).toBe(500);
      await until(() => failures().length > before);
      const said = String(failures().at(-1)?.stderr);
      expect(said).toContain('Not a JPEG file: starts with 0x89 0x50');
      expect(said).not.toContain(tmpdir());
    }
  });
});

describe('technical metadata', () => {
  it('has the status UNKNOWN for a file that exiftool does not know', async () => {
    const unknown = new Uint8Array(Buffer.from([1, 2, 3, 250, 251]));
    const xml = await service.make(unknown, { from: 'application/octet-stream', to: 'application/xml' });
    expect(readFits(Buffer.from(xml).toString())).toMatchObject({ status: 'UNKNOWN', messages: ['Unknown file type'] });
  });
});
