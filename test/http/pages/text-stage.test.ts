import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { elementsOf } from '../../support/page.ts';
import { PNG } from '../../support/repository-routes.ts';
import { SiteBuilder } from '../../support/site-builder.ts';
import { createTestRepository, type TestRepository } from '../../support/test-repository.ts';

const MAX_PAGE_BYTES = 30 * 1024;
const SCRIPT = '<script>alert(1)</script>';

let repository: TestRepository;
let build: SiteBuilder;
beforeAll(async () => {
  repository = await createTestRepository();
  build = new SiteBuilder(repository);
});
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await repository.stop();
});

const text = (use: 'text' | 'original', bytes: string) =>
  ({ use, media: 'extracted_text', mimeType: 'text/plain', name: 'diary.txt', bytes }) as const;

async function pageOf(node: number, suffix = ''): Promise<string> {
  const response = await repository.get(`/node/${node}${suffix}`, undefined, { Accept: 'text/html' });
  expect(response.status).toBe(200);
  return response.text();
}

describe('the stage of an item with only text', () => {
  it.each(['text', 'original'] as const)('shows it once, with its download: a file for %s', async (use) => {
    const node = await build.node('document', 'A diary');
    await build.upload(node, text(use, `Monday.\nFog & rain${SCRIPT}`));
    const html = await pageOf(node);
    expect(elementsOf(html, '.viewer-text pre').map((each) => each.text)).toEqual(['Monday.\nFog & rain']);
    expect(html).not.toContain('alert(1)');
    expect(elementsOf(html, '.viewer-text a[download]')[0]?.attributes.href).toEndWith('/diary.txt');
    expect(elementsOf(html, '.extracted-text')).toEqual([]);
    expect(elementsOf(await pageOf(node, '/embed'), '.viewer-text pre')).toHaveLength(1);
  });

  it('shows the beginning of a long text, and a note', async () => {
    const node = await build.node('document', 'A long diary');
    await build.upload(node, text('text', 'Rain over the harbour. '.repeat(5_000)));
    const html = await pageOf(node);
    const [shown] = elementsOf(html, '.viewer-text pre');
    expect(shown?.text.length).toBeGreaterThan(10_000);
    expect(elementsOf(html, '.viewer-text')[0]?.text).toContain('This is the beginning of the text.');
    expect(Buffer.byteLength(html)).toBeLessThan(MAX_PAGE_BYTES);
  });

  it('shows a picture above the text', async () => {
    const node = await build.node('document', 'A letter');
    await build.upload(node, text('text', 'Dear Margaret'));
    await build.upload(node, {
      use: 'thumbnail',
      media: 'image',
      mimeType: 'image/png',
      name: 'letter.png',
      bytes: PNG,
    });
    const html = await pageOf(node);
    expect(elementsOf(html, '.viewer-text')).toEqual([]);
    expect(elementsOf(html, '.viewer img')).toHaveLength(1);
    expect(elementsOf(html, '.extracted-text .lines').map((each) => each.text)).toEqual(['Dear Margaret']);
  });

  it('is missing if the text is empty, or hidden from the caller', async () => {
    const hidden = await build.node('document', 'A closed diary');
    const media = await build.upload(hidden, text('text', 'Secret'));
    await build.change(`/media/${media}`, { bundle: 'extracted_text', status: [false] });
    const html = await pageOf(hidden);
    expect(html).not.toContain('Secret');
    expect(elementsOf(html, '.viewer')).toEqual([]);
    const empty = await build.node('document', 'An empty diary');
    await build.upload(empty, text('text', ' \n\f\n'));
    expect(elementsOf(await pageOf(empty), '.viewer-text, .extracted-text')).toEqual([]);
  });
});
