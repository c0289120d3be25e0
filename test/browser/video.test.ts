import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { visit } from '../support/browser.ts';
import { createFixtures, type Fixtures, run } from '../support/fixtures.ts';
import { createLinkedSite, type LinkedSite } from '../support/linked-site.ts';

const ORIGINAL = 'http://pcdm.org/use#OriginalFile';
const THUMBNAIL = 'http://pcdm.org/use#ThumbnailImage';
/** The player, once the browser knows the size of the video. */
const PLAYER = `(async () => {
  const video = document.querySelector('video');
  if (video.readyState === 0) await new Promise((resolve) => { video.onloadedmetadata = resolve; });
  const { width, height } = video.getBoundingClientRect();
  return { width: Math.round(width), height: Math.round(height), controls: video.controls, seconds: Math.round(video.duration) };
})()`;

let site: LinkedSite;
let fixtures: Fixtures;
beforeAll(async () => {
  [site, fixtures] = await Promise.all([createLinkedSite(), createFixtures()]);
});
afterAll(async () => {
  await site.stop();
  await fixtures.remove();
});

/** A node with a video, and a thumbnail much smaller than it. */
async function filmed(size: string): Promise<{ node: number; media: string }> {
  const name = `film-${size}.mp4`;
  const source = ['-f', 'lavfi', '-i', `testsrc=duration=3:size=${size}:rate=5`, '-pix_fmt', 'yuv420p'];
  await run(['ffmpeg', '-v', 'error', '-nostdin', ...source, fixtures.path(name)]);
  const node = await site.node();
  const use = await site.repository.termId(ORIGINAL);
  const headers = { 'Content-Type': 'video/mp4', 'Content-Location': `public://${name}` };
  const path = `/node/${node}/media/video/${use}`;
  const put = await site.repository.put(path, await fixtures.read(name), headers, 'admin');
  expect(put.status).toBe(201);
  await site.picture(node, THUMBNAIL);
  return { node, media: new URL(put.headers.get('location') as string).pathname };
}

describe('the player of a video', () => {
  it.each([
    ['640x360', { width: 640, height: 360 }],
    ['240x426', { width: 240, height: 426 }],
    ['160x120', { width: 160, height: 120 }],
  ])('has the size of the video and controls: %s', async (size, expected) => {
    const { node, media } = await filmed(size);
    for (const path of [`/node/${node}`, media]) {
      const { page, close } = await visit(site.repository.url + path, { width: 1000 });
      expect(await page.evaluate<object>(PLAYER)).toEqual({ ...expected, controls: true, seconds: 3 });
      await close();
    }
  });

  it('is no wider than the page, and keeps the aspect ratio of the video', async () => {
    const { node } = await filmed('1600x400');
    const { page, close } = await visit(`${site.repository.url}/node/${node}`, { width: 1000 });
    const { width, height } = await page.evaluate<{ width: number; height: number }>(PLAYER);
    await close();
    expect(width).toBeLessThan(1000);
    expect(width).toBeGreaterThan(800);
    expect(Math.abs(width / height - 4)).toBeLessThan(0.05);
  });
});
