import { join } from 'node:path';
import { emptyFolder } from './empty-folder.ts';
import { run } from './fixtures.ts';
import { pdfWithPictures } from './hand-written-pdf.ts';
import { createRandom } from './random.ts';

/** A drawn picture in the three sizes that a node has. */
export interface DrawnPicture {
  readonly original: Uint8Array<ArrayBuffer>;
  readonly service: Uint8Array<ArrayBuffer>;
  readonly thumbnail: Uint8Array<ArrayBuffer>;
}

/** The files of a fixture site, made by ImageMagick and ffmpeg. */
export interface SiteFiles {
  readonly pictures: readonly DrawnPicture[];
  readonly pages: readonly DrawnPicture[];
  /** The tile pack of the first picture. */
  readonly tiles: Uint8Array<ArrayBuffer>;
  readonly audio: Uint8Array<ArrayBuffer>;
  readonly video: Uint8Array<ArrayBuffer>;
  readonly pdf: Uint8Array<ArrayBuffer>;
}

const PICTURES = 8;
const SIZES = [
  [1800, 1350],
  [1350, 1800],
  [1800, 900],
] as const;
/** Sky, hills, sea and ink of prints from different processes. */
const TONES = [
  ['#e2d3b4', '#8d7650', '#6b5d48', '#2c241a'],
  ['#dfe3e4', '#7f8a8e', '#5c676b', '#1d2326'],
  ['#e9d9c6', '#9a6f5a', '#6e5148', '#2f1d18'],
  ['#d4dfe0', '#5f7f86', '#3f5d66', '#14242a'],
] as const;
const FFMPEG = ['ffmpeg', '-y', '-hide_banner', '-loglevel', 'error', '-nostdin'];

export const PAGE_TEXTS = [
  'ANNUAL REPORT of the Harbour Commission for the year 1908. Printed by order of the Commissioners.',
  'The Commissioners have the honour to report that the eastern breakwater was completed in the month of May.',
  'Four hundred and twelve vessels entered the harbour, of which ninety were steamers above a thousand tons.',
  'The customs house was fitted with electric light. The expenditure is set out in the tables that follow.',
  'Tables of tonnage, with the dues collected in each quarter, and the cost of dredging the inner basin.',
  'Names of the pilots, the keepers of the two lights, and the crew of the life-boat Annie Laurie.',
] as const;

let made: Promise<SiteFiles> | undefined;

/** Draws and records all files, once for all test files of a process. Throws the output of a tool that fails. */
export function makeSiteFiles(): Promise<SiteFiles> {
  made ??= makeFiles();
  return made;
}

async function makeFiles(): Promise<SiteFiles> {
  const folder = await emptyFolder();
  const path = (name: string) => join(folder, name);
  const read = async (name: string) => new Uint8Array(await Bun.file(path(name)).arrayBuffer());
  const inSizes = async (name: string, command: readonly string[]): Promise<DrawnPicture> => {
    const sizes = ['-write', path(`${name}.jpg`), '-resize', '1200x1200', '-write', path(`${name}-service.jpg`)];
    const smallest = ['-thumbnail', '400x400', path(`${name}-thumbnail.jpg`)];
    await run(['convert', ...command, '-quality', '82', ...sizes, ...smallest]);
    const [original, service, thumbnail] = await Promise.all(
      ['', '-service', '-thumbnail'].map((size) => read(`${name}${size}.jpg`)),
    );
    return { original, service, thumbnail } as DrawnPicture;
  };
  const pictures = Promise.all(
    Array.from({ length: PICTURES }, (_, number) => inSizes(`view-${number}`, view(number))),
  );
  const pages = Promise.all(PAGE_TEXTS.map((text, number) => inSizes(`page-${number}`, leaf(text, number))));
  const audio = run([
    ...[...FFMPEG, '-f', 'lavfi', '-i', 'sine=frequency=220:duration=20', '-af', 'tremolo=f=3:d=0.8'],
    ...['-c:a', 'libmp3lame', '-b:a', '64k', path('voice.mp3')],
  ]);
  const video = run([
    ...[...FFMPEG, '-f', 'lavfi', '-i', 'gradients=size=640x480:duration=6:rate=10:speed=0.02:seed=5'],
    ...['-f', 'lavfi', '-i', 'sine=frequency=330:duration=6', '-pix_fmt', 'yuv420p', '-c:v', 'libx264'],
    ...['-preset', 'ultrafast', '-c:a', 'aac', '-movflags', '+faststart', path('film.mp4')],
  ]);
  const drawn = await pages;
  const scans = Promise.all(
    drawn.slice(0, 3).map(async ({ service }, number) => {
      const name = path(`scan-${number}.jpg`);
      await Bun.write(name, service);
      await run(['convert', name, '-colorspace', 'Gray', '-resize', '800x1200!', name]);
      return { jpeg: await read(`scan-${number}.jpg`), width: 800, height: 1200 };
    }),
  );
  await Promise.all([audio, video]);
  const [picture] = await pictures;
  const sum = new Bun.CryptoHasher('sha256').update((picture as DrawnPicture).original).digest('hex');
  await run([
    ...['vips', 'dzsave', path('view-0.jpg'), path('tiles.zip'), '--layout', 'iiif3', '--container', 'zip'],
    ...['--tile-size', '512', '--basename', 'tiles', '--id', `urn:sha256:${sum}`, '--suffix', '.jpg[Q=85]'],
  ]);
  return {
    pictures: await pictures,
    tiles: await read('tiles.zip'),
    pages: drawn,
    audio: await read('voice.mp3'),
    video: await read('film.mp4'),
    pdf: pdfWithPictures(await scans, 'Regulations of the port', 100),
  };
}

