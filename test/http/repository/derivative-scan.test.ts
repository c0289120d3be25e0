import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'bun:test';
import { addMissingJobs } from '../../../src/jobs/add-jobs.ts';
import { createMedia, fileOf, pngHead, putToNode } from '../../support/binaries.ts';
import { changeJobs, jobsOf } from '../../support/derivative-site.ts';
import { USE } from '../../support/site-builder.ts';
import { createTestRepository, type EntityJson, type TestRepository } from '../../support/test-repository.ts';

const PATH = '/admin/reports/derivatives/scan?_format=json';
const FITS = 'https://projects.iq.harvard.edu/fits';
const ACTIONS = [
  'generate_a_technical_metadata_derivative',
  'image_generate_a_service_file_from_an_original_file',
  'image_generate_a_thumbnail_from_an_original_file',
];
const [, SERVICE_ACTION = ''] = ACTIONS;
const NONE = { queued: 0, queued_before: 0, failed_before: 0, finished: true };

let repository: TestRepository;
let node: EntityJson;
let original: EntityJson;
beforeAll(async () => {
  repository = await createTestRepository();
  await repository.user('ed', 'content_editor');
});
beforeEach(async () => {
  node = await repository.node();
  original = await addOriginal(node);
});
afterEach(async () => {
  await changeJobs(repository, 'DELETE FROM derivative_job');
  expect(repository.failures()).toEqual([]);
});
afterAll(() => repository.stop());

let number = 0;
function addOriginal(to: EntityJson): Promise<EntityJson> {
  number += 1;
  const uri = `public://scan/${number}.png`;
  return createMedia(repository, { node: to, uri, body: pngHead(30, 40, `${number}`) });
}

async function scan(options: object = {}): Promise<EntityJson> {
  const response = await repository.post(PATH, options, 'admin');
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
  return (await response.json()) as EntityJson;
}
const scanNode = (of = node, options: object = {}) => scan({ node: of.nid[0].value, ...options });
const forgetJobs = () => changeJobs(repository, 'DELETE FROM derivative_job');
const actionsOf = async (of = node) => (await jobsOf(repository, of)).map(({ action }) => action).sort();

/** Puts what the actions would make. */
async function makeDerivatives(of = node): Promise<EntityJson[]> {
  number += 1;
  const made: EntityJson[] = [];
  for (const [use, name] of [
    [USE.service, 'service'],
    [USE.thumbnail, 'thumbnail'],
  ] as const) {
    const uri = `public://scan/${number}-${name}.png`;
    made.push(await createMedia(repository, { node: of, use, uri, body: pngHead(3, 4, name) }));
  }
  const metadata = { type: 'fits_technical_metadata', use: FITS, contentType: 'application/xml' };
  made.push(
    await createMedia(repository, { node: of, uri: `public://scan/${number}.xml`, body: '<fits/>', ...metadata }),
  );
  return made;
}

/** Makes the file of a media newer, as if its bytes had changed without an event. */
async function renew(media: EntityJson): Promise<void> {
  const file = await fileOf(repository, media);
  await changeJobs(repository, 'UPDATE file SET changed = changed + 10 WHERE id = ?', [file.fid[0].value]);
}

