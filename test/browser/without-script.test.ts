import { describe, expect, it } from 'bun:test';
import { visit } from '../support/browser.ts';
import { openSite, type SiteContent, useSite } from '../support/site.ts';

useSite();

/** What is shown and can be followed on a page. */
const CONTENT = `({
  images: [...document.querySelectorAll('main img')].filter(({ naturalWidth }) => naturalWidth > 1).length,
  players: document.querySelectorAll('audio[controls], video[controls]').length,
  files: [...document.querySelectorAll('main a[href]')].filter(({ pathname }) => pathname.includes('/files/')).length,
  pages: [...document.querySelectorAll('main a[href]')].filter(({ pathname }) => /^\\/node\\/\\d+$/.test(pathname)).length,
})`;

interface Content {
  readonly images: number;
  readonly players: number;
  readonly files: number;
  readonly pages: number;
}

async function contentOf(content: SiteContent): Promise<Content> {
  const site = await openSite();
  const address = `${site.repository.url}/node/${site.ids[content]}`;
  const { page, complaints, close } = await visit(address, { hasScript: false, height: 4_000 });
  expect(complaints).toEqual([]);
  const seen = await page.evaluate<Content>(CONTENT);
  await close();
  return seen;
}

describe('without JavaScript', () => {
  it('an image is shown and can be downloaded', async () => {
    const { images, files } = await contentOf('image');
    expect(images).toBeGreaterThan(0);
    expect(files).toBeGreaterThan(0);
  });

  it('a book lists its pages', async () => {
    const { pages } = await contentOf('book');
    expect(pages).toBeGreaterThanOrEqual(6);
  });

  it('audio and video have a player', async () => {
    expect((await contentOf('audio')).players).toBe(1);
    expect((await contentOf('video')).players).toBe(1);
  });

  it('a PDF can be downloaded', async () => {
    expect((await contentOf('pdf')).files).toBeGreaterThan(0);
  });

  it('a collection shows the pictures of its members', async () => {
    expect((await contentOf('photographs')).images).toBeGreaterThan(10);
  });
});
