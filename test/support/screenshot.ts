import { resolve } from 'node:path';
import type { Page, PageScreenshotOptions } from 'playwright-core';
import { IS_FULL_SIZE } from './size.ts';

const FOLDER = resolve(import.meta.dir, '../../dist/screenshots');

/** Keeps a picture of a page in `dist/screenshots`, for people to look at, in `make nightly`. */
export async function keepScreenshot(page: Page, name: string, options: PageScreenshotOptions = {}): Promise<void> {
  if (IS_FULL_SIZE) await page.screenshot({ ...options, path: `${FOLDER}/${name}.png` });
}
