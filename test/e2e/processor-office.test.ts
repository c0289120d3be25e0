import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { fromBufferPromise } from 'yauzl';
import { type DerivativeService, startDerivativeService } from '../support/derivatives.ts';
import { run } from '../support/fixtures.ts';
import { type MadeEntry, madeZip } from '../support/made-zip.ts';

const DOCX = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
const PPTX = 'application/vnd.openxmlformats-officedocument.presentationml.presentation';
const ODT = 'application/vnd.oasis.opendocument.text';
const KINDS: [format: string, type: string][] = [
  ['docx', DOCX],
  ['odt', ODT],
  ['pptx', PPTX],
];

let service: DerivativeService;
/** Returns every request with a picture. */
let stranger: Bun.Server<undefined>;
const asked: string[] = [];
beforeAll(async () => {
  service = await startDerivativeService();
  stranger = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch(request) {
      asked.push(`${request.method} ${new URL(request.url).pathname}`);
      return new Response(Bun.file(service.fixtures.path('plasma.png')));
    },
  });
});
afterAll(async () => {
  await stranger.stop(true);
  await service.stop();
});

const text = (file: Uint8Array) => Buffer.from(file).toString();

async function written(format: string, markdown: string): Promise<Uint8Array<ArrayBuffer>> {
  const name = `document-${Bun.randomUUIDv7()}.${format}`;
  await run(['pandoc', '-f', 'markdown', '-o', service.fixtures.path(name)], new Uint8Array(Buffer.from(markdown)));
  return service.fixtures.read(name);
}

/** The entries of a zip archive, with their text as `change` makes it where they are XML. */
async function rezipped(archive: Uint8Array<ArrayBuffer>, change: (xml: string) => string) {
  const zip = await fromBufferPromise(Buffer.from(archive));
  const entries: MadeEntry[] = [];
  for await (const entry of zip.eachEntry()) {
    const chunks: Buffer[] = [];
    for await (const chunk of await zip.openReadStreamPromise(entry)) chunks.push(chunk);
    const content = Buffer.concat(chunks);
    const isXml = /\.(xml|rels)$/.test(entry.fileName);
    entries.push({ name: entry.fileName, content: isXml ? change(content.toString()) : content });
  }
  return new Uint8Array(madeZip(entries));
}

/** A document whose pictures are not in it but at these addresses. */
async function linked(format: string, addresses: string[]): Promise<Uint8Array<ArrayBuffer>> {
  const [here, there] = [service.fixtures.path('words.png'), service.fixtures.path('plasma.png')];
  const whole = await written(format, `# A title\n\n![](${here})\n\n# Another\n\n![](${there})\n`);
  const left = [...addresses];
  const archive = await rezipped(whole, (xml) =>
    xml
      .replaceAll('r:embed=', 'r:link=')
      .replace(/Target="(\.\.\/)?media\/[^"]*"/g, () => `Target="${left.pop()}" TargetMode="External"`)
      .replace(/xlink:href="Pictures\/[^"]*"/g, () => `xlink:href="${left.pop()}"`),
  );
  expect(left).toEqual([]);
  return archive;
}

/** The widths of the pictures in a PDF. */
const pictures = async (pdf: Uint8Array<ArrayBuffer>) =>
  (await run(['pdfimages', '-list', '-'], pdf)).split('\n').flatMap((line) => /image +(\d+)/.exec(line)?.[1] ?? []);

describe('an office document', () => {
  it.each(KINDS)('becomes a PDF with its text and pictures: %s', async (format, from) => {
    const markdown = `# A title\n\nDear *reader*.\n\n# Another\n\n![](${service.fixtures.path('words.png')})\n`;
    const made = await service.make(await written(format, markdown), { from, to: 'application/pdf' });
    expect(await run(['pdftotext', '-', '-'], made)).toMatch(/A title\s+Dear reader\.\s+Another/);
    expect(await pictures(made)).toEqual(['600']);
  });

  it.each(KINDS)('becomes text without form feeds: %s', async (format, from) => {
    const source = await written(format, '# First page\n\nDear reader.\n\n# Second page\n\nYours, the writer.\n');
    const made = text(await service.make(source, { from, to: 'text/plain' }));
    expect(made.split(/\n+/).filter((line) => line !== '')).toEqual([
      'First page',
      'Dear reader.',
      'Second page',
      'Yours, the writer.',
    ]);
    expect(made).not.toContain('\f');
  });

  it('becomes text with a line for each paragraph, or an empty line', async () => {
    const paragraph = 'word '.repeat(100).trim();
    const to = 'text/plain';
    expect(text(await service.make(await written('docx', paragraph), { from: DOCX, to }))).toBe(`${paragraph}\n`);
    expect(text(await service.make(await written('odt', ''), { from: ODT, to }))).toBe('\n');
  });

  it('becomes a picture of its first page in the size of X-Repo-Args', async () => {
    const wanted = { from: PPTX, to: 'image/png', args: '-thumbnail 400x400' };
    const made = await service.make(await written('pptx', '# A title'), wanted);
    expect(await run(['identify', '-format', '%m %w %h', '-'], made)).toBe('PNG 400 225');
  });

  it.each(KINDS)('loads no linked pictures, neither from addresses nor from files: %s', async (format, from) => {
    const file = `file://${service.fixtures.path('plasma.png')}`;
    const source = await linked(format, [new URL('/picture.png', stranger.url).href, file]);
    const made = await service.make(source, { from, to: 'application/pdf' });
    expect(await run(['pdftotext', '-', '-'], made)).toMatch(/A title\s+Another/);
    expect(await pictures(made)).toEqual([]);
    expect(asked).toEqual([]);
  });

  it('cannot include a text file of the server', async () => {
    await Bun.write(service.fixtures.path('secret.txt'), 'the secret');
    const section = `<text:section text:name="s"><text:section-source xlink:href="file://${service.fixtures.path('secret.txt')}"/><text:p>old</text:p></text:section>`;
    const source = await rezipped(await written('odt', 'Dear reader.'), (xml) =>
      xml.replace('</office:text>', `${section}</office:text>`),
    );
    const made = await service.make(source, { from: ODT, to: 'application/pdf' });
    expect(await run(['pdftotext', '-', '-'], made)).toMatch(/^Dear reader\.\s+old/);
    expect(text(await service.make(source, { from: ODT, to: 'text/plain' }))).not.toContain('secret');
  });

  it('is rejected with 500 if its content does not match its type', async () => {
    const html = new Uint8Array(Buffer.from(`<html><img src="${new URL('/page.png', stranger.url)}"></html>`));
    for (const [source, from] of [
      [html, DOCX],
      [await written('odt', 'Dear reader.'), PPTX],
    ] as const) {
      const response = await service.post(source, { from, to: 'application/pdf' });
      expect(response.status).toBe(500);
      expect(response.headers.get('Content-Type')).toStartWith('text/plain');
    }
    expect(asked).toEqual([]);
  });
});
