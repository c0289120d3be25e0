import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { emptyFolder } from '../support/empty-folder.ts';
import { readFits } from '../support/fits.ts';
import { createFixtures, type Fixtures, run, SPOKEN_TEXT } from '../support/fixtures.ts';
import { pdfWithPictures } from '../support/hand-written-pdf.ts';
import { Items, type ListedMedia } from '../support/items.ts';
import { type ServerProcess, startServer } from '../support/server-process.ts';
import { ADMIN_PASSWORD } from '../support/test-repository.ts';
import { until } from '../support/until.ts';

const DOCX = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';

let fixtures: Fixtures;
beforeAll(async () => {
  fixtures = await createFixtures();
});
afterAll(() => fixtures.remove());

/** `dist/repo serve` in an empty folder, without a word of configuration. */
async function serve(PATH: string): Promise<{ server: ServerProcess; items: Items; remove(): Promise<void> }> {
  const cwd = await emptyFolder();
  const server = await startServer({ cwd, env: { PATH, REPO_ADMIN_PASSWORD: ADMIN_PASSWORD } });
  const remove = async () => {
    await server.stop();
    await rm(cwd, { recursive: true });
  };
  return { server, items: new Items(() => server.url, join(cwd, 'data')), remove };
}

/** A photograph as a camera writes it, lying on its side. */
async function photograph(): Promise<Uint8Array<ArrayBuffer>> {
  const file = fixtures.path('photograph.jpg');
  const taken = ['-Make=Old Camera', '-DateTimeOriginal=1999:12:31 23:59:59', '-Orientation=6'];
  await run(['exiftool', '-n', ...taken, '-o', file, fixtures.path('plasma.jpg')]);
  return fixtures.read('photograph.jpg');
}

async function letter(): Promise<Uint8Array<ArrayBuffer>> {
  await run(['pandoc', '-o', fixtures.path('letter.docx')], new Uint8Array(Buffer.from('Dear reader,\n\nyours.\n')));
  return fixtures.read('letter.docx');
}

async function scan(): Promise<Uint8Array<ArrayBuffer>> {
  const look = ['-size', '900x300', '-gravity', 'center', '-font', 'DejaVu-Sans', '-pointsize', '72'];
  await run(['convert', ...look, 'label:Dear reader', '-colorspace', 'gray', fixtures.path('scan.jpg')]);
  return pdfWithPictures([{ jpeg: await fixtures.read('scan.jpg'), width: 900, height: 300 }]);
}

