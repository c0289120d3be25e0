import { afterAll, beforeAll, describe, expect, it, setSystemTime } from 'bun:test';
import type { TestRepository } from '../../support/test-repository.ts';
import { BROWSER, countHours, createUsageSite, numbersOf, rows, visit } from '../../support/usage-site.ts';

let repository: TestRepository;
let [collection, next]: number[] = [];
const START = Date.UTC(2031, 4, 6, 10, 0, 0);
const PDF = '%PDF-1.4\n%a small document\n'.repeat(20);

beforeAll(async () => {
  repository = await createUsageSite();
  const { build } = repository;
  collection = await build.node('collection', 'Letters');
  next = START;
});
afterAll(async () => {
  setSystemTime();
  await repository.stop();
});

/** Creates an item with a file, and moves the clock to an hour of its own. */
async function makeItem(): Promise<{ id: number; file: number; path: string }> {
  const { build } = repository;
  const id = await build.node('document', 'A letter', { field_member_of: [collection as number] });
  const media = await build.media(id, { media: 'document', name: 'letter.pdf', bytes: PDF });
  next = (next as number) + 24 * 3_600_000;
  setSystemTime(new Date(next));
  const [{ target_id: file, url }] = media.field_media_document;
  return { id, file, path: new URL(url).pathname };
}

const later = (seconds: number) => setSystemTime(new Date(Date.now() + seconds * 1_000));

describe('The use of an item', () => {
  it('is a view of its page, and a download is a view and a request', async () => {
    const { id, file, path } = await makeItem();
    expect((await visit(repository, `/node/${id}`)).status).toBe(200);
    expect((await visit(repository, path)).status).toBe(200);
    await countHours(repository);
    expect(await numbersOf(repository, 'item', id)).toEqual([2, 1, 1, 1]);
    expect(await numbersOf(repository, 'file', file)).toEqual([1, 1, 1, 1]);
  });

  it('counts once in 30 seconds, and the last time decides', async () => {
    const { id } = await makeItem();
    for (const seconds of [0, 29, 30, 31]) {
      later(seconds);
      await visit(repository, `/node/${id}`);
    }
    await visit(repository, `/node/${id}`, { address: '192.0.2.2' });
    await countHours(repository);
    expect(await numbersOf(repository, 'item', id)).toEqual([3, 2, 0, 0]);
  });

  it('is unique in each hour of a visitor', async () => {
    const { id, path } = await makeItem();
    for (const seconds of [0, 600, 3_000, 60]) {
      later(seconds);
      await visit(repository, path);
    }
    await countHours(repository);
    expect(await numbersOf(repository, 'item', id)).toEqual([4, 2, 4, 2]);
  });

  it('counts for the collections that contain it', async () => {
    const before = await numbersOf(repository, 'within', collection as number);
    const { id, path } = await makeItem();
    await visit(repository, `/node/${id}`);
    await visit(repository, path);
    await visit(repository, `/node/${collection}`);
    await countHours(repository);
    const after = await numbersOf(repository, 'within', collection as number);
    expect(after.map((number, at) => number - (before[at] as number))).toEqual([2, 1, 1, 1]);
    const [all] = await rows(
      repository,
      'SELECT sum(total_investigations), sum(unique_investigations), sum(total_requests), sum(unique_requests) FROM usage_day WHERE kind = 1',
    );
    expect(await numbersOf(repository, 'repository', 0)).toEqual(all as never);
  });

  it('is one of a signed-in user at any address', async () => {
    const { id } = await makeItem();
    for (const address of ['192.0.2.7', '192.0.2.8']) await visit(repository, `/node/${id}`, { address, as: 'admin' });
    await countHours(repository);
    expect(await numbersOf(repository, 'item', id)).toEqual([1, 1, 0, 0]);
  });

  it('is its embedded page, and its citation for a reference manager', async () => {
    const { id } = await makeItem();
    await visit(repository, `/node/${id}/embed`);
    later(60);
    await visit(repository, `/node/${id}/cite`);
    await countHours(repository);
    expect(await numbersOf(repository, 'item', id)).toEqual([2, 1, 0, 0]);
  });

  it('is the part of a file that begins it, and a copy that is still current', async () => {
    const { id, path } = await makeItem();
    const first = await visit(repository, path, { headers: { Range: 'bytes=0-99' } });
    expect(first.status).toBe(206);
    expect((await visit(repository, path, { headers: { Range: 'bytes=100-199' } })).status).toBe(206);
    expect((await visit(repository, path, { headers: { Range: 'bytes=-10' } })).status).toBe(206);
    later(60);
    const etag = first.headers.get('etag') as string;
    expect((await visit(repository, path, { headers: { 'If-None-Match': etag } })).status).toBe(304);
    await countHours(repository);
    expect(await numbersOf(repository, 'item', id)).toEqual([2, 1, 2, 1]);
  });

  it('stays under its id after its deletion', async () => {
    const { id } = await makeItem();
    await visit(repository, `/node/${id}`);
    await countHours(repository);
    await repository.build.remove(`/node/${id}`);
    expect(await numbersOf(repository, 'item', id)).toEqual([1, 1, 0, 0]);
  });
});

