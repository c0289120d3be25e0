import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { visit } from '../support/browser.ts';
import { createTestRepository, type TestRepository } from '../support/test-repository.ts';

let repository: TestRepository;
let address: string;

beforeAll(async () => {
  repository = await createTestRepository();
  const { nid } = await repository.node({ title: [{ value: 'Crew of the Annie Laurie' }] });
  address = `${repository.url}/node/${nid[0].value}`;
});
afterAll(() => repository.stop());

describe('the copy buttons', () => {
  it('copy a citation and the permanent link, and announce it without a layout shift', async () => {
    const visited = await visit(address);
    const { page } = visited;
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const clipboard = () => page.evaluate<string>('navigator.clipboard.readText()');
    const citation = page.getByRole('button', { name: 'Copy the APA citation' });
    await citation.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('status').getByText('Copied').waitFor({ state: 'attached' });
    expect(await clipboard()).toContain('Crew of the Annie Laurie');
    await page.getByRole('button', { name: 'Copy the permanent link' }).click();
    await page.waitForFunction(`navigator.clipboard.readText().then((text) => text === ${JSON.stringify(address)})`);
    expect(await visited.shift()).toBe(0);
    expect(visited.complaints).toEqual([]);
    await visited.close();
  });

  it('are hidden without JavaScript', async () => {
    const visited = await visit(address, { hasScript: false });
    expect(await visited.page.locator('button.copy:visible').count()).toBe(0);
    await visited.close();
  });
});
