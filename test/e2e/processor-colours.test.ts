import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { type DerivativeRequest, type DerivativeService, startDerivativeService } from '../support/derivatives.ts';
import { run } from '../support/fixtures.ts';
import { grey12Tiff, oldJpegTiff, QUARTERS, ycbcrTiff } from '../support/uncommon-tiff.ts';

let service: DerivativeService;
beforeAll(async () => {
  service = await startDerivativeService();
});
afterAll(() => service.stop());

type Bytes = Uint8Array<ArrayBuffer>;

const asIs = (bytes: Bytes): Bytes => bytes;

/** Every way to a picture of an item: what to request, and how the picture is found in the answer. */
const WAYS: [string, Omit<DerivativeRequest, 'from'>, (answer: Bytes) => Bytes][] = [
  ['thumbnail', { to: 'image/jpeg', args: '-thumbnail 220x220' }, asIs],
  ['service file', { to: 'image/jpeg', args: '-resize 2400x2400' }, asIs],
  ['tile', { to: 'application/zip' }, (zip) => zip.slice(Buffer.from(zip).indexOf('ffd8ff', 'hex'))],
  ['computed region', { to: 'application/vnd.repo.image', args: '--size 64:64 --format png' }, asIs],
  ['PNG', { to: 'image/png' }, asIs],
];

async function picture(file: Bytes, from: string, [, wanted, cut]: (typeof WAYS)[number]) {
  const response = await service.post(file, { from, ...wanted });
  if (response.status !== 200) throw new Error(`${response.status}: ${service.processor.log.at(-1)?.stderr}`);
  return cut(new Uint8Array(await response.arrayBuffer()));
}

/** Returns the colours of the four quarters of a picture at their middle plus `shift`, each channel from 0 to 255. */
async function quarters(image: Bytes, shift = 0): Promise<number[][]> {
  const at = ['.25', '.75'].flatMap((y) => ['.25', '.75'].map((x) => `w*${x}+${shift},h*${y}+${shift}`));
  const format = at
    .map((place) => ['r', 'g', 'b'].map((c) => `%[fx:round(255*p{${place}}.${c})]`).join(' '))
    .join('\n');
  const text = await run(
    ['convert', '-', '-background', 'white', '-alpha', 'remove', '-colorspace', 'sRGB', '-format', format, 'info:'],
    image,
  );
  return text.split('\n').map((line) => line.split(' ').map(Number));
}

/** JPEG changes colours a little. */
const TOLERANCE = 12;

async function expectQuarters(image: Bytes, expected: readonly (readonly number[])[]) {
  // Two neighbours, since a misread pixel may spare every other column.
  const seen = [...(await quarters(image)), ...(await quarters(image, 1))];
  const all = [...expected, ...expected].flat();
  const far = seen.flat().filter((value, index) => Math.abs(value - (all[index] ?? 0)) > TOLERANCE);
  expect({ seen, far }).toEqual({ seen, far: [] });
}

/** Returns the standard deviation inside the first quarter, from 0 to 1: stripes of a misread pixel raise it. */
async function unevenness(image: Bytes): Promise<number> {
  const inside = ['-crop', '35%x35%+2+2', '-format', '%[fx:standard_deviation]', 'info:'];
  return Number(await run(['convert', '-', ...inside], image));
}

/** The picture of the quarters as a file of any format. */
async function drawn(name: string, ...options: string[]): Promise<Bytes> {
  const [a, b, c, d] = QUARTERS.map((colour) => `xc:rgb(${colour.join(',')})`);
  const rows = ['(', a, b, '+append', ')', '(', c, d, '+append', ')', '-append'].map(String);
  await run(['convert', '-size', '32x32', ...rows, ...options, service.fixtures.path(name)]);
  return service.fixtures.read(name);
}

