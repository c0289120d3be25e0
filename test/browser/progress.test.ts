import { afterAll, beforeAll, expect, it } from 'bun:test';
import { newLease } from '../../src/runs/lease.ts';
import { visitSignedIn } from '../support/browser-session.ts';
import { addCheck } from '../support/run-rows.ts';
import { createTestRepository, type TestRepository } from '../support/test-repository.ts';

let repository: TestRepository;
beforeAll(async () => {
  repository = await createTestRepository();
});
afterAll(() => repository.stop());

const write = (sql: string) => repository.running.services.database.write([sql]);

it('a page follows work of another process, and shows its end', async () => {
  await addCheck(repository.running.services.database, { total: 5000, checked: 10 }, { lease: newLease() });
  const { page, complaints, close } = await visitSignedIn(repository.url, '/admin/reports/fixity');
  expect(await page.locator('tbody td').nth(1).textContent()).toStartWith('10 of 5,000 files');
  await page.evaluate('window.isThisPage = true');
  await write("UPDATE run SET progress = json_set(progress, '$.checked', 4321, '$.missing', 2) WHERE kind = 'fixity'");
  await page.waitForSelector('text=4,321 of 5,000 files');
  expect(await page.locator('tbody td').nth(2).textContent()).toBe('2');
  expect(await page.evaluate<boolean>('window.isThisPage')).toBe(true);
  await write("UPDATE run SET state = 'done', ended_at = unixepoch(), lease = NULL WHERE kind = 'fixity'");
  await page.waitForSelector('text=Complete');
  expect(await page.locator('text=Start a check').count()).toBe(1);
  expect(complaints).toEqual([]);
  await close();
}, 60_000);
