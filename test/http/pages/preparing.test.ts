import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { type DerivativeSite, jobsOf, settled, startDerivativeSite } from '../../support/derivative-site.ts';
import { elementsOf } from '../../support/page.ts';
import { SiteBuilder } from '../../support/site-builder.ts';
import { describedSource } from '../../support/stub-processor.ts';
import { until } from '../../support/until.ts';

const THUMBNAIL_ACTION = 'image_generate_a_thumbnail_from_an_original_file';
const REASON = 'The picture is damaged.';
const ODT = 'application/vnd.oasis.opendocument.text';
const PDF_ACTION = 'office_document_generate_a_service_file_from_an_original_file';
const FITS_ACTION = 'generate_a_technical_metadata_derivative';

let site: DerivativeSite;
let build: SiteBuilder;
beforeAll(async () => {
  site = await startDerivativeSite();
  build = new SiteBuilder(site.repository);
});
afterAll(() => site.stop());

/** Lets no derivative be made until the returned function is called. */
function holdDerivatives(): () => void {
  const gate = Promise.withResolvers<void>();
  site.stub.answer = async (call) => {
    await gate.promise;
    return describedSource(call);
  };
  return gate.resolve;
}

async function textsOf(path: number | string, selector: string, as?: string): Promise<string[]> {
  const address = typeof path === 'number' ? `/node/${path}` : path;
  const html = await (await site.repository.get(address, as, { Accept: 'text/html' })).text();
  return elementsOf(html, selector).map(({ text }) => text.replaceAll(/\s+/g, ' ').trim());
}

/** Cancels the jobs of a node except those of one action. */
async function cancelOthers(node: number, action: string): Promise<void> {
  await site.repository.running.services.database.write([
    `UPDATE derivative_job SET state = 'cancelled', ended_at = 1, event = NULL, lease = NULL
      WHERE node_id = ${node} AND action <> '${action}' AND ended_at IS NULL`,
  ]);
}

async function openActions(node: number): Promise<string[]> {
  const jobs = await jobsOf(site.repository);
  return jobs.filter((job) => job.node_id === node && job.state === 'queued').map(({ action }) => action);
}

describe('an item with queued derivatives', () => {
  it('has a waiting card only while its thumbnail is being made', async () => {
    const letGo = holdDerivatives();
    const shelf = await build.node('collection', 'Just loaded');
    const item = await build.node('image', 'A negative', { field_member_of: [shelf] });
    const original = { use: 'original', media: 'file', mimeType: 'image/tiff', name: 'negative.tif' } as const;
    await build.upload(item, { ...original, bytes: 'II*' });
    expect(await openActions(item)).toContain(THUMBNAIL_ACTION);
    expect(await textsOf(shelf, '.card-picture')).toEqual(['Picture is being prepared']);
    await cancelOthers(item, FITS_ACTION);
    expect(await openActions(item)).toEqual([FITS_ACTION]);
    expect(await textsOf(shelf, '.card-picture')).toEqual(['']);
    letGo();
    await settled(site.repository);
  });

  it('shows that a version is being prepared while it is', async () => {
    const letGo = holdDerivatives();
    const item = await build.node('document', 'Minutes');
    const original = { use: 'original', media: 'file', mimeType: ODT, name: 'minutes.odt' } as const;
    await build.upload(item, { ...original, bytes: 'PK' });
    const note = async () => (await textsOf(item, '.viewer-other .viewer-note'))[0];
    expect(await openActions(item)).toContain(PDF_ACTION);
    expect(await note()).toBe('A version for this page is being prepared.');
    await cancelOthers(item, FITS_ACTION);
    expect(await openActions(item)).toEqual([FITS_ACTION]);
    expect(await note()).toBe('This type of file has no viewer.');
    letGo();
    await settled(site.repository);
    expect(await note()).toBe('This type of file has no viewer.');
  });
});

describe('an item whose thumbnail failed', () => {
  it('says the reason to its editors, on its card and its pages, and not to readers', async () => {
    site.stub.answer = (call) =>
      call.accept.startsWith('image/')
        ? { status: 422, type: 'text/plain', body: REASON, headers: { 'X-Repo-Permanent': 'true' } }
        : describedSource(call);
    const shelf = await build.node('collection', 'Damaged');
    const item = await build.node('image', 'A broken plate', { field_member_of: [shelf] });
    await build.upload(item, {
      use: 'original',
      media: 'file',
      mimeType: 'image/tiff',
      name: 'plate.tif',
      bytes: 'II*',
    });
    await until(async () =>
      (await jobsOf(site.repository)).some(
        (job) => job.node_id === item && job.action === THUMBNAIL_ACTION && job.state === 'failed',
      ),
    );
    expect(await textsOf(shelf, '.card-failure', 'admin')).toEqual([`The picture could not be made. ${REASON}`]);
    expect(await textsOf(shelf, '.card-failure')).toEqual([]);
    const failed = '.derivative-list:not([hidden]) .failed';
    for (const path of [`/node/${item}`, `/node/${item}/files`])
      expect((await textsOf(path, failed, 'admin')).some((text) => text.endsWith(`: failed. ${REASON}`))).toBe(true);
    expect(await textsOf(item, '.derivative-list')).toEqual([]);
  });
});
