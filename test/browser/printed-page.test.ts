import { describe, expect, it } from 'bun:test';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { visit } from '../support/browser.ts';
import { emptyFolder } from '../support/empty-folder.ts';
import { run } from '../support/fixtures.ts';
import { openSite, useSite } from '../support/site.ts';

useSite();

describe('the printed page of an item', () => {
  it('shows the title, address and citation, and no navigation', async () => {
    const site = await openSite();
    const address = `${site.repository.url}/node/${site.ids.image}`;
    const { page, close } = await visit(address);
    const folder = await emptyFolder();
    const file = join(folder, 'page.pdf');
    await page.pdf({ path: file, format: 'A4' });
    await close();
    const text = (await run(['pdftotext', '-layout', file, '-'])).replaceAll(/\s+/g, ' ');
    await rm(folder, { recursive: true });
    expect(text).toContain('View over the bay from the customs house');
    expect(text.replaceAll(' ', '')).toContain(address);
    expect(text).toContain('Boyle, M');
    for (const navigation of ['Skip to', 'Next', 'Download', 'Embed', 'For programs'])
      expect(text).not.toContain(navigation);
  });
});
