import { afterEach, beforeAll, describe, expect, it } from 'bun:test';
import { join } from 'node:path';
import { type Visit, visit } from '../support/browser.ts';
import { emptyFolder } from '../support/empty-folder.ts';
import { run } from '../support/fixtures.ts';
import { openSite, type Site, useSite } from '../support/site.ts';
import { until } from '../support/until.ts';

let site: Site;
let visited: Visit | undefined;
useSite();
beforeAll(async () => {
  site = await openSite();
}, 120_000);
afterEach(async () => {
  await visited?.close();
  visited = undefined;
});

async function open(path: string, hasScript = true): Promise<Visit> {
  visited = await visit(site.repository.url + path, { hasScript });
  return visited;
}

describe('the PDF viewer', () => {
  it('opens pages one by one without errors or layout shift', async () => {
    const { page, complaints, requests, shift } = await open(`/node/${site.ids.pdf}`);
    await page.waitForSelector('.viewer-pdf .page[data-page-number="1"] canvas');
    expect(await page.locator('.viewer-count').textContent()).toBe('3');
    await page.getByRole('button', { name: 'Next page' }).click();
    const field = page.getByRole('spinbutton', { name: 'Page' });
    expect(await field.inputValue()).toBe('2');
    await field.fill('3');
    await field.press('Enter');
    await page.waitForSelector('.viewer-pdf .page[data-page-number="3"] canvas');
    expect(complaints).toEqual([]);
    expect(await shift()).toBe(0);
    expect(requests.some((request) => request.url().endsWith('pdf-character-maps.bin'))).toBe(false);
  });

  it('zooms in and fits the page', async () => {
    const { page } = await open(`/node/${site.ids.pdf}`);
    const first = page.locator('.viewer-pdf .page').first();
    await page.waitForSelector('.viewer-pdf .page canvas');
    const width = async () => (await first.boundingBox())?.width ?? 0;
    const before = await width();
    await page.getByRole('button', { name: 'Zoom in' }).click();
    expect(await width()).toBeGreaterThan(before);
    await page.getByRole('button', { name: 'Fit the page or its width' }).click();
    expect(await width()).toBeLessThan(before);
  });

  it('has a text layer and finds words in it', async () => {
    const pdf = await site.build.node('document', 'A letter');
    const bytes = pdfWithText('Sheltered waters');
    await site.build.upload(pdf, {
      ...{ use: 'original', media: 'document', mimeType: 'application/pdf', name: 'letter.pdf', bytes },
    });
    const { page, complaints } = await open(`/node/${pdf}`);
    await page.waitForSelector('.viewer-pdf .textLayer span');
    expect(await page.locator('.viewer-pdf .textLayer').textContent()).toContain('Sheltered waters');
    const field = page.getByRole('searchbox', { name: 'Search in the document' });
    await field.fill('waters');
    await field.press('Enter');
    await page.waitForSelector('.viewer-pdf .highlight');
    await page.getByText('1 of 1').waitFor();
    expect(complaints).toEqual([]);
  });

  it('decodes JPEG 2000 and loads character maps that a document does not contain', async () => {
    const node = await site.build.node('document', 'Scanned');
    const document = { use: 'original', media: 'document', mimeType: 'application/pdf' } as const;
    await site.build.upload(node, { ...document, name: 'scan.pdf', bytes: await pdfWithJpeg2000() });
    const { page, complaints, close } = await open(`/node/${node}`);
    await page.waitForSelector('.viewer-pdf .page canvas');
    const pixel = `[...document.querySelector('.viewer-pdf .page canvas').getContext('2d').getImageData(99, 99, 1, 1).data]`;
    await until(async () => Bun.deepEquals(await page.evaluate<number[]>(pixel), [255, 0, 0, 255]));
    expect(complaints).toEqual([]);
    await close();
    const letter = await site.build.node('document', 'In Japanese');
    await site.build.upload(letter, { ...document, name: 'letter.pdf', bytes: pdfInJapanese() });
    const opened = await open(`/node/${letter}`);
    await opened.page.waitForSelector('.viewer-pdf .textLayer span');
    expect(await opened.page.locator('.viewer-pdf .textLayer').textContent()).toContain('港');
    expect(opened.requests.some((request) => request.url().endsWith('pdf-character-maps.bin'))).toBe(true);
  });

  it('shows the first page and a download link without JavaScript', async () => {
    const { page } = await open(`/node/${site.ids.pdf}`, false);
    expect(await page.locator('.viewer img').count()).toBe(1);
    expect(await page.locator('.viewer a[download]').getAttribute('href')).toEndWith('/regulations.pdf');
  });
});