describe('a scan for derivatives', () => {
  it('queues missing derivatives like an upload', async () => {
    const [, before] = await repository.running.services.database.read([
      { sql: 'SELECT 1', args: [] },
      { sql: 'SELECT event FROM derivative_job WHERE node_id = ? ORDER BY action', args: [node.nid[0].value] },
    ]);
    await forgetJobs();
    expect(await scanNode()).toEqual({ scanned: 1, total: 1, ...NONE, queued: 3 });
    const after = await repository.running.services.database.client.execute({
      sql: `SELECT event, media_id, source_type, state, attempts, version, user_id, chain, pool FROM derivative_job
        WHERE node_id = ? ORDER BY action`,
      args: [node.nid[0].value],
    });
    const contents = (rows: readonly ArrayLike<unknown>[] = []) =>
      rows.map((row) => ({ ...JSON.parse(String(row[0])), id: undefined, object: undefined }).attachment);
    expect(contents(after.rows)).toEqual(contents(before?.rows));
    expect(contents(after.rows)).toHaveLength(3);
    for (const row of after.rows)
      expect(Array.from(row).slice(1)).toEqual([
        ...[original.mid[0].value, 'image/png', 'queued', 0, 1, 1, '[]', 'default (scan)'],
      ]);
  });

  it('queues jobs of the caller', async () => {
    const id = await repository.user(`boss${number}`, 'administrator');
    await forgetJobs();
    const response = await repository.post(PATH, { node: node.nid[0].value }, `boss${number}`);
    expect(response.status).toBe(200);
    expect((await jobsOf(repository, node)).map(({ user_id }) => user_id)).toEqual([id, id, id]);
  });

  it('queues nothing when all derivatives exist', async () => {
    await makeDerivatives();
    await forgetJobs();
    expect(await scanNode()).toEqual({ scanned: 4, total: 4, ...NONE });
    expect(await jobsOf(repository, node)).toEqual([]);
  });

  it('queues derivatives older than their source', async () => {
    await makeDerivatives();
    await forgetJobs();
    await renew(original);
    expect(await scanNode()).toMatchObject({ queued: 3 });
    expect(await actionsOf()).toEqual(ACTIONS);
  });

  it('skips derivatives newer than their source', async () => {
    const [service] = await makeDerivatives();
    await forgetJobs();
    await renew(service as EntityJson);
    expect(await scanNode()).toMatchObject({ queued: 0 });
  });

  it('queues derivatives without a file', async () => {
    const [service] = await makeDerivatives();
    await forgetJobs();
    const file = await fileOf(repository, service as EntityJson);
    expect((await repository.delete(`/entity/file/${file.fid[0].value}?_format=json`, 'admin')).status).toBe(204);
    expect(await scanNode()).toMatchObject({ queued: 1 });
    expect(await actionsOf()).toEqual([SERVICE_ACTION]);
  });

  it('queues derivatives that exist only as another media type', async () => {
    await makeDerivatives();
    const file = { type: 'file', use: USE.service, contentType: 'application/zip' };
    const other = await repository.node();
    await addOriginal(other);
    await createMedia(repository, { node: other, uri: `public://scan/${number}.zip`, body: 'zip', ...file });
    await forgetJobs();
    await scanNode(other);
    expect(await actionsOf(other)).toEqual(ACTIONS);
  });

  it('skips and counts queued, running and waiting jobs', async () => {
    const set = (action: string | undefined, assignments: string) =>
      changeJobs(repository, `UPDATE derivative_job SET ${assignments} WHERE action = ?`, [action ?? '']);
    await set(ACTIONS[0], "lease = 'somebody/1', attempts = 2");
    await set(ACTIONS[1], "state = 'waiting', waits_for = '[\"convert\"]'");
    const before = await jobsOf(repository, node);
    expect(await scanNode()).toEqual({ scanned: 1, total: 1, ...NONE, queued_before: 3 });
    expect(await jobsOf(repository, node)).toEqual(before);
  });

  it('skips and counts failed jobs', async () => {
    await changeJobs(repository, "UPDATE derivative_job SET state = 'failed', attempts = 5, message = 'no'");
    const before = await jobsOf(repository, node);
    expect(await scanNode()).toEqual({ scanned: 1, total: 1, ...NONE, failed_before: 3 });
    expect(await jobsOf(repository, node)).toEqual(before);
  });

  it('queues finished and cancelled jobs again', async () => {
    await changeJobs(repository, "UPDATE derivative_job SET state = 'cancelled', ended_at = 1, event = NULL");
    expect(await scanNode()).toMatchObject({ queued: 3 });
    expect(await actionsOf()).toHaveLength(6);
  });

  it('considers only the first original of a node', async () => {
    await repository.delete(`/media/${original.mid[0].value}?_format=json`, 'admin');
    const first = await createMedia(repository, {
      ...{ node, type: 'file', contentType: 'application/zip', uri: `public://scan/first-${number}.zip`, body: 'zip' },
    });
    await addOriginal(node);
    await forgetJobs();
    expect(await scanNode()).toMatchObject({ scanned: 2, queued: 1 });
    const jobs = await jobsOf(repository, node);
    expect(jobs.map(({ action, media_id }) => [action, media_id])).toEqual([[ACTIONS[0] ?? '', first.mid[0].value]]);
  });

  it('skips media without a file or without a node', async () => {
    await forgetJobs();
    const before = await scan({ dry_run: true });
    const video = { bundle: 'remote_video', field_media_oembed_video: ['https://example.org/v'] };
    expect((await repository.post('/media?_format=json', video, 'admin')).status).toBe(201);
    const { scanned, total, queued } = await scan({ dry_run: true });
    expect({ scanned, total, queued }).toEqual({
      scanned: before.scanned + 1,
      total: before.total + 1,
      queued: before.queued,
    });
    await repository.delete(`/node/${node.nid[0].value}?_format=json`, 'admin');
    expect(await scan({ dry_run: true })).toMatchObject({ scanned, queued: queued - 3 });
  });

  it('scans all nodes, one node, or one action', async () => {
    const other = await repository.node();
    await addOriginal(other);
    await forgetJobs();
    expect(await scanNode(other, { action: SERVICE_ACTION })).toMatchObject({ scanned: 1, queued: 1 });
    expect(await scanNode(other)).toMatchObject({ queued: 2, queued_before: 1 });
    expect(await jobsOf(repository, node)).toEqual([]);
    await scan({ action: ACTIONS[0] });
    expect(await actionsOf()).toEqual(ACTIONS.slice(0, 1));
    await scan();
    expect(await actionsOf()).toEqual(ACTIONS);
  });

  it('only counts in a dry run', async () => {
    await forgetJobs();
    expect(await scanNode(node, { dry_run: true })).toMatchObject({ queued: 3, finished: true });
    const all = await scan({ dry_run: true });
    expect(all.queued).toBeGreaterThanOrEqual(3);
    expect(await scan({ dry_run: true })).toEqual(all);
    expect(await jobsOf(repository)).toEqual([]);
  });

  it('skips media that changed during the scan', async () => {
    const { services } = repository.running;
    await forgetJobs();
    const id = original.mid[0].value as number;
    const version = Number((await services.database.client.first('SELECT version FROM media WHERE id = ?', [id]))?.[0]);
    const nodeId = node.nid[0].value as number;
    const job = {
      ...{ eventId: 'e', action: 'a', pool: 'default', nodeId, userId: 1, sourceType: 'image/png', event: '{}' },
      ...{ chain: [], sourceTermId: 1, delaySeconds: 0 },
    };
    await services.database.write(addMissingJobs([{ job, mediaId: id, mediaVersion: version - 1 }]));
    expect(await jobsOf(repository, node)).toEqual([]);
    await services.database.write(addMissingJobs([{ job, mediaId: id, mediaVersion: version }]));
    expect(await jobsOf(repository, node)).toHaveLength(1);
  });
});

