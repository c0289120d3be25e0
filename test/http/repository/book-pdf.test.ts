import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'bun:test';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type DerivativeSite,
  jobsOf,
  mediaByUse,
  settled,
  startDerivativeSite,
} from '../../support/derivative-site.ts';
import { emptyFolder } from '../../support/empty-folder.ts';
import { readTar, type TarFile } from '../../support/read-tar.ts';
import { describedSource, type StubCall } from '../../support/stub-processor.ts';
import type { EntityJson, TestRepository } from '../../support/test-repository.ts';
import { until } from '../../support/until.ts';

const PDF = 'paged_content_created_aggregated_pdf';
const SERVICE = 'image_generate_a_service_file_from_an_original_file';
const ORIGINAL = 'http://pcdm.org/use#OriginalFile';
const SETTLE_S = 0.3;
const RULES = `
actions:
  ${PDF}:
    of_members: { parent_has_term: ["https://schema.org/Book"], settle: ${SETTLE_S} }
`;

let folder: string;
let site: DerivativeSite;
let repository: TestRepository;
/** The calls for a PDF, with their pages. */
let books: { call: StubCall; pages: TarFile[] }[];
beforeAll(async () => {
  folder = await emptyFolder();
  await writeFile(join(folder, 'rules.yaml'), RULES);
});
beforeEach(async () => {
  books = [];
  site = await startDerivativeSite({ rulesFile: join(folder, 'rules.yaml'), answer });
  ({ repository } = site);
});
afterEach(async () => {
  expect(site.stub.problems).toEqual([]);
  await site.stop();
});

async function answer(call: StubCall) {
  if (call.found.type !== 'application/x-tar') return describedSource(call);
  const pages = await readTar(call.found.bytes);
  books.push({ call, pages });
  return { body: `%PDF ${pages.map(({ bytes }) => Buffer.from(bytes).toString().split('\n').at(-1)).join(' ')}` };
}

const nid = (node: EntityJson): number => node.nid[0].value;

async function nodeOf(model: string, body: object = {}): Promise<EntityJson> {
  return repository.node({ field_model: [{ target_id: await repository.termId(model) }], ...body });
}

const book = (body: object = {}) => nodeOf('https://schema.org/Book', body);

/** A page, which gets its image at once. */
async function page(of: EntityJson, text: string, weight = 1): Promise<EntityJson> {
  const field_member_of = [{ target_id: nid(of) }];
  const node = await nodeOf('http://id.loc.gov/ontologies/bibframe/part', { field_member_of, field_weight: [weight] });
  expect(await putImage(node, text)).toBe(201);
  return node;
}

async function putImage(node: EntityJson, text: string): Promise<number> {
  const headers = { 'Content-Type': 'image/png', 'Content-Location': `public://${nid(node)}.png` };
  const path = `/node/${nid(node)}/media/image/${await repository.termId(ORIGINAL)}`;
  return (await repository.put(path, text, headers, 'admin')).status;
}

const finished = () => settled(repository);

/** Holds derivatives of pages until all changes are made: a PDF could be made between two of them otherwise. */
async function together<T>(change: () => Promise<T>): Promise<T> {
  const made = Promise.withResolvers<void>();
  const { answer: usual } = site.stub;
  site.stub.answer = async (call) => {
    if (call.found.type !== 'application/x-tar') await made.promise;
    return usual(call);
  };
  try {
    return await change();
  } finally {
    site.stub.answer = usual;
    made.resolve();
  }
}

const pdfJobs = async (of: EntityJson) => (await jobsOf(repository, of)).filter(({ action }) => action === PDF);

async function pdfOf(of: EntityJson): Promise<{ mid: number; media: EntityJson; text: string }> {
  const media = (await mediaByUse(repository, of)).get(ORIGINAL) as EntityJson;
  const { pathname } = new URL(media.field_media_document[0].url);
  return { mid: media.mid[0].value, media, text: await (await repository.get(pathname, 'admin')).text() };
}