describe('the viewer of a file that cannot be displayed', () => {
  it('names the file type and links to the download', async () => {
    const node = await site.build.node('document', 'A data set');
    const bytes = 'PK';
    await site.build.upload(node, {
      ...{ use: 'original', media: 'file', mimeType: 'application/zip', name: 'data.zip', bytes },
    });
    const { page, complaints } = await open(`/node/${node}`);
    expect(await page.locator('.viewer').textContent()).toContain('ZIP archive');
    expect(await page.locator('.viewer a[download]').getAttribute('href')).toEndWith('/data.zip');
    expect(complaints).toEqual([]);
  });
});

/** A PDF of one page with a line of text in a font that it does not contain. */
function pdfWithText(text: string): Uint8Array<ArrayBuffer> {
  const font = '<< /Type /Font /Subtype /Type1 /BaseFont /Times-Roman >>';
  return onePage('/Font << /F1 5 0 R >>', `BT /F1 24 Tf 72 700 Td (${text}) Tj ET`, [font]);
}

/** A PDF with a word in Japanese, in a font and a character map that it does not contain. */
function pdfInJapanese(): Uint8Array<ArrayBuffer> {
  return onePage('/Font << /F1 5 0 R >>', 'BT /F1 24 Tf 72 700 Td <6E2F> Tj ET', [
    '<< /Type /Font /Subtype /Type0 /BaseFont /HeiseiMin-W3 /Encoding /UniJIS-UCS2-H /DescendantFonts [6 0 R] >>',
    '<< /Type /Font /Subtype /CIDFontType0 /BaseFont /HeiseiMin-W3 /FontDescriptor 7 0 R /CIDSystemInfo << /Registry (Adobe) /Ordering (Japan1) /Supplement 2 >> >>',
    '<< /Type /FontDescriptor /FontName /HeiseiMin-W3 /Flags 6 /FontBBox [0 -200 1000 900] /ItalicAngle 0 /Ascent 900 /Descent -200 /CapHeight 700 /StemV 80 >>',
  ]);
}

/** A PDF with a picture in JPEG 2000. */
async function pdfWithJpeg2000(): Promise<Uint8Array<ArrayBuffer>> {
  const folder = await emptyFolder();
  const file = join(folder, 'red.jp2');
  await run(['convert', '-size', '64x64', 'xc:red', file]);
  const image = await Bun.file(file).bytes();
  const head = `<< /Type /XObject /Subtype /Image /Width 64 /Height 64 /Filter /JPXDecode /Length ${image.length} >>\nstream\n`;
  const object = Buffer.concat([Buffer.from(head), image, Buffer.from('\nendstream')]);
  return onePage('/XObject << /I1 5 0 R >>', 'q 612 0 0 792 0 0 cm /I1 Do Q', [object]);
}

/** A PDF of one page. Its further objects begin with number 5. */
function onePage(resources: string, content: string, more: readonly (string | Buffer)[]): Uint8Array<ArrayBuffer> {
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << ${resources} >> >>`,
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    ...more,
  ];
  let file: Buffer = Buffer.from('%PDF-1.5\n');
  const offsets = objects.map((object, at) => {
    const offset = file.length;
    file = Buffer.concat([file, Buffer.from(`${at + 1} 0 obj\n`), Buffer.from(object), Buffer.from('\nendobj\n')]);
    return `${String(offset).padStart(10, '0')} 00000 n \n`;
  });
  const table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${offsets.join('')}`;
  const end = `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${file.length}\n%%EOF\n`;
  return new Uint8Array(Buffer.concat([file, Buffer.from(table + end)]));
}
