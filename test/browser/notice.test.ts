import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { accessibilityViolations } from '../support/accessibility.ts';
import { visit } from '../support/browser.ts';
import { type FormBrowser, signedIn } from '../support/form-call.ts';
import { settle } from '../support/settled-page.ts';
import { createTestRepository, type TestRepository } from '../support/test-repository.ts';

let repository: TestRepository;
let jane: FormBrowser;
beforeAll(async () => {
  repository = await createTestRepository();
  await repository.user('jane', 'repository_editor');
  jane = await signedIn(repository, 'jane');
});
afterAll(() => repository.stop());

describe('the notice about a saved form', () => {
  it.each([
    ['a short title', 'A title', 1280, 'light'],
    ['a long title', '\u{1F6A2}'.repeat(255), 390, 'dark'],
  ] as const)('causes no layout shift with %s, even if its script loads late', async (_, title, width, scheme) => {
    const node = await repository.node({ title: [{ value: title }] });
    const id = node.nid[0].value as number;
    const seen = await visit(`${repository.url}/node/${id}/edit`, { width, scheme, cookie: jane.session?.cookie });
    const { page } = seen;
    await page.context().route('**/notice.js', async (route) => {
      await page.waitForFunction(() => performance.getEntriesByType('paint').length > 0);
      await route.continue();
    });
    // No input: a shift soon after one does not count.
    await page.getByRole('button', { name: 'Save and view' }).last().dispatchEvent('click');
    await page.waitForURL(/\/node\/\d+$/);
    await page.getByRole('status').filter({ hasText: 'Saved.' }).waitFor();
    await settle(page);
    expect(await page.locator('.notice').textContent()).toBe('Saved.');
    await page.locator('.notice > span').waitFor();
    expect(await seen.shifts()).toEqual([]);
    expect(await accessibilityViolations(page)).toEqual([]);
    await page.reload();
    expect(await page.locator('.notice').count()).toBe(0);
    expect(seen.complaints).toEqual([]);
    await seen.close();
  });

  it('ignores and deletes a malformed cookie', async () => {
    const seen = await visit(`${repository.url}/`, { cookie: jane.session?.cookie });
    await seen.page.context().addCookies([{ name: 'notice', value: '%E0%A4%A', url: repository.url }]);
    await seen.page.reload();
    await settle(seen.page);
    expect(await seen.page.locator('.notice').count()).toBe(0);
    expect((await seen.page.context().cookies()).map(({ name }) => name)).not.toContain('notice');
    expect(seen.complaints).toEqual([]);
    await seen.close();
  });
});
