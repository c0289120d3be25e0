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
  const [{ width, height }, stage] = [video, document.querySelector('.stage')].map((each) => each.getBoundingClientRect());
  return {
    fills: Math.abs(width - stage.width) < 1 && Math.abs(height - stage.height) < 1,
    fit: getComputedStyle(video).objectFit,
    controls: video.controls,
    seconds: Math.round(video.duration),
  };
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

describe('the video player', () => {
  it.each(['640x360', '240x426', '160x120', '1600x400'])(
    'has the size of its frame for a video of %s pixels',
    async (size) => {
      const { node, media } = await filmed(size);
      for (const path of [`/node/${node}`, media]) {
        const { page, shift, close } = await visit(site.repository.url + path, { width: 1000 });
        expect(await page.evaluate<object>(PLAYER)).toEqual({
          fills: true,
          fit: 'contain',
          controls: true,
          seconds: 3,
        });
        expect(await shift()).toBe(0);
        await close();
      }
    },
  );
});
