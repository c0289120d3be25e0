import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { accessibilityViolations } from '../support/accessibility.ts';
import { type Visit, visit } from '../support/browser.ts';
import { emptyFolder } from '../support/empty-folder.ts';
import { run } from '../support/fixtures.ts';
import { SiteBuilder, type Upload } from '../support/site-builder.ts';
import { createTestRepository, type TestRepository } from '../support/test-repository.ts';

const FFMPEG = ['ffmpeg', '-y', '-hide_banner', '-loglevel', 'error', '-nostdin', '-f', 'lavfi'];
/** The pictures that were loaded and have no pixels. */
const BROKEN = `[...document.images].filter((image) => image.complete && image.naturalWidth === 0).map(({ src }) => src)`;

let repository: TestRepository;
let build: SiteBuilder;
let folder: string;
beforeAll(async () => {
  [repository, folder] = await Promise.all([createTestRepository(), emptyFolder()]);
  build = new SiteBuilder(repository);
});
afterAll(async () => {
  await repository.stop();
  await rm(folder, { recursive: true });
});

/** Makes a file with a tool. */
async function made(name: string, command: readonly string[]): Promise<Uint8Array<ArrayBuffer>> {
  await run([...command, join(folder, name)]);
  return new Uint8Array(await Bun.file(join(folder, name)).arrayBuffer());
}

const jpeg = (name: string, bytes: Uint8Array<ArrayBuffer>): Upload => ({
  ...{ use: 'original', media: 'image', mimeType: 'image/jpeg', name, bytes },
});

/** Opens a node on a narrow phone, and expects what every page must have. */
async function openPhone(node: number): Promise<Visit> {
  const seen = await visit(`${repository.url}/node/${node}`, { width: 320, height: 600 });
  expect({ status: seen.status, complaints: seen.complaints }).toEqual({ status: 200, complaints: [] });
  expect(await seen.page.evaluate<string[]>(BROKEN)).toEqual([]);
  expect(await seen.page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(320);
  expect(await seen.shifts()).toEqual([]);
  return seen;
}

describe('the page of an item with an unusual title', () => {
  it.each([
    ['255 characters without a space', 'W'.repeat(255)],
    ['255 characters of words', 'Correspondence'.padEnd(255, ' of the port')],
    ['emoji', '👩🏽‍🚀🏴‍☠️ Pirates in space 🚀'.repeat(4)],
    ['stacked diacritics', `Z${'\u0335\u0321\u0300'.repeat(40)}algo`],
  ])('fits on a phone and has no accessibility violations: %s', async (_, title) => {
    const seen = await openPhone(await build.node('image', title));
    expect(await seen.page.locator('h1').textContent()).toBe(title);
    expect(await accessibilityViolations(seen.page)).toEqual([]);
    await seen.close();
  });

  it('shows an Arabic title from right to left, and English labels from left to right', async () => {
    const seen = await openPhone(await build.node('image', 'منظر الميناء من مبنى الجمارك 1929'));
    expect(await seen.page.evaluate<string>(`getComputedStyle(document.querySelector('h1')).direction`)).toBe('rtl');
    expect(await seen.page.evaluate<string>('getComputedStyle(document.body).direction')).toBe('ltr');
    await seen.close();
  });
});

describe('the page of an unusual image', () => {
  it.each([
    ['of one pixel', ['-size', '1x1', 'xc:red']],
    ['in CMYK', ['-size', '300x200', 'gradient:red-blue', '-colorspace', 'CMYK']],
    ['of one line', ['-size', '1200x1', 'gradient:red-blue']],
    ['of one column', ['-size', '1x3000', 'gradient:red-blue']],
  ])('shows a JPEG %s', async (kind, options) => {
    const node = await build.node('image', `A picture ${kind}`);
    await build.upload(node, jpeg('hard.jpg', await made('hard.jpg', ['convert', ...options])));
    const seen = await openPhone(node);
    expect(await seen.page.locator('main img, main canvas').count()).toBeGreaterThan(0);
    await seen.close();
  });

  it('shows a JPEG of 20,000 by 15,000 pixels', async () => {
    const node = await build.node('image', 'A map of the whole coast');
    await build.upload(node, jpeg('map.jpg', await largeJpeg()));
    const small = await made('small.jpg', ['convert', '-size', '400x300', 'xc:black']);
    await build.upload(node, { ...jpeg('map-small.jpg', small), use: 'thumbnail' });
    await (await openPhone(node)).close();
  });

  it('links to a 16-bit grayscale TIFF and does not display it', async () => {
    const node = await build.node('image', 'A radiograph');
    const tiff = ['convert', '-size', '400x300', 'gradient:', '-depth', '16', '-colorspace', 'Gray'];
    const bytes = await made('radiograph.tif', tiff);
    await build.upload(node, { use: 'original', media: 'file', mimeType: 'image/tiff', name: 'radiograph.tif', bytes });
    const service = await made('radiograph.jpg', ['convert', '-size', '400x300', 'gradient:']);
    await build.upload(node, { ...jpeg('radiograph.jpg', service), use: 'service' });
    const seen = await openPhone(node);
    expect(await seen.page.locator('a[href*="radiograph.tif"]').count()).toBeGreaterThan(0);
    expect(await seen.page.locator('main img[src*=".tif"]').count()).toBe(0);
    await seen.close();
  });
});

describe('the page of a recording', () => {
  it('plays audio without a picture', async () => {
    const node = await build.node('audio', 'A fog bell');
    const bytes = await made('bell.mp3', [...FFMPEG, '-i', 'sine=duration=3', '-c:a', 'libmp3lame']);
    await build.upload(node, { use: 'original', media: 'audio', mimeType: 'audio/mpeg', name: 'bell.mp3', bytes });
    const seen = await openPhone(node);
    expect(await durationOf(seen, 'audio')).toBe(3);
    await seen.close();
  });

  it('plays a video without a thumbnail', async () => {
    const node = await build.node('video', 'A wave');
    const source = [...FFMPEG, '-i', 'testsrc=duration=2:size=320x240:rate=10', '-pix_fmt', 'yuv420p'];
    const bytes = await made('wave.mp4', [...source, '-c:v', 'libx264', '-preset', 'ultrafast']);
    await build.upload(node, { use: 'original', media: 'video', mimeType: 'video/mp4', name: 'wave.mp4', bytes });
    const seen = await openPhone(node);
    expect(await durationOf(seen, 'video')).toBe(2);
    await seen.close();
  });
});

/** Starts a player, and returns its duration in whole seconds once it is known. */
function durationOf({ page }: Visit, player: 'audio' | 'video'): Promise<number> {
  return page.evaluate<number>(`(async () => {
    const player = document.querySelector('${player}');
    if (player.readyState === 0) await new Promise((resolve) => { player.onloadedmetadata = resolve; player.load(); });
    return Math.round(player.duration);
  })()`);
}

/** A black JPEG of 300 megapixels. */
async function largeJpeg(): Promise<Uint8Array<ArrayBuffer>> {
  const file = join(folder, 'map.jpg');
  await run(['vips', 'black', `${file}[Q=60]`, '20000', '15000']);
  return new Uint8Array(await Bun.file(file).arrayBuffer());
}