describe('a scan of a book', () => {
  const PDF_ACTION = 'paged_content_created_aggregated_pdf';
  let books = 0;
  let book: EntityJson;
  let pages: { node: EntityJson; media: EntityJson }[];
  beforeEach(async () => {
    const model = async (uri: string) => [{ target_id: await repository.termId(uri) }];
    book = await repository.node({ field_model: await model('https://schema.org/Book') });
    books += 1;
    pages = [];
    for (let count = 0; count < 3; count++) {
      const page = await repository.node({
        field_model: await model('http://id.loc.gov/ontologies/bibframe/part'),
        field_member_of: [{ target_id: book.nid[0].value }],
      });
      pages.push({ node: page, media: await addOriginal(page) });
    }
    await forgetJobs();
  });
  const putPdf = () => {
    const pdf = { type: 'document', contentType: 'application/pdf', body: '%PDF-1.4' };
    return putToNode(repository, { node: book, uri: `private://scan/book-${number}.pdf`, ...pdf });
  };

  it('queues the PDF once for each book', async () => {
    const options = { action: PDF_ACTION };
    expect(await scan({ ...options, dry_run: true })).toMatchObject({ queued: books });
    expect(await scan(options)).toMatchObject({ queued: books, queued_before: 0 });
    expect(await jobsOf(repository, book)).toMatchObject([{ action: PDF_ACTION, media_id: null }]);
    expect(await scan(options)).toMatchObject({ queued: 0, queued_before: books });
    expect(await scanNode(book)).toMatchObject({ scanned: 3, total: 3, queued: 0, queued_before: 1 });
    for (const { node: page } of pages) expect(await jobsOf(repository, page)).toEqual([]);
  });

  it('queues the PDF for the book, but not for one of its pages', async () => {
    await scanNode(pages[0]?.node);
    expect(await jobsOf(repository, book)).toEqual([]);
    expect(await scanNode(book)).toMatchObject({ queued: 1 });
  });

  it('queues a PDF that is older than the newest page', async () => {
    expect((await putPdf()).status).toBe(201);
    await forgetJobs();
    expect(await scanNode(book, { action: PDF_ACTION })).toMatchObject({ scanned: 4, queued: 0 });
    await renew(pages[1]?.media as EntityJson);
    expect(await scanNode(book, { action: PDF_ACTION })).toMatchObject({ scanned: 4, queued: 1 });
    expect(await actionsOf(book)).toEqual([PDF_ACTION]);
  });
});

