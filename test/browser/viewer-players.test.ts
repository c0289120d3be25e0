import { afterEach, beforeAll, describe, expect, it } from 'bun:test';
import { type Visit, visit } from '../support/browser.ts';
import { openSite, type Site, useSite } from '../support/site.ts';
import type { EntityJson } from '../support/test-repository.ts';
import { until } from '../support/until.ts';

const CHAPTERS = `WEBVTT

00:00.000 --> 00:01.000
The quay

00:01.000 --> 00:06.000
Open water
`;

/** The maximum shift of the browser's own controls when it knows the duration. */
const OWN_SHIFT = 0.005;

let site: Site;
let visited: Visit | undefined;
useSite();
beforeAll(async () => {
  site = await openSite();
}, 120_000);
afterEach(async () => {
  await visited?.close();
  visited = undefined;
});

async function open(path: string, hasScript = true): Promise<Visit> {
  visited = await visit(site.repository.url + path, { hasScript });
  return visited;
}

/** A node with a video and its chapters. */
async function withChapters(): Promise<number> {
  const { build, repository, files } = site;
  const node = await build.node('video', 'A crossing');
  const video = { media: 'video', mimeType: 'video/mp4', name: 'crossing.mp4', bytes: files.video };
  const media = await build.upload(node, { ...video, use: 'original' });
  const response = await repository.fetch('/file/upload/media/video/field_track?_format=json', {
    method: 'POST',
    body: CHAPTERS,
    headers: { 'Content-Type': 'application/octet-stream', 'Content-Disposition': 'file; filename="chapters.vtt"' },
    as: 'admin',
  });
  const { fid } = (await response.json()) as EntityJson;
  const track = { target_id: fid[0].value, label: 'Chapters', kind: 'chapters', srclang: 'en', default: false };
  await build.change(`/media/${media}`, { bundle: 'video', field_track: [track] });
  return node;
}

describe('the video player', () => {
  it('plays with captions and a poster, and loads no viewer scripts', async () => {
    const { page, complaints, requests, shift } = await open(`/node/${site.ids.video}`);
    const video = page.locator('.viewer video');
    expect(await video.getAttribute('poster')).toEndWith('/ferry.jpg');
    expect(await page.locator('.viewer track').getAttribute('kind')).toBe('captions');
    await until(() => page.evaluate<boolean>(`document.querySelector('track').track.cues?.length > 0`));
    expect(await shift()).toBeLessThan(OWN_SHIFT);
    await page.evaluate(`document.querySelector('video').currentTime = 4`);
    await until(() => page.evaluate<boolean>(`document.querySelector('video').readyState >= 2`));
    expect(await page.evaluate<number>(`document.querySelector('video').currentTime`)).toBe(4);
    // Addresses: to print requests that differ would take all memory.
    const addresses = requests.map((request) => request.url());
    expect(addresses.filter((address) => /\/(?!copy|find|combobox)[\w-]+\.js$/.test(address))).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it('jumps to the start of a chapter', async () => {
    const { page, complaints } = await open(`/node/${await withChapters()}`);
    const chapter = page.getByRole('navigation', { name: 'Chapters' }).getByRole('button', { name: '0:01 Open water' });
    await chapter.waitFor();
    await chapter.focus();
    await page.keyboard.press('Enter');
    await until(() => page.evaluate<boolean>(`document.querySelector('video').currentTime >= 1`));
    expect(complaints).toEqual([]);
  });

  it('has controls without JavaScript', async () => {
    const { page } = await open(`/node/${site.ids.video}`, false);
    expect(await page.locator('.viewer video').getAttribute('controls')).toBe('');
  });
});

describe('the audio player without a picture', () => {
  it('shows its captions as text below the controls, in time with the audio', async () => {
    const { page, complaints, shift } = await open(`/node/${site.ids.audio}`);
    const captions = page.locator('.viewer-captions');
    await until(() => page.evaluate<boolean>(`document.querySelector('track').track.cues?.length > 0`));
    const leadTo = (seconds: number) => page.evaluate(`document.querySelector('audio').currentTime = ${seconds}`);
    await leadTo(1);
    await until(async () => (await captions.textContent()) === "I was born above the chandler's shop.");
    await leadTo(3);
    await until(async () => (await captions.textContent()) === 'You could hear the fog bell from every room.');
    await leadTo(10);
    await until(async () => (await captions.textContent()) === '');
    const [player, words] = await Promise.all(
      ['.viewer audio', '.viewer-captions'].map((selector) => page.locator(selector).boundingBox()),
    );
    expect(words?.y).toBeGreaterThanOrEqual((player?.y ?? 0) + (player?.height ?? 0));
    expect(complaints).toEqual([]);
    expect(await shift()).toBeLessThan(OWN_SHIFT);
  });

  it('leaves no space for a picture', async () => {
    const { page, complaints, shift } = await open(`/node/${site.ids.audio}`);
    const [stage, player] = await Promise.all(
      ['.viewer', '.viewer audio'].map((selector) => page.locator(selector).boundingBox()),
    );
    expect(stage?.height).toBeLessThan(260);
    expect(player?.width).toBeGreaterThan(600);
    expect(complaints).toEqual([]);
    expect(await shift()).toBeLessThan(OWN_SHIFT);
  });
});
