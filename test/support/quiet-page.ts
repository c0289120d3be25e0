import { expect } from 'bun:test';
import type { Page } from 'playwright-core';
import { type Visit, type VisitOptions, visit } from './browser.ts';

/** Opens a page, and expects at the end that nothing was violated or failed, and that nothing moved by itself. */
export async function onQuietPage(
  address: string,
  options: VisitOptions,
  use: (page: Page, visited: Visit) => Promise<void>,
): Promise<void> {
  const visited = await visit(address, options);
  await use(visited.page, visited);
  expect(visited.complaints).toEqual([]);
  if (options.hasScript !== false) {
    expect(await visited.page.evaluate('window.observed.violations')).toEqual([]);
    expect(await visited.shifts()).toEqual([]);
  }
  await visited.close();
}
