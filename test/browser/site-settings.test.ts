import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { accessibilityViolations } from '../support/accessibility.ts';
import { visit } from '../support/browser.ts';
import { createTestRepository, type TestRepository } from '../support/test-repository.ts';

const SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 200 50"><path d="M0 0h200v50H0z"/></svg>';
const LOGO = { name: 'logo.svg', mimeType: 'image/svg+xml', buffer: Buffer.from(SVG) };

let repository: TestRepository;
beforeAll(async () => {
  repository = await createTestRepository();
});
afterAll(() => repository.stop());

const open = (path: string, width = 1280, hasScript = true) =>
  visit(repository.url + path, { as: 'admin', width, hasScript });

describe('the settings of the site in a browser', () => {
  it('take three clicks from the page of management for name and logo', async () => {
    const { page, complaints, close } = await open('/admin');
    let clicks = 0;
    const click = async (selector: string) => {
      clicks += 1;
      await page.click(selector);
    };
    await click('.page-list a:text-is("Site")');
    await page.waitForURL(/\/admin\/config\/site$/);
    // The name has the focus.
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.type('Harbour Archives');
    const choosing = page.waitForEvent('filechooser');
    await click('[id="site.logo"]');
    await (await choosing).setFiles(LOGO);
    await click('.action-bar button');
    await page.waitForSelector('.brand img[alt="Harbour Archives"]');
    expect(clicks).toBeLessThanOrEqual(3);
    expect(complaints).toEqual([]);
    await close();
  });

  it('are saved without a script, and report an accent that is too light', async () => {
    const { page, close } = await open('/admin/config/site', 1280, false);
    await page.fill('[id="site.accent"]', '#7cc4e0');
    await page.click('.action-bar button');
    expect(await page.textContent('.error-summary')).toContain('the nearest colour with enough contrast is');
    await page.fill('[id="site.accent"]', '#8a2b4f');
    await page.click('.action-bar button');
    expect(await page.inputValue('[id="site.accent"]')).toBe('#8a2b4f');
    await close();
  });

  it.each([1280, 390])('have no accessibility violations at %d pixels', async (width) => {
    const { page, complaints, close } = await open('/admin/config/site', width);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect({ colorScheme, violations: await accessibilityViolations(page), complaints }).toEqual({
        colorScheme,
        violations: [],
        complaints: [],
      });
    }
    expect(await page.evaluate('document.documentElement.scrollWidth <= window.innerWidth')).toBe(true);
    await close();
  });
});
