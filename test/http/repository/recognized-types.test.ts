import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { pngHead } from '../../support/binaries.ts';
import { type DerivativeSite, jobsOf, settled, startDerivativeSite } from '../../support/derivative-site.ts';
import { USE } from '../../support/site-builder.ts';
import { describedSource } from '../../support/stub-processor.ts';
import type { EntityJson, TestRepository } from '../../support/test-repository.ts';

const BYTES = 'application/octet-stream';

let site: DerivativeSite;
let repository: TestRepository;
beforeAll(async () => {
  site = await startDerivativeSite();
  ({ repository } = site);
  site.stub.answer = describedSource;
});
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await site.stop();
});

let files = 0;
async function put(
  node: EntityJson,
  body: Uint8Array<ArrayBuffer> | string,
  type = BYTES,
  name = `scan-${files++}.png`,
) {
  const path = `/node/${node.nid[0].value}/media/image/${await repository.termId(USE.original)}`;
  const response = await repository.fetch(path, {
    ...{ method: 'PUT', as: 'admin', body },
    headers: { 'Content-Type': type, 'Content-Location': `public://${name}` },
  });
  expect([201, 204]).toContain(response.status);
}
const read = async (path: string) => (await (await repository.get(path, 'admin')).json()) as EntityJson;
async function actionsFor(node: EntityJson): Promise<string[]> {
  await settled(repository, node);
  return (await jobsOf(repository, node)).map(({ action }) => action).sort();
}
const imageNode = async () => repository.node();

describe('a file that was stored as application/octet-stream', () => {
  it('keeps that type, and has the derivatives of the type of its bytes', async () => {
    const [node, named] = [await imageNode(), await imageNode()];
    await put(node, pngHead(30, 20));
    await put(named, pngHead(30, 20), 'image/png');
    const media = (await read(`/node/${node.nid[0].value}/media?_format=json`))[0];
    expect(media.field_mime_type).toEqual([{ value: BYTES }]);
    const file = await read(`/entity/file/${media.field_media_image[0].target_id}?_format=json`);
    expect(file.filemime).toEqual([{ value: BYTES }]);
    const actions = await actionsFor(node);
    expect(actions).toEqual(await actionsFor(named));
    expect(actions).toContain('image_generate_a_thumbnail_from_an_original_file');
  });

  it('is served and shown as that type', async () => {
    const node = await imageNode();
    await put(node, pngHead(30, 20), BYTES, 'shown.png');
    const response = await repository.get('/sites/default/files/shown.png');
    expect(response.headers.get('Content-Type')).toBe('image/png');
    const { items } = await read(`/node/${node.nid[0].value}/manifest`);
    expect(items).toMatchObject([{ width: 30, height: 20 }]);
    const page = await (await repository.get(`/node/${node.nid[0].value}`, undefined, { Accept: 'text/html' })).text();
    expect(page).toContain('<img');
    expect(page).toContain('/sites/default/files/shown.png');
  });

  it('has the type of its new bytes after it was replaced', async () => {
    const node = await imageNode();
    await put(node, 'Some words.', BYTES, 'changed.png');
    expect(await actionsFor(node)).not.toContain('image_generate_a_thumbnail_from_an_original_file');
    expect((await repository.get('/sites/default/files/changed.png')).headers.get('Content-Type')).toBe(BYTES);
    await put(node, pngHead(3, 2));
    expect(await actionsFor(node)).toContain('image_generate_a_thumbnail_from_an_original_file');
    expect((await repository.get('/sites/default/files/changed.png')).headers.get('Content-Type')).toBe('image/png');
  });

  it('is a page of the archive from which a book is made', async () => {
    const book = await repository.build.item({ field_model: [await repository.termId('https://schema.org/Book')] });
    const page = await repository.build.item({
      field_member_of: [book.nid[0].value],
      field_model: [await repository.termId('http://id.loc.gov/ontologies/bibframe/part')],
    });
    await put(page, pngHead(3, 2));
    const jobs = await jobsOf(repository, book);
    expect(jobs.map(({ action }) => action)).toEqual(['paged_content_created_aggregated_pdf']);
  });
});

describe('a file with a type', () => {
  it('is treated by it, whatever its bytes are', async () => {
    const node = await imageNode();
    await put(node, pngHead(3, 2), 'image/jpeg', 'named.png');
    expect((await repository.get('/sites/default/files/named.png')).headers.get('Content-Type')).toBe('image/jpeg');
  });
});