describe('the PDF of a book', () => {
  it('is created once from all pages in order, after their other derivatives', async () => {
    const of = await book();
    const open: number[] = [];
    site.stub.answer = async (call) => {
      const others = (await jobsOf(repository)).filter(({ action, state }) => action !== PDF && state === 'queued');
      if (call.found.type === 'application/x-tar') open.push(others.length);
      return answer(call);
    };
    const pages: EntityJson[] = [];
    await together(async () => {
      for (const weight of [5, 4, 3, 2, 1]) pages.unshift(await page(of, `page-${weight}`, weight));
    });
    await finished();
    expect(open).toEqual([0]);
    expect(books.map(({ pages: sent }) => sent.map(({ name }) => name))).toEqual([
      pages.map((each, at) => `0000${at + 1}-${nid(each)}.jpg`),
    ]);
    const { media, text } = await pdfOf(of);
    expect(text).toBe('%PDF page-1 page-2 page-3 page-4 page-5');
    expect(media.bundle[0].target_id).toBe('document');
    expect(new URL(media.field_media_document[0].url).pathname).toMatch(
      /^\/system\/files\/derivatives\/.*\/pc\/\d+\.pdf$/,
    );
    expect(await pdfJobs(of)).toMatchObject([{ state: 'done', attempts: 1, media_id: null }]);
  });

  it('is withdrawn as soon as a page gets another file, and made again at the same address', async () => {
    const of = await book();
    const first = await page(of, 'the informer');
    await finished();
    const { media } = await pdfOf(of);
    const { pathname } = new URL(media.field_media_document[0].url);
    await together(async () => {
      expect(await putImage(first, 'redacted')).toBe(204);
      expect((await repository.get(pathname, 'admin')).status).toBe(404);
    });
    await finished();
    expect(await (await repository.get(pathname, 'admin')).text()).toBe('%PDF redacted');
  });

  it('is recreated in place when a page is added or gets another file', async () => {
    const of = await book();
    const first = await page(of, 'one');
    await finished();
    const { mid } = await pdfOf(of);
    await page(of, 'two');
    await finished();
    expect(await pdfOf(of)).toMatchObject({ mid, text: '%PDF one two' });
    expect(await putImage(first, 'other')).toBe(204);
    await finished();
    expect(await pdfOf(of)).toMatchObject({ mid, text: '%PDF other two' });
    expect(books).toHaveLength(3);
    expect((await pdfJobs(of)).map(({ state }) => state)).toEqual(['done', 'done', 'done']);
  });

  it('is withdrawn if a file that two of its pages share is replaced', async () => {
    const of = await book();
    const first = await page(of, 'blank');
    const second = await nodeOf('http://id.loc.gov/ontologies/bibframe/part', {
      field_member_of: [{ target_id: nid(of) }],
      field_weight: [2],
    });
    const { name, field_media_image, field_media_use } = (await mediaByUse(repository, first)).get(
      ORIGINAL,
    ) as EntityJson;
    const shared = { bundle: 'image', name, field_media_use, field_media_of: [{ target_id: nid(second) }] };
    const image = [{ target_id: field_media_image[0].target_id, alt: 'A blank page' }];
    const body = { ...shared, field_media_image: image };
    expect((await repository.post('/entity/media?_format=json', body, 'admin')).status).toBe(201);
    await finished();
    expect(await putImage(first, 'other')).toBe(204);
    await finished();
    expect((await pdfOf(of)).text).toBe('%PDF other other');
  });

  it('never replaces a PDF that a user uploaded as the original', async () => {
    const of = await book();
    const headers = { 'Content-Type': 'application/pdf', 'Content-Location': 'private://books/mine.pdf' };
    const path = `/node/${nid(of)}/media/document/${await repository.termId(ORIGINAL)}`;
    expect((await repository.put(path, '%PDF mine', headers, 'admin')).status).toBe(201);
    await page(of, 'one');
    await finished();
    expect(await pdfOf(of)).toMatchObject({ text: '%PDF mine' });
    const [job] = await pdfJobs(of);
    expect(job).toMatchObject({ state: 'cancelled', message: expect.stringContaining('it is kept') });
  });

  it('waits for open derivatives of a page without using an attempt', async () => {
    const of = await book();
    const late = Promise.withResolvers<void>();
    site.stub.answer = async (call) => {
      if (call.accept === 'text/plain') await late.promise;
      return answer(call);
    };
    await page(of, 'slow');
    await until(
      async () =>
        (await pdfJobs(of)).some(
          ({ message, attempts }) => message?.includes('have open derivatives') && attempts === 0,
        ),
      { what: 'it is looked at, and put off' },
    );
    expect(books).toEqual([]);
    late.resolve();
    await finished();
    expect(books).toHaveLength(1);
    expect(await pdfJobs(of)).toMatchObject([{ state: 'done', attempts: 1, message: null }]);
  });

  it('is created even if a derivative of a page fails', async () => {
    const of = await book();
    site.stub.answer = (call) => {
      const isBroken = call.found.bytes.toString() === 'broken' && call.accept === 'image/jpeg';
      return isBroken ? { status: 400, type: 'text/plain', body: 'no image\n' } : answer(call);
    };
    const pages = await together(async () => [await page(of, 'whole'), await page(of, 'broken')]);
    const jobs = await finished();
    expect(jobs.filter(({ state }) => state === 'failed').map(({ action }) => action)).toContain(SERVICE);
    expect(books.map(({ pages: sent }) => sent.map(({ name }) => name))).toEqual([
      [`00001-${nid(pages[0] as EntityJson)}.jpg`, `00002-${nid(pages[1] as EntityJson)}.png`],
    ]);
    expect((await pdfOf(of)).text).toBe('%PDF whole broken');
  });

  it('is recreated after the usual wait when a page arrives during creation', async () => {
    const of = await book();
    const begun: number[] = [];
    let answered = 0;
    site.stub.answer = async (call) => {
      if (call.found.type === 'application/x-tar') {
        begun.push(performance.now());
        if (begun.length === 1) {
          const late = await page(of, 'late');
          // All that is made of the page itself, so that nothing but the wait holds up the book.
          await until(async () => (await jobsOf(repository, late)).every((job) => job.state === 'done'), {
            what: 'the page is done',
          });
          answered = performance.now();
        }
      }
      return answer(call);
    };
    await page(of, 'early');
    await finished();
    expect(begun).toHaveLength(2);
    expect((begun[1] as number) - answered).toBeGreaterThan(SETTLE_S * 1000 * 0.9);
    expect((await pdfOf(of)).text).toBe('%PDF early late');
  });

  it('is not queued if no page is left', async () => {
    const of = await book();
    await together(async () => {
      const only = await page(of, 'gone soon');
      const media = (await mediaByUse(repository, only)).get(ORIGINAL) as EntityJson;
      for (const each of [`/media/${media.mid[0].value}`, `/node/${nid(only)}`])
        expect((await repository.delete(each, 'admin')).status).toBe(204);
    });
    await finished();
    expect(books).toEqual([]);
    expect(await pdfJobs(of)).toMatchObject([
      { state: 'cancelled', message: 'No member of this node has an image that could become a page.' },
    ]);
  });

  it('is not created for a collection that contains a page', async () => {
    const collection = await nodeOf('http://purl.org/dc/dcmitype/Collection');
    const lone = await page(collection, 'a leaflet');
    const jobs = await finished();
    expect(jobs.map(({ action }) => action)).not.toContain(PDF);
    expect(jobs.every(({ node_id }) => node_id === nid(lone))).toBe(true);
    expect(books).toEqual([]);
  });

  it('is created for each of two books that are members of each other', async () => {
    const one = await book();
    const other = await book({ field_member_of: [{ target_id: nid(one) }] });
    const of = { field_member_of: [{ target_id: nid(other) }] };
    expect((await repository.patch(`/node/${nid(one)}`, { type: 'islandora_object', ...of }, 'admin')).status).toBe(
      200,
    );
    await Promise.all([page(one, 'in one'), page(other, 'in the other')]);
    await finished();
    expect({ one: (await pdfOf(one)).text, other: (await pdfOf(other)).text }).toEqual({
      one: '%PDF in one',
      other: '%PDF in the other',
    });
  });
});
