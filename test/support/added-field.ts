import type { Page } from 'playwright-core';

/** Adds a field to the form on a page, as a cataloguer does with a pointer. */
export async function addField(page: Page, name: string): Promise<void> {
  const offer = page.locator(`.add-field button[value="open ${name}"]`);
  if (!(await offer.isVisible())) await page.locator('.add-field > summary').click();
  await offer.click();
  await page.locator(`.form-field[data-name=${name}]`).waitFor();
}
