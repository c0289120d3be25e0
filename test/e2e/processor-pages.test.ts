import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { mkdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DerivativeService, startDerivativeService } from '../support/derivatives.ts';
import { readFits } from '../support/fits.ts';
import { run } from '../support/fixtures.ts';
import { type Picture, pdfWithPictures, pdfWithText } from '../support/hand-written-pdf.ts';
import { until } from '../support/until.ts';

const TO_TEXT = { from: 'application/pdf', to: 'text/plain' };
const TO_PDF = { from: 'application/x-tar', to: 'application/pdf' };

let service: DerivativeService;
/** The folder of the temporary files of commands. */
let temporaryFolder: string;
beforeAll(async () => {
  temporaryFolder = mkdtempSync(join(tmpdir(), 'repo-pages-'));
  service = await startDerivativeService({ TMPDIR: temporaryFolder });
});
afterAll(async () => {
  await service.stop();
  rmSync(temporaryFolder, { recursive: true });
});

const text = (file: Uint8Array) => Buffer.from(file).toString();
const left = () => readdirSync(temporaryFolder);

async function drawn(words: string, name: string, ...options: string[]): Promise<Uint8Array<ArrayBuffer>> {
  const look = ['-size', '900x300', '-gravity', 'center', '-font', 'DejaVu-Sans', '-pointsize', '72'];
  await run([
    'convert',
    ...look,
    words === '' ? 'xc:white' : `label:${words}`,
    '-depth',
    '8',
    ...options,
    service.fixtures.path(name),
  ]);
  return service.fixtures.read(name);
}

async function page(words: string): Promise<Picture> {
  return { jpeg: await drawn(words, 'page.jpg', '-colorspace', 'gray'), width: 900, height: 300 };
}

/** A tar of a folder with these files. */
async function tarOf(
  files: Record<string, Uint8Array>,
  prepare: (folder: string) => Promise<unknown> = async () => {},
): Promise<Uint8Array<ArrayBuffer>> {
  const folder = service.fixtures.path('to-pack');
  await mkdir(folder);
  for (const [name, bytes] of Object.entries(files)) await Bun.write(join(folder, name), bytes);
  await prepare(folder);
  const archive = service.fixtures.path('packed.tar');
  await run(['tar', '-C', folder, '-cf', archive, '.']);
  await rm(folder, { recursive: true });
  return service.fixtures.read('packed.tar');
}

describe('the text of a PDF', () => {
  it('is recognised page by page in a scan', async () => {
    const scan = pdfWithPictures([await page('Dear reader'), await page(''), await page('Last page')]);
    expect((await run(['pdftotext', '-', '-'], scan)).trim()).toBe('');
    expect(text(await service.make(scan, TO_TEXT))).toBe('Dear reader\n\n\nLast page\n\n');
    expect(left()).toEqual([]);
  });

  it('is recognised on a page that is several metres wide', async () => {
    const scan = pdfWithPictures([await page('Dear reader')], 'Untitled', 6);
    expect(await run(['pdfinfo', '-'], scan)).toMatch(/^Page size: +10800 x 3600 pts$/m);
    expect(text(await service.make(scan, TO_TEXT)).trim()).toBe('Dear reader');
  });

  it('is recognised from the visible area of a page, for any size of its sheet', async () => {
    const scan = pdfWithPictures([await page('Dear reader')], 'Untitled', 300, 200_000);
    expect(text(await service.make(scan, TO_TEXT)).trim()).toBe('Dear reader');
  });

  it('is the embedded text if there is one, with options of pdftotext', async () => {
    expect(text(await service.make('hello.pdf', TO_TEXT))).toBe('Hello PDF 42\n\n\n');
    const bare = await service.make('hello.pdf', { ...TO_TEXT, args: '-nopgbrk' });
    expect(text(bare)).toBe('Hello PDF 42\n\n');
  });

  it('uses -l as the language of a scan, and as the last page of embedded text', async () => {
    const scan = pdfWithPictures([await page('Dear reader')]);
    expect(text(await service.make(scan, { ...TO_TEXT, args: '-l eng' })).trim()).toBe('Dear reader');
    await expect(service.make(scan, { ...TO_TEXT, args: '-l nolanguage' })).rejects.toThrow();
    const args = '-nopgbrk -l nolanguage -l 1';
    expect(text(await service.make('hello.pdf', { ...TO_TEXT, args }))).toBe('Hello PDF 42\n\n');
  });

  it.each([
    ['accented letters', '\\311\\350', 'Éè\n\n\n'],
    ['digits', '42', '42\n\n\n'],
  ])('is the embedded text even if it has only %s', async (_, written, expected) => {
    expect(text(await service.make(pdfWithText(written), TO_TEXT))).toBe(expected);
  });

  it('is recognised if the embedded text has only punctuation', async () => {
    const marked = pdfWithText('\\225 \\226 ...');
    const marks = text(await service.make(marked, TO_TEXT));
    expect(marks).not.toContain('•');
  });

  it('ignores a number of pages in the title', async () => {
    const canary = service.fixtures.path('canary');
    for (const title of ['x\\nPages: 70000', `x\\nPages: a[$\\(touch ${canary}\\)]`]) {
      const scan = pdfWithPictures([await page('Dear reader')], title);
      expect(text(await service.make(scan, TO_TEXT)).trim()).toBe('Dear reader');
    }
    expect(await Bun.file(canary).exists()).toBe(false);
  });

  it('is rejected with 500 for a file that is no PDF, which leaves no temporary files', async () => {
    const response = await service.post(new Uint8Array(Buffer.from('no document')), TO_TEXT);
    expect(response.status).toBe(500);
    await until(() => left().length === 0);
  });

  it('leaves no temporary files if the client disconnects', async () => {
    const picture = await page('One of many');
    const abort = new AbortController();
    const request = fetch(service.processor.url, {
      method: 'POST',
      headers: { 'Content-Type': TO_TEXT.from, Accept: TO_TEXT.to },
      body: pdfWithPictures(Array.from({ length: 60 }, () => picture)),
      signal: abort.signal,
    });
    const outcome = request.then((response) => response.text()).catch(() => 'given up');
    await until(() => left().some((folder) => readdirSync(join(temporaryFolder, folder)).includes('text')));
    abort.abort();
    expect(await outcome).toBe('given up');
    await until(() => left().length === 0);
  });
});

