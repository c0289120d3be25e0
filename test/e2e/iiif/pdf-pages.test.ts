import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { writeFile } from 'node:fs/promises';
import { pdfWithPictures } from '../../support/hand-written-pdf.ts';
import { type ImageSite, pictured, startImageSite } from '../../support/image-site.ts';
import { expectValid } from '../../support/presentation-schema.ts';
import type { EntityJson } from '../../support/test-repository.ts';

let site: ImageSite;
let media: EntityJson;
let node: number;
beforeAll(async () => {
  site = await startImageSite();
  media = await site.upload(await scan('scan.pdf', ['black', 'gray', 'white']), 'application/pdf', {
    bundle: 'document',
    isQuick: true,
  });
  node = media.field_media_of[0].target_id;
});
afterAll(async () => {
  const isOther = ({ failure }: EntityJson) => failure?.message !== 'The PDF is damaged.';
  expect(site.repository.failures().filter((each) => isOther(each as EntityJson))).toEqual([]);
  await site.stop();
});

/** A PDF with a page of 300 by 150 points and others of 150 by 300, each in one shade, with sheets wider than what is shown. */
async function scan(name: string, shades: readonly string[]): Promise<string> {
  const pictures = await Promise.all(
    shades.map(async (shade, index) => {
      const [width, height] = index === 0 ? [300, 150] : [150, 300];
      const path = await site.make(`${index}.jpg`, [
        ...['convert', '-size', `${width}x${height}`, `xc:${shade}`, '-colorspace', 'Gray', 'FILE'],
      ]);
      return { jpeg: await Bun.file(path).bytes(), width, height };
    }),
  );
  const path = await site.make(name, ['touch', 'FILE']);
  await writeFile(path, pdfWithPictures(pictures, 'A scan\nPage 1 size: 1 x 1 pts', 72, 20));
  return path;
}

const manifest = async (of: number, query = '') =>
  (await (await site.repository.get(`/node/${of}/manifest${query}`)).json()) as EntityJson;
const path = (address: string) => new URL(address).pathname;
const sizes = ({ items }: EntityJson) => items.map(({ width, height }: EntityJson) => `${width} ${height}`);

describe('the manifest of a PDF', () => {
  it('has a canvas for each page, in the size of what is shown of it', async () => {
    const { items, behavior } = await expectValid(await manifest(node));
    expect(sizes({ items })).toEqual(['833 417', '417 833', '417 833']);
    expect(items.map(({ label }: EntityJson) => label.en)).toEqual([['Page 1'], ['Page 2'], ['Page 3']]);
    expect(new Set(items.map(({ id }: EntityJson) => id)).size).toBe(3);
    expect(items[0].id).toEndWith(`/node/${node}/canvas/${media.mid[0].value}`);
    expect(items[0].rendering).toMatchObject([{ format: 'application/pdf' }]);
    expect(behavior).toEqual(['individuals']);
  });

  it('shows each page as a picture', async () => {
    const { items } = await manifest(node);
    const shades: string[] = [];
    for (const canvas of items) {
      const { id, format } = canvas.items[0].items[0].body;
      expect(format).toBe('image/jpeg');
      const image = await site.repository.get(path(id));
      shades.push(await pictured(image, '%m %w %h %[fx:round(255*p{99,99}.r)]'));
    }
    expect(shades.map((each) => each.split(' ').slice(0, 3).join(' '))).toEqual([
      'JPEG 833 417',
      'JPEG 417 833',
      'JPEG 417 833',
    ]);
    const [black, gray, white] = shades.map((each) => Number(each.split(' ')[3]));
    expect(black).toBeLessThan(20);
    expect(gray).toBeWithin(100, 160);
    expect(white).toBeGreaterThan(240);
  });

  it('has pages that the Image API serves in any region and size', async () => {
    const info = await (await site.repository.get(`/iiif/3/${media.uuid[0].value}.2/info.json`)).json();
    expect(info).toMatchObject({ width: 417, height: 833, profile: 'level2' });
    const part = await site.repository.get(`/iiif/3/${media.uuid[0].value}.2/0,0,100,100/50,/90/gray.png`);
    expect(await pictured(part, '%m %w %h')).toBe('PNG 50 50');
  });

  it.each(['4', '0', 'x', '99999', '', '2.1'])('has no page %j', async (page) => {
    expect((await site.repository.get(`/iiif/3/${media.uuid[0].value}.${page}/info.json`)).status).toBe(404);
  });

  it('hides the pages of a hidden item', async () => {
    await site.repository.patch(
      `/node/${node}?_format=json`,
      { type: 'islandora_object', status: [{ value: false }] },
      'admin',
    );
    expect((await site.repository.get(`/iiif/3/${media.uuid[0].value}.1/info.json`)).status).toBe(401);
    await site.repository.patch(
      `/node/${node}?_format=json`,
      { type: 'islandora_object', status: [{ value: true }] },
      'admin',
    );
  });

  it('turns pages as they are shown', async () => {
    const upright = await scan('upright.pdf', ['black']);
    const turned = await site.make('turned.pdf', ['touch', 'FILE']);
    const text = Buffer.from(await Bun.file(upright).bytes()).toString('latin1');
    // Readers find the objects again, although their offsets are others.
    await writeFile(turned, Buffer.from(text.replace('/MediaBox[', '/Rotate 90/MediaBox['), 'latin1'));
    const other = await site.upload(turned, 'application/pdf', { bundle: 'document', isQuick: true });
    expect(sizes(await manifest(other.field_media_of[0].target_id))).toEqual(['417 833']);
  });

  it('has the one canvas of its first page if the pages cannot be read', async () => {
    const broken = await site.make('broken.pdf', ['touch', 'FILE']);
    await writeFile(broken, '%PDF-1.4\nno document');
    const other = await site.upload(broken, 'application/pdf', { bundle: 'document', isQuick: true });
    const { items } = await manifest(other.field_media_of[0].target_id);
    expect(sizes({ items })).toEqual(['1000 1414']);
    expect(items[0].items[0].items).toEqual([]);
  });
});
