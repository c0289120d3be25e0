import { afterAll, beforeAll, expect, it } from 'bun:test';
import { newLease } from '../../src/runs/lease.ts';
import { visitSignedIn } from '../support/browser-session.ts';
import { createTestRepository, type TestRepository } from '../support/test-repository.ts';

let repository: TestRepository;
beforeAll(async () => {
  repository = await createTestRepository();
});
afterAll(() => repository.stop());

const write = (sql: string, ...args: (string | number)[]) =>
  repository.running.services.database.write([{ sql, args }]);

it('a page follows work of another process, and shows its end', async () => {
  await write(
    `INSERT INTO fixity_run (id, scope, position, last_id, total, checked, checked_bytes, damaged, missing, unreadable, started_at,
      lease, lease_until) VALUES (7, '{}', 0, 9, 5000, 10, 100, 0, 0, 0, unixepoch(), ?, unixepoch() + 3600)`,
    newLease(),
  );
  const { page, complaints, close } = await visitSignedIn(repository.url, '/admin/reports/fixity');
  expect(await page.locator('tbody td').nth(1).textContent()).toStartWith('10 of 5,000 files');
  await page.evaluate('window.isThisPage = true');
  await write('UPDATE fixity_run SET checked = 4321, missing = 2');
  await page.waitForSelector('text=4,321 of 5,000 files');
  expect(await page.locator('tbody td').nth(2).textContent()).toBe('2');
  expect(await page.evaluate<boolean>('window.isThisPage')).toBe(true);
  await write('UPDATE fixity_run SET checked = 5000, ended_at = unixepoch(), lease = NULL, lease_until = NULL');
  await page.waitForSelector('text=Complete');
  expect(await page.locator('text=Start a check').count()).toBe(1);
  expect(complaints).toEqual([]);
  await close();
}, 60_000);