describe('a tar of page images', () => {
  it('becomes a searchable PDF with a page for each image, ordered by name', async () => {
    const archive = await tarOf({
      '00010-4.jp2': await drawn('Last page', 'last.jp2'),
      '00002-7.PNG': await drawn('Second page', 'second.png', '-transparent', 'white'),
      '00001-12.jpg': await drawn('First page', 'first.jpg'),
      '00003-1.jpeg': await drawn('Third page', 'third.jpg', '-colorspace', 'CMYK'),
      '._00001-12.jpg': new Uint8Array(100),
    });
    const made = await service.make(archive, TO_PDF);
    expect(await run(['pdfinfo', '-'], made)).toMatch(/^Pages: +4$/m);
    const pages = (await run(['pdftotext', '-', '-'], made)).split('\f');
    expect(pages.map((each) => each.trim().replaceAll(/\s+/g, ' ')).slice(0, 4)).toEqual([
      'First page',
      'Second page',
      'Third page',
      'Last page',
    ]);
    expect(left()).toEqual([]);
  });

  it('becomes a PDF with upright pages if the pictures are rotated', async () => {
    const upright = await drawn('Dear reader', 'upright.png');
    await run(['convert', 'png:-', '-rotate', '-90', service.fixtures.path('turned.jpg')], upright);
    await run(['exiftool', '-n', '-Orientation=6', service.fixtures.path('turned.jpg')]);
    const turned = await service.fixtures.read('turned.jpg');
    const made = await service.make(await tarOf({ '1.jpg': turned }), TO_PDF);
    expect((await run(['pdftotext', '-', '-'], made)).trim().replaceAll(/\s+/g, ' ')).toBe('Dear reader');
  });

  it('has technical metadata', async () => {
    const xml = await service.make(await tarOf({ a: new Uint8Array(1) }), { ...TO_PDF, to: 'application/xml' });
    expect(readFits(text(xml)).fileInfo.size).toMatch(/^\d+$/);
  });

  const refused: [string, () => Promise<Uint8Array<ArrayBuffer>>, RegExp][] = [
    ['is empty', () => tarOf({}), /the archive holds no pages$/],
    ['is no tar', async () => new Uint8Array(Buffer.from('no archive')), /tar/],
    [
      'holds a file that is no image',
      () => tarOf({ '1.jpg': new Uint8Array(Buffer.from('/etc/passwd\n')) }),
      /the archive holds 1\.jpg, which cannot be read as a page$/,
    ],
    [
      'holds an SVG',
      () => tarOf({ '1.svg': new Uint8Array(Buffer.from('<svg/>')) }),
      /the archive holds 1\.svg, which is no image that can become a page$/,
    ],
    [
      'holds a link to another file',
      () => tarOf({}, (folder) => symlink(service.fixtures.path('words.png'), join(folder, '1.png'))),
      /the archive holds 1\.png, which is no file$/,
    ],
    ['holds a folder', () => tarOf({}, (folder) => mkdir(join(folder, 'a'))), /the archive holds a, which is no file$/],
    [
      'has a path out of its folder',
      async () => {
        const archive = service.fixtures.path('out.tar');
        await run(['tar', '-P', '-cf', archive, '--transform=s,.*/,../,', service.fixtures.path('words.png')]);
        return service.fixtures.read('out.tar');
      },
      /tar/,
    ],
  ];
  it.each(refused)('is rejected with 500 if it %s', async (_, make, why) => {
    const { log } = service.processor;
    const lines = log.length;
    const response = await service.post(await make(), TO_PDF);
    expect(response.status).toBe(500);
    expect(await response.text()).toMatch(
      /^The (command failed|image is damaged, or has another type than its own)\.\n$/,
    );
    await until(() => log.slice(lines).some(({ stderr }) => why.test(String(stderr))));
    await until(() => left().length === 0);
  });
});
