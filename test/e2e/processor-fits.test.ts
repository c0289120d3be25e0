import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { chmod, readdir, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { type DerivativeService, startDerivativeService } from '../support/derivatives.ts';
import { emptyFolder } from '../support/empty-folder.ts';
import { readFits } from '../support/fits.ts';
import { run } from '../support/fixtures.ts';

const DOCX = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';

let service: DerivativeService;
beforeAll(async () => {
  service = await startDerivativeService();
});
afterAll(() => service.stop());

const bytes = (text: string) => new Uint8Array(Buffer.from(text));
const xmlOf = async (file: string | Uint8Array<ArrayBuffer>, from: string) =>
  Buffer.from(await service.make(file, { from, to: 'application/xml' })).toString();
const fitsOf = async (file: string | Uint8Array<ArrayBuffer>, from: string) => readFits(await xmlOf(file, from));

/** Returns a PNG of one pixel with these text chunks, which may hold any bytes. */
async function pngWith(texts: Record<string, Uint8Array>): Promise<Uint8Array<ArrayBuffer>> {
  await run(['convert', '-size', '1x1', 'xc:red', '-strip', service.fixtures.path('pixel.png')]);
  const png = Buffer.from(await service.fixtures.read('pixel.png'));
  const chunks = Object.entries(texts).map(([keyword, text]) => {
    const data = Buffer.concat([Buffer.from('iTXt'), Buffer.from(`${keyword}\0\0\0\0\0`), text]);
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.byteLength - 4);
    sum.writeUInt32BE(crc32(data));
    return Buffer.concat([length, data, sum]);
  });
  const headBytes = 33;
  return new Uint8Array(Buffer.concat([png.subarray(0, headBytes), ...chunks, png.subarray(headBytes)]));
}

describe('technical metadata', () => {
  it.each([
    ['plasma.png', 'image/png', 'PNG', 'image', { imageWidth: '400', imageHeight: '200', colorSpace: 'RGB' }],
    ['pages.tif', 'image/tiff', 'TIFF', 'image', { imageHeight: '138', orientation: 'Horizontal (normal)' }],
    ['hello.pdf', 'application/pdf', 'PDF', 'document', { pageCount: '1' }],
    [
      'tone.wav',
      'audio/x-wav',
      'WAV',
      'audio',
      { duration: '2.00 s', sampleRate: '44100', channels: '1', bitDepth: '16' },
    ],
    [
      'index-at-end.mov',
      'video/quicktime',
      'MOV',
      'video',
      { duration: '20.00 s', imageWidth: '640', frameRate: '25' },
    ],
  ])('of %s (%s) is FITS XML', async (file, type, format, family, metadata) => {
    const fits = await fitsOf(file, type);
    expect(fits.identities).toMatchObject([{ format, mimeType: type, tools: ['Exiftool', 'file utility'] }]);
    expect(fits).toMatchObject({ status: undefined, family, metadata });
    const content = await service.fixtures.read(file);
    const md5checksum = new Bun.CryptoHasher('md5').update(content).digest('hex');
    expect(fits.fileInfo).toMatchObject({ size: `${content.byteLength}`, md5checksum });
  });

  it('includes version, title, author and producer of a PDF', async () => {
    const file = service.fixtures.path('titled.pdf');
    await run([
      'exiftool',
      '-Title=Letters & <more>',
      '-Author=Jane Doe',
      '-Producer=A press',
      '-o',
      file,
      service.fixtures.path('hello.pdf'),
    ]);
    const fits = await fitsOf('titled.pdf', 'application/pdf');
    expect(fits.identities[0]?.version).toMatch(/^1\.\d$/);
    expect(fits.metadata).toMatchObject({ title: 'Letters & <more>', author: 'Jane Doe' });
    expect(fits.fileInfo.creatingApplicationName).toBe('A press');
  });

  it('includes all exiftool tags, with values from the main image only', async () => {
    const file = service.fixtures.path('camera.jpg');
    const taken = ['-Make=Old Camera', '-Orientation=6', '-IFD1:Orientation=1', '-ISO=200', '-XMP:Orientation=3'];
    await run(['exiftool', '-n', ...taken, '-o', file, service.fixtures.path('plasma.jpg')]);
    const xml = await xmlOf('camera.jpg', 'image/jpeg');
    expect(readFits(xml).metadata).toMatchObject({
      digitalCameraManufacturer: 'Old Camera',
      orientation: 'Rotate 90 CW',
      isoSpeedRating: '200',
      imageWidth: '400',
    });
    expect(xml).toContain('<IFD0:Make>Old Camera</IFD0:Make>');
    expect(xml).not.toContain('FilePermissions');
  });

  it('has the type from the more specific of two tools', async () => {
    await run(['pandoc', '-o', service.fixtures.path('letter.docx')], bytes('Dear reader.'));
    const { identities, status, family } = await fitsOf('letter.docx', DOCX);
    expect(identities.map(({ mimeType }) => mimeType)).toEqual([DOCX]);
    expect(['SINGLE_RESULT', undefined]).toContain(status);
    expect(family).toBe('document');
    const text = await fitsOf(bytes('Dear reader,\nyours.\n'), 'text/plain');
    expect(text).toMatchObject({ family: 'text', metadata: { charset: 'us-ascii', linebreak: 'Unix LF' } });
  });

  it('has the status UNKNOWN for an unknown type of file', async () => {
    const noise = new Uint8Array(3000).map((_, at) => (at * 7919) % 251);
    const fits = await fitsOf(noise, 'application/octet-stream');
    expect(fits).toMatchObject({
      status: 'UNKNOWN',
      identities: [{ format: 'Unknown Binary', mimeType: 'application/octet-stream' }],
      family: undefined,
    });
    expect(fits.messages).toHaveLength(1);
    expect(fits.fileInfo.size).toBe('3000');
  });

  it('is well-formed for a file with markup, control characters or invalid UTF-8 in its metadata', async () => {
    const spoof = '\n <File:MIMEType>text/html</File:MIMEType>\n</rdf:RDF></tool></toolOutput></fits>';
    const nasty = [
      ...[`]]> <b> & "q" 'a' <!-- ${spoof}`, '\x01\x02\x0b\x0c\x1f\x7f', '\ufffe\uffff', '\u{1f600}\u2028\x85'],
    ].map((text) => Buffer.from(text));
    nasty.push(Buffer.from([0xed, 0xa0, 0x80, 0xff, 0xc0, 0x80, 0xf4, 0x90, 0x80, 0x80]));
    for (const text of nasty) {
      const fits = await fitsOf(
        await pngWith({ Title: text, Software: text, Copyright: text, Warning: text }),
        'image/png',
      );
      expect(fits.identities.map(({ mimeType }) => mimeType)).toEqual(['image/png']);
    }
    const keys = Object.fromEntries(['<a>', '1 b', 'é', 'File:MIMEType', '', ']]>'].map((key) => [key, spoof]));
    expect(await fitsOf(bytes(JSON.stringify(keys)), 'application/json')).toMatchObject({
      identities: [{ mimeType: 'application/json' }],
    });
  });
});

