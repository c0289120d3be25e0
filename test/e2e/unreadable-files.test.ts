import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { writeFile } from 'node:fs/promises';
import { jobsOf } from '../support/derivative-site.ts';
import { pdfWithPassword } from '../support/hand-written-pdf.ts';
import { type ImageSite, startImageSite } from '../support/image-site.ts';
import type { EntityJson } from '../support/test-repository.ts';
import { until } from '../support/until.ts';

let site: ImageSite;
beforeAll(async () => {
  site = await startImageSite({
    rules: 'contexts: { pdf_original_file: { conditions: [{ condition: media_has_type, types: document }] } }\n',
  });
});
afterAll(() => site.stop());

/** Uploads a file, and returns the jobs of its media other than technical metadata once all have been tried. */
async function triedJobs(name: string, type: string, bundle: string, bytes: Uint8Array) {
  const path = await site.make(name, ['true']);
  await writeFile(path, bytes);
  const node: EntityJson = await site.repository.node();
  await site.upload(path, type, { bundle, node, isQuick: true });
  return until(async () => {
    const jobs = (await jobsOf(site.repository, node)).filter(({ action }) => !action.includes('metadata'));
    return jobs.length > 0 && jobs.every(({ attempts, lease }) => attempts > 0 && lease === null) && jobs;
  });
}

describe('a file that can never be read', () => {
  it.each([
    ['with a password', pdfWithPassword(), 'The PDF needs a password.'],
    ['that is damaged', Buffer.from('%PDF-1.4\nnothing'), 'The PDF is damaged.'],
  ])('such as a PDF %s fails its jobs at once, with a sentence for readers', async (_, bytes, message) => {
    const jobs = await triedJobs('file.pdf', 'application/pdf', 'document', bytes);
    expect(jobs.length).toBeGreaterThan(1);
    for (const job of jobs) expect(job).toMatchObject({ state: 'failed', attempts: 1, message });
  });

  it('such as text with the type of an image fails its jobs at once', async () => {
    const jobs = await triedJobs('file.jpg', 'image/jpeg', 'image', Buffer.from('no image at all'));
    const message = 'The image is damaged, or has another type than its own.';
    for (const job of jobs) expect(job).toMatchObject({ state: 'failed', attempts: 1, message });
  });
});

describe('the manifest of an image that no program reads', () => {
  it('names no image service, and shows the service file that an editor added', async () => {
    const node: EntityJson = await site.repository.node();
    const path = await site.make('unread.jpg', ['sh', '-c', 'echo no image > "$0"', 'FILE']);
    await site.upload(path, 'image/jpeg', { node, isQuick: true });
    await until(async () => {
      const jobs = await jobsOf(site.repository, node);
      return jobs.some(({ action, state }) => action.includes('tiles') && state === 'failed');
    });
    const address = `/node/${node.nid[0].value}/manifest`;
    const manifest = async () => JSON.stringify(await (await site.repository.get(address)).json());
    expect(await manifest()).not.toContain('ImageService3');
    const copy = await site.make('copy.png', ['convert', '-size', '60x40', 'xc:red', 'FILE']);
    await site.repository.build.upload(node.nid[0].value, {
      uri: 'public://copy.png',
      bytes: await Bun.file(copy).bytes(),
      use: 'service',
    });
    expect(await manifest()).toContain('copy.png');
  });
});

describe('the manifest of a TIFF', () => {
  it('names its image service, which answers', async () => {
    const node: EntityJson = await site.repository.node();
    const path = await site.make('scan.tif', ['convert', '-size', '60x40', 'xc:red', 'FILE']);
    await site.upload(path, 'image/tif', { bundle: 'file', node });
    const manifest = await (await site.repository.get(`/node/${node.nid[0].value}/manifest`)).json();
    const { body } = manifest.items[0].items[0].items[0];
    expect(body).toMatchObject({ format: 'image/jpeg', width: 60, height: 40 });
    const service = new URL(body.service[0].id).pathname;
    expect((await site.repository.get(`${service}/full/max/0/default.jpg`)).status).toBe(200);
  });
});

describe('a file with another name of its type', () => {
  it('is stored as sent and has the derivatives and the image service of its usual type', async () => {
    const node: EntityJson = await site.repository.node();
    const path = await site.make('named.jpg', ['convert', '-size', '60x40', 'xc:red', 'FILE']);
    const media = await site.upload(path, 'image/pjpeg', { node });
    expect(media.field_mime_type).toEqual([{ value: 'image/pjpeg' }]);
    expect((await jobsOf(site.repository, node)).filter(({ action }) => action.includes('tiles'))).toMatchObject([
      { state: 'done' },
    ]);
    expect(await (await site.ask(media, 'info.json')).json()).toMatchObject({ width: 60, height: 40 });
  });
});
