import { afterAll, beforeAll, expect, it } from 'bun:test';
import { DEFAULT_SERVER_CONFIG } from '../../src/config/server-config.ts';
import { visit } from '../support/browser.ts';
import { createTestRepository, type TestRepository } from '../support/test-repository.ts';

let repository: TestRepository;
beforeAll(async () => {
  repository = await createTestRepository({
    robots: { ...DEFAULT_SERVER_CONFIG.robots, totalBudget: 1, challenge: 'always' },
  });
  await repository.build.node('image', 'A ferry');
});
afterAll(() => repository.stop());

it('a browser does the work of a refused page, and shows the results', async () => {
  for (let at = 0, status = 200; status === 200; at += 1)
    ({ status } = await repository.fetch(`/search?from=-${at + 1}`, { headers: { Accept: 'text/html' } }));
  const { page, close } = await visit(`${repository.url}/collections`);
  await page.goto(`${repository.url}/search?q=ferry`);
  await page.waitForSelector('.hit h2');
  expect(page.url()).toBe(`${repository.url}/search?q=ferry`);
  const names = (await page.context().cookies()).map(({ name, httpOnly }) => [name, httpOnly]);
  expect(names).toEqual([['repo_pass', true]]);
  await close();
}, 60_000);