describe('a scan request', () => {
  it.each([
    [undefined, 401],
    ['ed', 403],
  ])('by %p returns %i', async (as, status) => {
    await forgetJobs();
    expect((await repository.post(PATH, {}, as)).status).toBe(status);
    expect(await jobsOf(repository)).toEqual([]);
  });

  it.each([
    ['{', 400, 'The body is not valid JSON.'],
    ['', 400, 'The body is empty. It must be a JSON object.'],
    ['[]', 400, 'The body must be a JSON object'],
    [{ dryrun: true }, 422, 'Field "dryrun" is unknown. Did you mean "dry_run"?'],
    [{ __proto__: null, constructor: 1 }, 422, 'Field "constructor" is unknown.'],
    [{ dry_run: 'yes' }, 422, 'dry_run: This must be true or false.'],
    [{ restart: 1 }, 422, 'restart: This must be true or false.'],
    [{ action: 3 }, 422, 'action: This must be the name of an action.'],
    [{ action: '' }, 422, 'action: This must be the name of an action.'],
    [{ node: 0 }, 422, 'node: This must be the id of a node.'],
    [{ node: '1' }, 422, 'node: This must be the id of a node.'],
    [{ node: null }, 422, 'node: This must be the id of a node.'],
    [{ node: 99_999_999 }, 422, 'There is no node 99999999.'],
    [{ action: 'get_ocr_from_images' }, 422, 'did you mean get_ocr_from_image?'],
    [{ action: 'nothing of the kind' }, 422, 'Unknown action nothing of the kind; the actions are image_'],
  ])('with the body %j returns %i', async (body, status, message) => {
    const response = await repository.post(PATH, body, 'admin');
    expect({ status: response.status, body: await response.text() }).toEqual({
      status,
      body: expect.stringContaining(JSON.stringify(message).slice(1, -1)),
    });
  });
});
