import { afterAll, beforeAll, expect, it } from 'bun:test';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { emptyFolder } from '../support/empty-folder.ts';
import { run } from '../support/fixtures.ts';
import { Items } from '../support/items.ts';
import { type ServerProcess, startServer } from '../support/server-process.ts';
import { until } from '../support/until.ts';

const RULES = `
actions:
  paged_content_created_aggregated_pdf:
    of_members: { parent_has_term: ["https://schema.org/Book"], settle: 1 }
`;

let folder: string;
let server: ServerProcess;
let items: Items;
beforeAll(async () => {
  folder = await emptyFolder();
  await writeFile(join(folder, 'rules.yaml'), RULES);
  await writeFile(join(folder, 'repository.yaml'), 'derivatives: { rules: rules.yaml }\n');
  server = await startServer({ cwd: folder, config: 'repository.yaml' });
  items = new Items(() => server.url, join(folder, 'data'));
});
afterAll(async () => {
  await server.stop();
});

/** Puts a page with these words into a book. */
async function page(book: number, words: string, [media, mimeType, extension]: readonly [string, string, string]) {
  const node = await items.make('page', book);
  const file = join(folder, `${node}.${extension}`);
  const look = ['-size', '900x300', '-gravity', 'center', '-font', 'DejaVu-Sans', '-pointsize', '72'];
  await run(['convert', ...look, `label:${words}`, file]);
  const uri = `private://in/${node}.${extension}`;
  await items.build.upload(node, {
    media,
    mimeType,
    uri,
    bytes: new Uint8Array(await Bun.file(file).arrayBuffer()),
  });
  return node;
}

async function finished() {
  const open = () => items.jobs().filter(({ state }) => state !== 'done');
  await until(() => open().length === 0, { seconds: 60, tell: open });
}

/** The words of each page of the PDF of a book. */
async function pagesOf(book: number): Promise<string[]> {
  const [pdf] = (await items.list(book)).filter(({ use }) => use === 'Original File');
  if (pdf === undefined) throw new Error('the book has no PDF');
  const file = join(folder, 'book.pdf');
  await Bun.write(file, await items.bytes(pdf));
  const count = Number(/^Pages: +(\d+)$/m.exec(await run(['pdfinfo', file]))?.[1]);
  const pages = Array.from({ length: count }, (_, at) => `${at + 1}`);
  const texts = pages.map((number) => run(['pdftotext', '-f', number, '-l', number, file, '-']));
  return (await Promise.all(texts)).map((text) => text.trim().split(/\s+/).join(' '));
}

const JPEG = ['image', 'image/jpeg', 'jpg'] as const;
const PNG = ['image', 'image/png', 'png'] as const;
const TIFF = ['file', 'image/tiff', 'tif'] as const;

it('a book has one searchable PDF of all its pages, updated when a page is added', async () => {
  const book = await items.make('book');
  const nodes = [
    await page(book, 'First leaf', JPEG),
    await page(book, 'Second leaf', PNG),
    await page(book, 'Third leaf', TIFF),
  ];
  await finished();
  expect(await pagesOf(book)).toEqual(['First leaf', 'Second leaf', 'Third leaf']);
  const media = await items.list(book);
  expect(media.map(({ use, mimeType }) => `${use} ${mimeType}`)).toEqual([
    'FITS File application/xml',
    'Original File application/pdf',
  ]);

  const archive = join(folder, 'pages.tar');
  await Bun.write(archive, await (await items.fetch(`/node/${book}/pages`)).arrayBuffer());
  expect((await run(['tar', '-tf', archive])).split('\n')).toEqual(
    nodes.map((node, at) => `0000${at + 1}-${node}.jpg`),
  );

  await page(book, 'Last leaf', PNG);
  await finished();
  expect((await pagesOf(book)).at(-1)).toBe('Last leaf');
  expect((await items.list(book)).map(({ id }) => id)).toEqual(media.map(({ id }) => id));
}, 120_000);