const KINDS: [string, string, () => Promise<Bytes>][] = [
  ['a YCbCr TIFF', 'image/tiff', async () => ycbcrTiff(1)],
  ['a YCbCr TIFF with 4:2:0', 'image/tiff', async () => ycbcrTiff(2)],
  [
    'a TIFF with a JPEG in the old style',
    'image/tiff',
    async () => oldJpegTiff(await drawn('old.jpg', '-sampling-factor', '4:2:0', '-quality', '95')),
  ],
  ['a TIFF with JPEG compression', 'image/tiff', () => drawn('jpeg.tif', '-compress', 'JPEG', '-quality', '95')],
  ['a CIELAB TIFF', 'image/tiff', () => drawn('lab.tif', '-colorspace', 'Lab')],
  [
    'a CIELAB TIFF of 8 bits',
    'image/tiff',
    async () => {
      await drawn('plain.png', '-depth', '8');
      await run([
        'convert',
        service.fixtures.path('plain.png'),
        '-colorspace',
        'Lab',
        service.fixtures.path('lab8.tif'),
      ]);
      return service.fixtures.read('lab8.tif');
    },
  ],
  [
    'a Display P3 JPEG',
    'image/jpeg',
    async () => {
      await drawn('srgb.png', '-resize', '200%');
      const [from, to] = ['srgb.png', 'p3.jpg'].map((name) => service.fixtures.path(name));
      await run(['vips', 'icc_transform', String(from), `${to}[Q=95]`, 'p3', '--input-profile', 'srgb']);
      return service.fixtures.read('p3.jpg');
    },
  ],
];

/** The colours of the quarters in print, with the usual inks. A conversion without a profile would be far from them. */
const IN_PRINT = [
  [224, 44, 43],
  [46, 64, 140],
  [119, 179, 47],
  [190, 189, 189],
];

/** The quarters in CMYK as a TIFF, or as a JPEG with the marker of Adobe and inverted inks. */
async function printed(name: string, options = ''): Promise<Bytes> {
  await drawn('screen.png', '-depth', '8');
  const [from, to] = ['screen.png', name].map((each) => service.fixtures.path(each));
  await run(['vips', 'icc_transform', String(from), `${to}${options}`, 'cmyk', '--input-profile', 'srgb']);
  return service.fixtures.read(name);
}

/** The same as a JPEG without that marker, whose inks are not inverted. */
async function plainCmyk(): Promise<Bytes> {
  await printed('inks.tif');
  const [inks, inverted, jpeg] = ['inks.tif', 'inverted.tif', 'adobe.jpg'].map((each) => service.fixtures.path(each));
  await run(['vips', 'invert', String(inks), String(inverted)]);
  await run(['vips', 'jpegsave', String(inverted), String(jpeg), '--Q', '95', '--strip']);
  const bytes = Buffer.from(await service.fixtures.read('adobe.jpg'));
  const marker = bytes.indexOf('ffee', 'hex');
  return new Uint8Array(
    Buffer.concat([bytes.subarray(0, marker), bytes.subarray(marker + 2 + bytes.readUInt16BE(marker + 2))]),
  );
}

/** A page of the archive of a book, as one of its pictures. */
async function inPdf(file: Bytes, extension: string): Promise<Bytes> {
  const page = `page.${extension}`;
  await Bun.write(service.fixtures.path(page), file);
  const archive = service.fixtures.path('pages.tar');
  await run(['tar', '-C', service.fixtures.path('.'), '-cf', archive, page]);
  const pdf = await service.make('pages.tar', { from: 'application/x-tar', to: 'application/pdf' });
  await run(['pdftoppm', '-png', '-singlefile', '-scale-to', '64', '-', service.fixtures.path('page')], pdf);
  return service.fixtures.read('page.png');
}

/** A profile with other inks than the usual ones, and the colours of the same amounts of them. */
const OTHER_INKS = new URL('../../node_modules/pdfjs-dist/iccs/CGATS001Compat-v2-micro.icc', import.meta.url).pathname;
const IN_OTHER_INKS = [
  [228, 44, 34],
  [38, 78, 162],
  [133, 196, 64],
  [201, 202, 204],
];

async function withOtherInks(name: string, options?: string): Promise<Bytes> {
  await printed(name, options);
  await run(['exiftool', '-q', '-overwrite_original', `-ICC_Profile<=${OTHER_INKS}`, service.fixtures.path(name)]);
  return service.fixtures.read(name);
}

describe.each<[string, string, string, number[][], () => Promise<Bytes>]>([
  ['a CMYK TIFF without a profile', 'image/tiff', 'tif', IN_PRINT, () => printed('bare.tif', '[strip]')],
  ['a CMYK TIFF with the profile of other inks', 'image/tiff', 'tif', IN_OTHER_INKS, () => withOtherInks('other.tif')],
  ['a CMYK JPEG of Adobe without a profile', 'image/jpeg', 'jpg', IN_PRINT, () => printed('bare.jpg', '[Q=95,strip]')],
  [
    'a CMYK JPEG with the profile of other inks',
    'image/jpeg',
    'jpg',
    IN_OTHER_INKS,
    () => withOtherInks('other.jpg', '[Q=95]'),
  ],
  ['a plain CMYK JPEG', 'image/jpeg', 'jpg', IN_PRINT, plainCmyk],
])('%s has the colours of its print', (_, from, extension, expected, make) => {
  it.each(WAYS)('in a %s', async (name, wanted, cut) => {
    const image = await picture(await make(), from, [name, wanted, cut]);
    await expectQuarters(await inSrgb(image), expected);
  });

  it('in the PDF of a book', async () => {
    await expectQuarters(await inPdf(await make(), extension), expected);
  });
});