describe('technical metadata with the program fits', () => {
  let bin: string;
  let withFits: DerivativeService;
  beforeAll(async () => {
    bin = await emptyFolder();
    const script = `#!/bin/sh
case $1 in -i) ;; *) exit 2 ;; esac
grep -q broken "$2" && exit 1
echo '<?xml version="1.0"?><fits xmlns="http://hul.harvard.edu/ois/xml/ns/fits/fits_output" version="1.6.0"><fileinfo><size>'$(wc -c < "$2")'</size></fileinfo></fits>'
`;
    await Bun.write(join(bin, 'fits.sh'), script);
    await chmod(join(bin, 'fits.sh'), 0o755);
    withFits = await startDerivativeService({ PATH: `${bin}:${process.env.PATH}` });
  });
  afterAll(async () => {
    await withFits.stop();
  });

  it('is the output of that program', async () => {
    const xml = Buffer.from(await withFits.make('plasma.png', { from: 'image/png', to: 'application/xml' })).toString();
    expect(readFits(xml).fileInfo).toEqual({ size: `${(await withFits.fixtures.read('plasma.png')).byteLength}` });
  });

  it('is that of exiftool if that program fails', async () => {
    const xml = await withFits.make(bytes('broken'), { from: 'text/plain', to: 'application/xml' });
    const { identities, fileInfo } = readFits(Buffer.from(xml).toString());
    expect(identities).toMatchObject([{ mimeType: 'text/plain', tools: ['Exiftool', 'file utility'] }]);
    expect(fileInfo.size).toBe('6');
  });
});

describe('technical metadata without the program "file"', () => {
  it('comes from exiftool alone', async () => {
    const bin = await emptyFolder();
    for (const folder of ['/bin', '/usr/bin']) {
      for (const name of await readdir(folder)) {
        if (name === 'file') continue;
        await rm(join(bin, name), { force: true });
        await symlink(join(folder, name), join(bin, name));
      }
    }
    const bare = await startDerivativeService({ PATH: bin });
    const xml = Buffer.from(await bare.make('plasma.png', { from: 'image/png', to: 'application/xml' })).toString();
    expect(readFits(xml)).toMatchObject({
      status: 'SINGLE_RESULT',
      identities: [{ mimeType: 'image/png', tools: ['Exiftool'] }],
      metadata: { imageWidth: '400' },
    });
    await bare.stop();
    await rm(bin, { recursive: true });
  });
});
