import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { accessibilityViolations } from '../support/accessibility.ts';
import { visit } from '../support/browser.ts';
import { PNG } from '../support/repository-routes.ts';
import { type TableBrowser, tableBrowser } from '../support/table-upload.ts';
import { createTestRepository, type TestRepository } from '../support/test-repository.ts';
import { until } from '../support/until.ts';

const TABLE = 'id,title,field_model,file\n1,A bridge,Image,bridge.png\n';

let repository: TestRepository;
let admin: TableBrowser;
beforeAll(async () => {
  repository = await createTestRepository();
  admin = await tableBrowser(repository, 'admin');
});
afterAll(() => repository.stop());

const open = (path: string, width = 1280, hasScript = true) =>
  visit(repository.url + path, { as: 'admin', width, hasScript });

describe('table import', () => {
  it('uploads, checks and imports a table with the keyboard, and then shows the result', async () => {
    const { page, complaints, close } = await open('/admin/content/import');
    await page.setInputFiles('#table', { name: 'items.csv', mimeType: 'text/csv', buffer: Buffer.from(TABLE) });
    await page.setInputFiles('#files', { name: 'bridge.png', mimeType: 'image/png', buffer: Buffer.from(PNG) });
    await page.focus('form[enctype] button');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/import\/\d+$/);
    await page.focus('text=Start the import');
    await page.keyboard.press('Enter');
    await page.waitForSelector('text=The table is imported');
    expect(await page.getByRole('link', { name: 'Download the results' }).count()).toBe(1);
    expect(complaints).toEqual([]);
    await close();
  });

  it('reports the problems of a table without JavaScript', async () => {
    const { page, close } = await open('/admin/content/import', 1280, false);
    await page.setInputFiles('#table', {
      name: 'items.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from('id,titel\n1,A\n'),
    });
    await page.click('form[enctype] button');
    await page.waitForSelector('section[aria-label=Problems]');
    expect(await page.textContent('section[aria-label=Problems]')).toContain('Did you mean title?');
    await close();
  });

  it('shows the changes of a table without JavaScript, and starts them', async () => {
    const node = await repository.node({ title: [{ value: 'A harbor' }] });
    const { page, close } = await open('/admin/content/import', 390, false);
    await page.selectOption('#aim', { label: 'Change items' });
    const buffer = Buffer.from(`node_id,title,field_description\n${node.nid[0].value},A harbour,Small boats\n`);
    await page.setInputFiles('#table', { name: 'changes.csv', mimeType: 'text/csv', buffer });
    await page.click('form[enctype] button');
    await page.waitForSelector('section[aria-label=Changes]');
    expect(await page.textContent('section[aria-label=Changes]')).toContain('A harbour');
    await page.fill('#reason', 'British spelling');
    await page.click('text=Change 1 item');
    await page.waitForURL(/\/admin\/content\/bulk\/\d+$/);
    await close();
  });

  it.each([1280, 390])('has no accessibility violations at %d pixels, with changes and in the list', async (width) => {
    const node = await repository.node({ title: [{ value: 'A lock' }] });
    const rows = `node_id,title,field_description\n${node.nid[0].value},A weir,-\n`;
    const changes = await admin.upload(rows, {}, { aim: 'node' });
    const sent = await admin.upload(`id,title,field_model\n${width},A tower,Image\n`);
    await admin.settled(sent.path);
    await admin.press(sent.path, { act: 'start' });
    await admin.settled(sent.path);
    const path = (await admin.open('/admin/imports')).elements('tbody th a')[0]?.attributes.href ?? '';
    for (const each of [changes.path, '/admin/imports', path, `${path}/delete`]) {
      const { page, complaints, close } = await open(each, width);
      expect({ each, violations: await accessibilityViolations(page), complaints }).toEqual({
        each,
        violations: [],
        complaints: [],
      });
      await close();
    }
  });

  it.each([1280, 390])('has no accessibility violations at %d pixels, with and without problems', async (width) => {
    const bad = await admin.upload('id,titel\n1,A\n');
    const good = await admin.upload(`${TABLE}2,A tower,Image,\n`, { 'bridge.png': PNG, 'stray.png': PNG });
    for (const path of [bad.path, good.path, '/admin/content/import']) {
      const { page, complaints, close } = await open(path, width);
      expect({ path, violations: await accessibilityViolations(page), complaints }).toEqual({
        path,
        violations: [],
        complaints: [],
      });
      // Only tables scroll sideways.
      expect(await page.evaluate('document.documentElement.scrollWidth <= window.innerWidth')).toBe(true);
      await close();
    }
  });
});

describe('the permissions table', () => {
  it.each([1280, 390])(
    'has no accessibility violations at %d pixels and scrolls in its frame with the keyboard',
    async (width) => {
      const { page, complaints, close } = await open('/admin/people/permissions', width);
      expect({ violations: await accessibilityViolations(page), complaints }).toEqual({
        violations: [],
        complaints: [],
      });
      await page.focus('.matrix');
      await page.keyboard.press('PageDown');
      await until(() => page.evaluate<boolean>('document.querySelector(".matrix").scrollTop > 0'));
      expect(await page.evaluate('document.documentElement.scrollWidth <= window.innerWidth')).toBe(true);
      await close();
    },
  );
});