describe.each(KINDS)('%s keeps its colours', (_, from, make) => {
  it.each(WAYS)('in a %s', async (name, wanted, cut) => {
    const image = await picture(await make(), from, [name, wanted, cut]);
    await expectQuarters(await inSrgb(image), QUARTERS);
    expect(await unevenness(image)).toBeLessThan(0.01);
  });
});

/** Converts a picture with a profile to sRGB, as a browser does. */
async function inSrgb(image: Bytes): Promise<Bytes> {
  const [before, after] = ['before', 'after.png'].map((name) => service.fixtures.path(name));
  await Bun.write(String(before), image);
  const profile = await run(['convert', String(before), '-format', '%[profile:icc]', 'info:']);
  if (profile === '') return image;
  await run(['vips', 'icc_transform', String(before), String(after), 'srgb', '--embedded']);
  return service.fixtures.read('after.png');
}

describe('a YCbCr TIFF with an orientation', () => {
  it.each([
    [2, [1, 0, 3, 2]],
    [3, [3, 2, 1, 0]],
    [6, [2, 0, 3, 1]],
    [8, [1, 3, 0, 2]],
  ])('of %i is upright', async (orientation, order) => {
    for (const way of WAYS) {
      const image = await picture(ycbcrTiff(2, orientation), 'image/tiff', way);
      await expectQuarters(
        image,
        order.map((index) => QUARTERS[index] ?? []),
      );
    }
  });
});

describe('a gray TIFF of 12 bits', () => {
  it.each(WAYS)('becomes a %s', async (name, wanted, cut) => {
    const image = await picture(grey12Tiff([50, 200]), 'image/tiff', [name, wanted, cut]);
    const [dark, light] = [50, 200].map((level) => [level, level, level]);
    await expectQuarters(image, [dark ?? [], light ?? [], dark ?? [], light ?? []]);
  });
});

describe('a GIF with a frame that is smaller than its canvas', () => {
  it.each(WAYS)('becomes a %s of the whole canvas', async (name, wanted, cut) => {
    await run(['convert', '-page', '80x80+40+40', '-size', '40x40', 'xc:red', service.fixtures.path('part.gif')]);
    const image = await picture(await service.fixtures.read('part.gif'), 'image/gif', [name, wanted, cut]);
    const seen = await quarters(image);
    expect(seen[3]?.map((value) => value > 128)).toEqual([true, false, false]);
    expect(Math.min(...(seen[0] ?? []))).toBeGreaterThan(240);
  });
});

describe('a page of an archive', () => {
  it('keeps the colours of a YCbCr TIFF in the PDF', async () => {
    await expectQuarters(await inPdf(ycbcrTiff(2), 'tif'), QUARTERS);
  });
});

describe('a picture with another name of its type', () => {
  it.each([['image/jpg'], ['image/pjpeg']])('of %s has all derivatives', async (from) => {
    const file = await drawn('named.jpg', '-quality', '95');
    for (const way of WAYS) await expectQuarters(await picture(file, from, way), QUARTERS);
  });

  it('of image/tif has all derivatives', async () => {
    for (const way of WAYS) await expectQuarters(await picture(ycbcrTiff(2), 'image/tif', way), QUARTERS);
  });
});

describe('a picture that is larger than the policy of ImageMagick allows', () => {
  it('becomes a thumbnail by vips', async () => {
    const file = service.fixtures.path('wide.png');
    await run(['vips', 'black', `${file}`, '17000', '20', '--bands', '3']);
    const thumbnail = await picture(await service.fixtures.read('wide.png'), 'image/png', WAYS[0] as (typeof WAYS)[0]);
    await Bun.write(service.fixtures.path('thumbnail'), thumbnail);
    expect(await run(['convert', service.fixtures.path('thumbnail'), '-format', '%w', 'info:'])).toBe('220');
  });
});
