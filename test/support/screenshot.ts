import { join } from 'node:path';
import type { Page, PageScreenshotOptions } from 'playwright-core';
import { IS_FULL_SIZE } from './size.ts';

const FOLDER = join(import.meta.dir, '../../dist/screenshots');

/** Saves a picture of a page as `dist/screenshots/NAME.png` in tests at their full size: no test compares them. */
export async function shoot(page: Page, name: string, options: PageScreenshotOptions = {}): Promise<void> {
  if (IS_FULL_SIZE) await page.screenshot({ ...options, path: join(FOLDER, `${name}.png`) });
}