/** Hills behind a bay with a few sails, in the tone of an old print. */
function view(number: number): string[] {
  const [width, height] = SIZES[number % SIZES.length] as (typeof SIZES)[number];
  const [sky, hill, sea, ink] = TONES[number % TONES.length] as (typeof TONES)[number];
  const { fraction: random } = createRandom(number + 1);
  const horizon = Math.round(height * (0.5 + random() * 0.15));
  const ridge = (base: number, swing: number) => {
    const points = Array.from({ length: 25 }, (_, at) => {
      const wave = Math.sin(at * (0.4 + random() * 0.1) + number) + random() * 0.4;
      return `${Math.round((at * width) / 24)},${Math.round(base - swing * wave)}`;
    });
    return `polygon 0,${horizon} ${points.join(' ')} ${width},${horizon}`;
  };
  const sails = Array.from({ length: 3 + (number % 3) }, () => {
    const [x, y, size] = [random() * width, horizon + random() * height * 0.25, height * (0.03 + random() * 0.06)];
    const at = (dx: number, dy: number) => `${Math.round(x + dx * size)},${Math.round(y + dy * size)}`;
    return `polygon ${at(0, -2)} ${at(0, 0)} ${at(1, 0)} polygon ${at(-0.6, 0.1)} ${at(1.2, 0.1)} ${at(0.9, 0.4)} ${at(-0.3, 0.4)}`;
  });
  return [
    ...['-size', `${width}x${height}`, `gradient:${sky}-white`, '-fill', `${hill}99`],
    ...[
      '-draw',
      ridge(horizon - height * 0.08, height * 0.07),
      '-fill',
      hill,
      '-draw',
      ridge(horizon - height * 0.03, height * 0.04),
    ],
    ...['(', '-size', `${width}x${height - horizon}`, `gradient:${hill}-${sea}`, ')'],
    ...['-geometry', `+0+${horizon}`, '-composite', '-fill', ink, ...sails.flatMap((sail) => ['-draw', sail])],
    ...['-seed', String(number + 1), '-attenuate', '0.25', '+noise', 'Gaussian', '-modulate', '100,70'],
  ];
}

/** A printed page. */
function leaf(text: string, number: number): string[] {
  return [
    ...['-size', '820x', '-background', '#f3ead6', '-fill', '#2b2419', '-font', 'DejaVu-Serif'],
    ...['-pointsize', '34', '-interline-spacing', '14', `caption:${Array(4).fill(text).join('\n\n')}`],
    ...[
      '-gravity',
      'North',
      '-extent',
      '1000x1500-0-140',
      '-pointsize',
      '26',
      '-annotate',
      '+0+60',
      `— ${number + 1} —`,
    ],
  ];
}