describe('No use of an item', () => {
  it.each<readonly [string, Parameters<typeof visit>[2]]>([
    ['is a HEAD', { method: 'HEAD' }],
    ['is its JSON', { headers: { Accept: 'application/json' } }],
    ['is a visit of a robot', { agent: 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)' }],
    ['is a visit of a program', { agent: 'curl/8.14.1' }],
    ['is a visit without a name', { agent: '-' }],
    ['is a page that a browser loads before its user wants it', { headers: { 'Sec-Purpose': 'prefetch' } }],
  ])('%s', async (_, init) => {
    const { id } = await makeItem();
    expect((await visit(repository, `/node/${id}`, init)).status).toBe(200);
    await countHours(repository);
    expect(await numbersOf(repository, 'item', id)).toEqual([0, 0, 0, 0]);
  });

  it('is a refused visit, and one of a page that does not exist', async () => {
    const { id, path } = await makeItem();
    await repository.build.change(`/node/${id}`, { type: 'islandora_object', status: [false] });
    expect((await visit(repository, `/node/${id}`)).status).toBe(401);
    expect((await visit(repository, path)).status).toBe(401);
    expect((await visit(repository, '/node/987654')).status).toBe(404);
    await countHours(repository);
    expect(await numbersOf(repository, 'item', id)).toEqual([0, 0, 0, 0]);
    expect(await numbersOf(repository, 'item', 987654)).toEqual([0, 0, 0, 0]);
  });

  it('is a thumbnail, or the picture of a page', async () => {
    const { id } = await makeItem();
    const { build } = repository;
    const bytes = new Uint8Array([0xff, 0xd8, 0xff, 0xe0, 0, 0]);
    for (const use of ['thumbnail', 'service'] as const) {
      const media = await build.media(id, { use, media: 'image', name: `${use}.jpg`, bytes });
      const [{ url }] = media.field_media_image;
      expect((await visit(repository, new URL(url).pathname)).status).toBe(200);
    }
    await countHours(repository);
    expect(await numbersOf(repository, 'item', id)).toEqual([0, 0, 0, 0]);
  });
});

describe('What is stored', () => {
  it('has no address, and nothing of a visitor after the day', async () => {
    const { id } = await makeItem();
    await visit(repository, `/node/${id}`, { address: '198.51.100.23' });
    await repository.restart();
    const stored = JSON.stringify([
      await rows(repository, 'SELECT * FROM usage_click'),
      await rows(repository, 'SELECT * FROM usage_salt'),
    ]);
    expect(stored).toContain(`${id}`);
    expect(stored).not.toContain('198.51.100');
    expect(stored).not.toContain(BROWSER);
    later(24 * 3_600);
    await countHours(repository);
    expect(await rows(repository, 'SELECT * FROM usage_salt')).toEqual([]);
  });

  it('is nothing, if nothing is counted', async () => {
    const other = await createUsageSite({ counts: false });
    try {
      await visit(other, '/node/1');
      await other.restart();
      expect(await rows(other, 'SELECT count(*) FROM usage_click')).toEqual([[0]]);
    } finally {
      await other.stop();
    }
  });
});
