import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

const AXE = await Bun.file(createRequire(import.meta.url).resolve('axe-core/axe.min.js')).text();
/** The root elements of Mirador, OpenSeadragon and pdf.js: what is in them is theirs. */
export const VIEWERS_BY_OTHERS = ['.mirador-viewer', '.openseadragon-container', '.pdfViewer'];

/** Returns the violations that axe-core finds on a page, each as one line: rule, reason, elements. */
export async function accessibilityViolations(page: Page): Promise<string[]> {
  // Reading its half a megabyte takes as long as a run of its rules.
  if (!(await page.evaluate<boolean>(`'axe' in window`))) await page.evaluate(AXE);
  const exclude = JSON.stringify(VIEWERS_BY_OTHERS.map((selector) => [selector]));
  const { violations } = await page.evaluate<AxeResults>(
    `axe.run({ exclude: ${exclude} }, { resultTypes: ['violations'] })`,
  );
  return violations.map(({ id, help, nodes }) => {
    const shown = nodes.slice(0, 5).map(({ target, any }) => `${target.join(' ')} ${any[0]?.message ?? ''}`.trim());
    return `${id}: ${help}: ${shown.join('; ')}${nodes.length > 5 ? ` and ${nodes.length - 5} more` : ''}`;
  });
}
