import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { visit } from '../support/browser.ts';
import { createLinkedSite, type LinkedSite } from '../support/linked-site.ts';

const ORIGINAL = 'http://pcdm.org/use#OriginalFile';
const SCRIPT = `<script>document.title='ran'</script><svg/onload="document.title='ran'">`;

let site: LinkedSite;
beforeAll(async () => {
  site = await createLinkedSite();
});
afterAll(() => site.stop());

describe('Chromium', () => {
  it('shows a node without errors and runs no script stored in it', async () => {
    const node = await site.node({
      title: ['Moon & <i>Half</i> Dome'],
      field_abstract: [{ value: `<p>Black &amp; <strong>white</strong></p>${SCRIPT}`, format: 'basic_html' }],
      field_description: [SCRIPT],
      field_alt_title: [SCRIPT, '"onmouseover="x()'],
    });
    const { page, complaints, close } = await visit(`${site.repository.url}/node/${node}`);
    expect(await page.title()).toBe('Moon & <i>Half</i> Dome · Repository');
    expect(complaints).toEqual([]);
    await close();
  });

  it('shows the picture of an unpublished item to a signed-in user', async () => {
    const hidden = await site.node({ title: ['Secret'] });
    await site.changeNode(hidden, { status: [false] });
    const { path } = await site.picture(hidden, ORIGINAL);
    const { page, complaints, close } = await visit(`${site.repository.url}/node/${hidden}`, { as: 'loader' });
    expect(await page.locator('h1').allInnerTexts()).toEqual(['Secret']);
    const shown = await page.evaluate<string[]>(
      '[...document.images].map((image) => new URL(image.currentSrc || image.src).pathname)',
    );
    expect(shown).toContain(path);
    expect(complaints).toEqual([]);
    await close();
  });

  it('shows the API description without errors', async () => {
    const { page, complaints, close } = await visit(`${site.repository.url}/openapi`);
    expect(await page.locator('h1').count()).toBe(1);
    expect(complaints).toEqual([]);
    await close();
  });
});
