import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { sql } from 'drizzle-orm';
import { XmlDocument, XsdValidator } from 'libxml2-wasm';
import { plain, statementOf } from '../../../src/database/statement.ts';
import { parseXml } from '../../support/atom.ts';
import { createTestRepository, type EntityJson, type TestRepository } from '../../support/test-repository.ts';
import { until } from '../../support/until.ts';

const file = resolve(import.meta.dir, '../../fixtures/harvest/sitemap.xsd');
const schema = XsdValidator.fromDoc(XmlDocument.fromString(readFileSync(file, 'utf8'), { url: file }));

/** Throws an error with the differences unless a text is a valid sitemap, or an index of sitemaps. */
function validateSitemap(text: string): void {
  const document = XmlDocument.fromString(text);
  try {
    schema.validate(document);
  } finally {
    document.dispose();
  }
}

let repository: TestRepository;
let open: EntityJson;
let hidden: EntityJson;
beforeAll(async () => {
  repository = await createTestRepository();
  await repository.user('reader');
  open = await repository.node();
  await repository.node({ path: [{ alias: '/old&new/café' }] });
  hidden = await repository.node({ status: [{ value: false }] });
});
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await repository.stop();
});

const NAMESPACE = 'http://www.sitemaps.org/schemas/sitemap/0.9';
const DATE = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;
const idOf = (node: EntityJson): number => node.nid[0].value;

/** Reads a sitemap or an index, which must be valid: its addresses and times. */
async function read(path: string, element: 'url' | 'sitemap', as?: string): Promise<EntityJson[]> {
  const response = await repository.get(path, as);
  expect(response.status).toBe(200);
  expect(response.headers.get('Content-Type')).toBe('application/xml; charset=utf-8');
  const text = await response.text();
  validateSitemap(text);
  const document = parseXml(text);
  const root = document[element === 'url' ? 'urlset' : 'sitemapindex'];
  expect(Object.keys(root)).toEqual([element, 'xmlns']);
  expect(root.xmlns).toBe(NAMESPACE);
  for (const { loc, lastmod, ...others } of root[element]) {
    expect({ isOfSite: loc.startsWith(`${repository.url}/`), isShort: loc.length < 2048, others }).toEqual({
      isOfSite: true,
      isShort: true,
      others: {},
    });
    if (lastmod !== undefined) expect(lastmod).toMatch(DATE);
  }
  return root[element];
}
const locations = (entries: EntityJson[]) => entries.map(({ loc }) => loc);
const readAll = async (as?: string) => {
  const parts = locations(await read('/sitemap.xml', 'sitemap', as));
  const all = await Promise.all(parts.map((part) => read(part.slice(repository.url.length), 'url', as)));
  return locations(all.flat());
};

describe('the sitemap', () => {
  it('lists the canonical addresses of published nodes, the same for all callers', async () => {
    const { url } = repository;
    const expected = [`${url}/`, `${url}/collections`, `${url}/node/${idOf(open)}`, `${url}/old&new/caf%C3%A9`];
    for (const as of [undefined, 'reader', 'admin']) expect(await readAll(as)).toEqual(expected);
    for (const address of expected) expect((await fetch(address)).status).toBe(200);
  });

  it('is linked from robots.txt, after the rules of the site', async () => {
    const text = await (await repository.get('/robots.txt')).text();
    expect(text).toStartWith('User-agent: *\n');
    expect(text).toEndWith(`\nSitemap: ${repository.url}/sitemap.xml\n`);
  });

  it('contains the time of the last change of each node and of each part', async () => {
    const [, part] = await read('/sitemap.xml', 'sitemap');
    const nodes = await read('/sitemap.xml?part=1', 'url');
    expect(part?.lastmod).toBe(
      nodes
        .map(({ lastmod }) => lastmod)
        .sort()
        .at(-1),
    );
  });

  it('reflects publishing, unpublishing and deletion', async () => {
    const publish = (value: boolean) =>
      repository.patch(
        `/node/${idOf(hidden)}?_format=json`,
        { type: 'islandora_object', status: [{ value }] },
        'admin',
      );
    const address = `${repository.url}/node/${idOf(hidden)}`;
    await publish(true);
    expect(await readAll()).toContain(address);
    await publish(false);
    expect(await readAll()).not.toContain(address);
    const gone = await repository.node();
    expect(await readAll()).toContain(`${repository.url}/node/${idOf(gone)}`);
    await repository.delete(`/node/${idOf(gone)}?_format=json`, 'admin');
    expect(await readAll()).not.toContain(`${repository.url}/node/${idOf(gone)}`);
  });

  it('returns 304 until a node changes', async () => {
    for (const path of ['/sitemap.xml', '/sitemap.xml?part=1']) {
      const first = await repository.get(path);
      const headers = { 'If-None-Match': first.headers.get('ETag') ?? '' };
      expect((await repository.get(path, undefined, headers)).status).toBe(304);
      await repository.node();
      expect((await repository.get(path, undefined, headers)).status).toBe(200);
    }
    // A time identifies a version once its second is over.
    const modified = await until(async () => (await repository.get('/sitemap.xml')).headers.get('Last-Modified'));
    expect((await repository.get('/sitemap.xml', undefined, { 'If-Modified-Since': modified })).status).toBe(304);
    expect((await repository.fetch('/sitemap.xml', { method: 'HEAD' })).status).toBe(200);
  });

  it('rejects a missing or invalid part', async () => {
    for (const [part, status] of [
      ['2', 404],
      ['999999999', 404],
      ['0', 400],
      ['-1', 400],
      ['x', 400],
    ] as const) {
      const response = await repository.get(`/sitemap.xml?part=${part}`);
      expect({ part, status: response.status }).toEqual({ part, status });
      expect(((await response.json()) as EntityJson).message).toMatch(/part/);
    }
  });
});

describe('the sitemap of many nodes', () => {
  it('has parts of at most 50,000 addresses, none empty, which writes do not move', async () => {
    const many = await createTestRepository();
    const { database } = many.running.services;
    // Ids from 1 to 50,002, and far behind them.
    await database.write([
      statementOf(
        plain(sql`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50003)
          INSERT INTO node_record (nid, sequence, status, owner_id, bundle, created, changed, harvest_stamp, title_key, has_text, facets, collections, text_hash)
          SELECT CASE i WHEN 50003 THEN 260000 ELSE i END, i, 1, 1, 'islandora_object', 1, 1, 1000000000 + i, '', 0, x'', '[]', '' FROM n`),
      ),
    ]);
    const texts = async (path: string) => {
      const text = await (await many.get(path)).text();
      validateSitemap(text);
      return text;
    };
    const count = (text: string) => text.split('<url>').length - 1;
    const index = await texts('/sitemap.xml');
    expect([...index.matchAll(/part=(\w+)/g)].map(([, part]) => part)).toEqual(['site', '1', '2', '6']);
    const first = await texts('/sitemap.xml?part=1');
    expect({
      first: count(first),
      second: count(await texts('/sitemap.xml?part=2')),
      sixth: count(await texts('/sitemap.xml?part=6')),
    }).toEqual({ first: 50_000, second: 2, sixth: 1 });
    expect(first).toContain(`/node/50000</loc><lastmod>2001-09-09T15:40:00Z</lastmod>`);
    await database.write([statementOf(plain(sql`DELETE FROM node_record WHERE nid = 7`))]);
    const second = await texts('/sitemap.xml?part=2');
    expect(count(second)).toBe(2);
    expect((await many.get('/sitemap.xml?part=4')).status).toBe(404);
    await many.stop();
  });
});