describe('repo serve in an empty folder', () => {
  let server: ServerProcess;
  let items: Items;
  let remove: () => Promise<void>;
  let nodes: Record<'image' | 'scan' | 'letter' | 'sound' | 'video' | 'book' | 'page', number>;
  beforeAll(async () => {
    ({ server, items, remove } = await serve(process.env.PATH ?? ''));
  });
  afterAll(() => remove());

  const all = async (node: number) => Object.fromEntries((await items.list(node)).map((media) => [media.use, media]));
  const shown = (media: Record<string, ListedMedia>) =>
    Object.values(media).map(({ use, type, mimeType }) => `${use}: ${type} ${mimeType}`);
  const bytes = (media: ListedMedia | undefined) => items.bytes(media as ListedMedia);
  const text = async (media: ListedMedia | undefined) => Buffer.from(await bytes(media)).toString();
  const pixels = async (media: ListedMedia | undefined) =>
    run(['identify', '-format', '%m %w %h', '-'], await bytes(media));
  const save = async (media: ListedMedia | undefined, name: string) => {
    await Bun.write(fixtures.path(name), await bytes(media));
    return fixtures.path(name);
  };
  const probe = async (media: ListedMedia | undefined, name: string) => {
    const file = await save(media, name);
    await run(['ffmpeg', '-v', 'error', '-xerror', '-i', file, '-f', 'null', '-']);
    return run(['ffprobe', '-v', 'error', '-show_entries', 'stream=codec_name', '-of', 'csv=p=0', file]);
  };

  it('makes all derivatives of the default rules', async () => {
    const book = await items.make('book');
    nodes = {
      image: await items.make('image'),
      scan: await items.make('document'),
      letter: await items.make('document'),
      sound: await items.make('audio'),
      video: await items.make('video'),
      book,
      page: await items.make('page', book),
    };
    const put = (node: number, media: string, mimeType: string, name: string, content: Uint8Array<ArrayBuffer>) =>
      items.build.upload(node, { media, mimeType, uri: `public://in/${name}`, bytes: content });
    await put(nodes.image, 'image', 'image/jpeg', 'photograph.jpg', await photograph());
    await put(nodes.scan, 'document', 'application/pdf', 'scan.pdf', await scan());
    await put(nodes.letter, 'document', DOCX, 'letter.docx', await letter());
    await put(nodes.sound, 'audio', 'audio/x-wav', 'tone.wav', await fixtures.read('tone.wav'));
    await put(nodes.video, 'video', 'video/mp4', 'clip.mp4', await fixtures.read('clip.mp4'));
    await put(nodes.page, 'image', 'image/png', 'page.png', await fixtures.read('words.png'));
    const others = () => items.jobs().filter(({ node_id, state }) => node_id !== book && state !== 'done');
    await until(() => others().length === 0, { seconds: 60, tell: others });
    expect(items.jobs().filter(({ node_id }) => node_id === book)).toMatchObject([{ state: 'queued', attempts: 0 }]);
    // Else a minute must go by in which nothing comes to the book.
    items.hurry();
    const open = () => items.jobs().filter(({ state }) => state !== 'done');
    await until(() => open().length === 0, { seconds: 60, tell: open });
    for (const [name, node] of Object.entries(nodes)) {
      console.log(`${name}:`);
      for (const { use, type, mimeType, size, uri } of await items.list(node))
        console.log(
          `  ${[use.padEnd(16), type.padEnd(24), mimeType.padEnd(22), String(size).padStart(8)].join(' ')}  ${uri}`,
        );
    }
    const made = server.log.filter(({ action, msg }) => action !== undefined && String(msg).endsWith(': made'));
    for (const { action, node, duration_ms } of made) console.log(`node ${node} ${action}: ${duration_ms} ms`);
    expect(made).toHaveLength(items.jobs().length);
  }, 150_000);

  it('makes service file, thumbnail, tiles and camera metadata of a photograph', async () => {
    const media = await all(nodes.image);
    expect(shown(media)).toEqual([
      'FITS File: fits_technical_metadata application/xml',
      'Image Tiles: file application/zip',
      'Original File: image image/jpeg',
      'Service File: image image/jpeg',
      'Thumbnail Image: image image/jpeg',
    ]);
    expect(await pixels(media['Service File'])).toBe('JPEG 200 400');
    expect(await pixels(media['Thumbnail Image'])).toBe('JPEG 110 220');
    const fits = await text(media['FITS File']);
    expect(readFits(fits)).toMatchObject({ family: 'image', metadata: { digitalCameraManufacturer: 'Old Camera' } });
    expect(fits).toContain('<IFD0:Make>Old Camera</IFD0:Make>');
    expect(await bytes(media['Original File'])).toEqual(await fixtures.read('photograph.jpg'));
  });

  it('makes the thumbnail and the text of a scan', async () => {
    const media = await all(nodes.scan);
    expect(shown(media)).toEqual([
      'Extracted Text: extracted_text text/plain',
      'FITS File: fits_technical_metadata application/xml',
      'Original File: document application/pdf',
      'Thumbnail Image: image image/png',
    ]);
    expect(await text(media['Extracted Text'])).toContain('Dear reader');
    expect(await pixels(media['Thumbnail Image'])).toBe('PNG 400 133');
    expect(readFits(await text(media['FITS File'])).metadata.pageCount).toBe('1');
  });

  it('makes the text, a PDF and a thumbnail of a letter', async () => {
    const media = await all(nodes.letter);
    expect(shown(media)).toEqual([
      'Extracted Text: extracted_text text/plain',
      'FITS File: fits_technical_metadata application/xml',
      `Original File: document ${DOCX}`,
      'Service File: document application/pdf',
      'Thumbnail Image: image image/png',
    ]);
    expect(await text(media['Extracted Text'])).toBe('Dear reader,\n\nyours.\n');
    expect(await run(['pdftotext', await save(media['Service File'], 'letter.pdf'), '-'])).toContain('Dear reader,');
    expect(await pixels(media['Thumbnail Image'])).toMatch(/^PNG 30\d 400$/);
  });

  it('makes audio and video that browsers play', async () => {
    const sound = await all(nodes.sound);
    expect(shown(sound)).toEqual([
      'FITS File: fits_technical_metadata application/xml',
      'Original File: audio audio/x-wav',
      'Service File: audio audio/mpeg',
    ]);
    expect(await probe(sound['Service File'], 'sound.mp3')).toBe('mp3');
    const video = await all(nodes.video);
    expect(shown(video)).toEqual([
      'FITS File: fits_technical_metadata application/xml',
      'Original File: video video/mp4',
      'Service File: video video/mp4',
      'Thumbnail Image: image image/jpeg',
    ]);
    expect((await probe(video['Service File'], 'video.mp4')).split('\n')).toEqual(['h264', 'aac']);
    expect(await pixels(video['Thumbnail Image'])).toBe('JPEG 400 300');
  });

  it('makes text and hOCR of a page, and a searchable PDF of its book', async () => {
    const page = await all(nodes.page);
    expect(shown(page)).toEqual([
      'Extracted Text: extracted_text text/plain',
      'FITS File: fits_technical_metadata application/xml',
      'hOCR: file text/vnd.hocr+html',
      'Image Tiles: file application/zip',
      'Original File: image image/png',
      'Service File: image image/jpeg',
      'Thumbnail Image: image image/jpeg',
    ]);
    expect(await text(page['Extracted Text'])).toContain(SPOKEN_TEXT);
    expect(await text(page.hOCR)).toMatch(/<span class='ocrx_word'[^>]*>Archive<\/span>/);
    expect(await pixels(page['Thumbnail Image'])).toBe('JPEG 220 44');
    const book = await all(nodes.book);
    expect(shown(book)).toEqual([
      'FITS File: fits_technical_metadata application/xml',
      'Original File: document application/pdf',
    ]);
    const file = await save(book['Original File'], 'book.pdf');
    expect(await run(['pdfinfo', file])).toMatch(/^Pages: +1$/m);
    expect(await run(['pdftotext', file, '-'])).toContain(SPOKEN_TEXT);
  });

  it('logs no warnings or errors', () => {
    expect(server.log.filter(({ level }) => level !== 'info')).toEqual([]);
  });
});

