import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { type DerivativeService, startDerivativeService } from '../support/derivatives.ts';
import { readFits } from '../support/fits.ts';
import { run } from '../support/fixtures.ts';

const DOCX = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
const ODT = 'application/vnd.oasis.opendocument.text';
const EPUB = 'application/epub+zip';

/** The names of pandoc for the types of documents. */
const SOURCES: [type: string, format: string][] = [
  ['text/markdown', 'markdown'],
  ['text/plain', 'markdown'],
  ['text/html', 'html'],
  ['application/rtf', 'rtf'],
  ['text/rtf', 'rtf'],
  ['application/x-latex', 'latex'],
  ['application/x-tex', 'latex'],
  [DOCX, 'docx'],
  [ODT, 'odt'],
  [EPUB, 'epub'],
];

let service: DerivativeService;
beforeAll(async () => {
  service = await startDerivativeService();
});
afterAll(() => service.stop());

const bytes = (text: string) => new Uint8Array(Buffer.from(text));
const text = (file: Uint8Array) => Buffer.from(file).toString();
const readBack = (file: Uint8Array, format: string) => run(['pandoc', '-f', format, '-t', 'plain'], file);

async function written(markdown: string, format: string): Promise<Uint8Array<ArrayBuffer>> {
  const name = `document-${Bun.randomUUIDv7()}`;
  const make = [
    'pandoc',
    '-f',
    'markdown',
    '-t',
    format,
    '-s',
    '--metadata=title:T',
    '-o',
    service.fixtures.path(name),
  ];
  await run(make, bytes(markdown));
  return service.fixtures.read(name);
}

describe('a document', () => {
  it.each(SOURCES)('of type %s becomes HTML, Markdown and plain text', async (from, format) => {
    const source = await written('A **bold** word.', format);
    expect(text(await service.make(source, { from, to: 'text/html' }))).toMatch(/<strong>bold<\/strong>|<b>bold<\/b>/);
    expect(text(await service.make(source, { from, to: 'text/markdown' }))).toContain('**bold**');
    expect(text(await service.make(source, { from, to: 'text/plain' }))).toMatch(/A (bold|BOLD) word\./);
  });

  it.each([
    [DOCX, 'docx'],
    [ODT, 'odt'],
    [EPUB, 'epub'],
  ])('becomes an archive of type %s that pandoc reads', async (to, format) => {
    for (const [from, sourceFormat] of SOURCES) {
      const made = await service.make(await written('A *plain* word.', sourceFormat), { from, to });
      expect(text(made.subarray(0, 2))).toBe('PK');
      // pandoc 2.17 passes over the sections of an ODT, which its own writer makes of an EPUB's chapters.
      const isReadable = !(format === 'odt' && sourceFormat === 'epub');
      if (isReadable) expect(await readBack(made, format)).toContain('plain');
    }
  });

  it('keeps its embedded pictures', async () => {
    const source = await written(`![](${service.fixtures.path('words.png')})`, 'docx');
    const made = await service.make(source, { from: DOCX, to: ODT });
    expect(text(made)).toContain('Pictures/0.png');
  });

  it('cannot include files of the server', async () => {
    const picture = service.fixtures.path('words.png');
    const secret = service.fixtures.path('secret.tex');
    await Bun.write(secret, 'the secret');
    for (const to of [DOCX, ODT, EPUB]) {
      const made = await service.make(bytes(`![x](${picture})`), { from: 'text/markdown', to });
      expect(text(made)).not.toMatch(/(word\/media|Pictures|EPUB\/media)\/\w+\.png/);
    }
    const latex = bytes(`\\documentclass{article}\\begin{document}A\\input{${secret}}\\end{document}`);
    const response = await service.post(latex, { from: 'application/x-latex', to: 'text/plain' });
    expect(await response.text()).not.toContain('secret');
  });

  it.each([
    ['text/html', 'html', 'text/html'],
    ['application/rtf', 'rtf', 'text/rtf'],
    [DOCX, 'docx', DOCX],
  ])('of type %s has technical metadata', async (from, format, found) => {
    const xml = await service.make(await written('A word.', format), { from, to: 'application/xml' });
    expect(readFits(text(xml)).identities.map(({ mimeType }) => mimeType)).toContain(found);
  });

  it('is rejected with 500 and plain text if it is damaged', async () => {
    const response = await service.post(bytes('no zip'), { from: DOCX, to: 'text/html' });
    expect(response.status).toBe(500);
    expect(response.headers.get('Content-Type')).toStartWith('text/plain');
  });
});
