import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { createLinkedSite, type LinkedSite } from '../../support/linked-site.ts';
import { detail, elementsOf } from '../../support/page.ts';
import type { As } from '../../support/test-repository.ts';

let site: LinkedSite;
let top: number;
let hidden: number;
let low: number;
beforeAll(async () => {
  site = await createLinkedSite();
  top = await site.term('genre', 'Pictures');
  hidden = await site.term('genre', 'Secret pictures', { status: [false] });
  low = await site.term('genre', 'Photographs', { parent: [hidden, top] });
});
afterAll(async () => {
  expect(site.repository.failures()).toEqual([]);
  await site.stop();
});

const page = async (id: number, as?: As) => (await site.repository.get(`/taxonomy/term/${id}?_format=html`, as)).text();
const broader = async (id: number, as?: As) => detail(await page(id, as), 'Broader term');

describe('the page of a term', () => {
  it('links to the broader terms that the caller may view', async () => {
    for (const as of [undefined, 'reader', 'editor']) {
      const html = await page(low, as);
      expect({ as, broader: detail(html, 'Broader term') }).toEqual({ as, broader: ['Pictures'] });
      expect(html).not.toContain('Secret pictures');
      expect(elementsOf(html, '.fields a').map(({ attributes }) => attributes.href)).toEqual([`/taxonomy/term/${top}`]);
    }
    expect(await broader(low, 'loader')).toEqual(['Secret pictures', 'Pictures']);
  });

  it('omits the label without a visible broader term', async () => {
    const below = await site.term('genre', 'Daguerreotypes', { parent: [hidden] });
    for (const id of [top, below]) expect(elementsOf(await page(id), '.fields dt')).toEqual([]);
    expect(await broader(below, 'loader')).toEqual(['Secret pictures']);
  });

  it('reflects each change of the broader term', async () => {
    const above = await site.term('genre', 'First');
    const id = await site.term('genre', 'Prints', { parent: [above] });
    expect(await broader(id)).toEqual(['First']);
    await site.changeTerm(above, 'genre', { name: ['Second'] });
    expect(await broader(id)).toEqual(['Second']);
    await site.changeTerm(above, 'genre', { status: [false] });
    expect(await broader(id)).toEqual([]);
    await site.changeTerm(above, 'genre', { status: [true] });
    await site.changeTerm(id, 'genre', { parent: [top] });
    expect(await broader(id)).toEqual(['Pictures']);
  });
});

describe('the links of a term', () => {
  it.each(['json', 'jsonld', 'html'])('do not include its broader terms: %s', async (format) => {
    const lines = await site.lines(`/taxonomy/term/${low}?_format=${format}`, 'admin');
    expect(lines.length).toBeGreaterThan(6);
    expect(lines.filter((line) => line.includes(`/taxonomy/term/${top}`))).toEqual([]);
    expect(lines.filter((line) => /^(?:related|tag|collection) /.test(line))).toEqual([]);
  });
});