describe('repo serve without ImageMagick', () => {
  /** The programs of the commands and of their scripts, without ImageMagick. */
  const PROGRAMS = [
    'bash',
    'cat',
    'exiftool',
    'ffmpeg',
    'grep',
    'mktemp',
    'pandoc',
    'pdfinfo',
    'pdftoppm',
    'pdftotext',
    'soffice',
    'vips',
    'vipsheader',
  ];
  const MORE = [
    'awk',
    'base64',
    'file',
    'head',
    'md5sum',
    'mkdir',
    'rm',
    'sed',
    'sh',
    'sha256sum',
    'tail',
    'tar',
    'tee',
    'tesseract',
    'tr',
    'wc',
  ];

  let bin: string;
  let started: Awaited<ReturnType<typeof serve>>;
  beforeAll(async () => {
    bin = await emptyFolder();
    for (const name of [...PROGRAMS, ...MORE]) await symlink(String(Bun.which(name)), join(bin, name));
    started = await serve(bin);
  });
  afterAll(async () => {
    await started.remove();
  });

  it('warns once, and lets jobs that need it wait until it is installed', async () => {
    const { server, items } = started;
    const missing = server.log.filter((line) => line.missing !== undefined);
    expect(missing.map(({ msg }) => msg)).toEqual([
      'this machine lacks convert (Debian: imagemagick, Homebrew: imagemagick): derivatives that need it wait until it is installed',
    ]);
    const image = await items.make('image');
    const document = await items.make('document');
    const put = async (node: number, media: string, mimeType: string, name: string) =>
      items.build.upload(node, {
        media,
        mimeType,
        uri: `public://in/${name}`,
        bytes: await fixtures.read(name),
      });
    await put(image, 'image', 'image/jpeg', 'plasma.jpg');
    await put(document, 'document', 'application/pdf', 'hello.pdf');
    const states = () => items.jobs().map(({ node_id, action, state }) => `${node_id} ${action}: ${state}`);
    const atRest = [
      `${image} image_generate_a_service_file_from_an_original_file: waiting`,
      `${image} image_generate_a_thumbnail_from_an_original_file: waiting`,
      `${image} image_generate_tiles_from_an_original_file: waiting`,
      `${image} generate_a_technical_metadata_derivative: done`,
      `${document} digital_document_generate_a_thumbnail_from_an_original_file: waiting`,
      `${document} get_ocr_from_image: done`,
      `${document} generate_a_technical_metadata_derivative: done`,
    ].sort();
    await until(() => Bun.deepEquals(states().sort(), atRest), { seconds: 30, tell: states });
    const waiting = items.jobs().filter(({ state }) => state === 'waiting');
    expect(waiting.map(({ attempts, waits_for }) => ({ attempts, waits_for }))).toEqual(
      Array(4).fill({ attempts: 0, waits_for: '["convert"]' }),
    );
    // It may be a script that needs more than what is in that folder.
    const convert = `#!/bin/sh\nPATH='${process.env.PATH}' exec '${Bun.which('convert')}' "$@"\n`;
    await writeFile(join(bin, 'convert'), convert, { mode: 0o755 });
    server.kill('SIGHUP');
    await until(() => items.jobs().every(({ state }) => state === 'done'), { seconds: 30, tell: states });
    expect((await items.list(image)).map(({ use }) => use)).toContain('Thumbnail Image');
    expect((await items.list(document)).map(({ use }) => use)).toContain('Thumbnail Image');
    expect(server.log.filter(({ level }) => level === 'error')).toEqual([]);
  }, 90_000);
});
