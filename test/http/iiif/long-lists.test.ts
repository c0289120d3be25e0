import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { pngHead } from '../../support/binaries.ts';
import { copyNode } from '../../support/copied-nodes.ts';
import { createIiifSite, type IiifSite, idOf } from '../../support/iiif-site.ts';
import { expectValid } from '../../support/presentation-schema.ts';
import type { EntityJson } from '../../support/test-repository.ts';

let site: IiifSite;
let book: EntityJson;
let collection: EntityJson;
beforeAll(async () => {
  site = await createIiifSite();
  book = await site.item('book');
  const page = await site.item('page', [book]);
  await site.put(page, 'tif', pngHead(3000, 4000));
  await site.put(page, 'png', pngHead(750, 1000), 'service');
  await site.put(page, 'png', pngHead(75, 100), 'thumbnail');
  await site.put(page, 'hocr', '<p>', 'hocr');
  collection = await site.item('collection');
  const picture = await site.item('image', [collection]);
  await site.put(picture, 'png', pngHead(1, 1));
  const { database } = site.repository.running.services;
  // The repository writes nothing after this: it has reserved ids, which the copies use.
  await copyNode(database, idOf(page), 999, 'page');
  await copyNode(database, idOf(picture), 2_000, 'picture');
});
afterAll(async () => {
  expect(site.repository.failures()).toEqual([]);
  await site.repository.stop();
});

describe('the manifest of a long book', () => {
  it('contains 1,000 pages, each once and in order', async () => {
    const { items } = await expectValid(await site.manifest(book));
    const ids = items.map(({ id }: EntityJson) => Number(/node\/(\d+)/.exec(id)?.[1]));
    expect(new Set(ids).size).toBe(1_000);
    expect(ids).toEqual(ids.toSorted((a: number, b: number) => a - b));
  });

  it('takes two database reads besides the book itself', async () => {
    const { database } = site.repository.running.services;
    const { get } = database;
    const reads: string[] = [];
    const counting: typeof get = (statement) => {
      reads.push(statement.sql);
      return get(statement);
    };
    Object.assign(database, { get: counting });
    await site.manifest(book);
    Object.assign(database, { get });
    expect(reads.filter((sql) => /count\(DISTINCT|storage_key/.test(sql))).toHaveLength(2);
  });
});

describe('a collection of many members', () => {
  it('has pages of 1,000 members', async () => {
    const path = `${site.repository.url}/node/${idOf(collection)}/manifest`;
    const { items } = await expectValid(await site.manifest(collection));
    expect(items.map(({ id, type }: EntityJson) => [id, type])).toEqual(
      [0, 1, 2].map((number) => [`${path}?page=${number}`, 'Collection']),
    );
    const pages: EntityJson[] = [];
    for (const { id } of items) pages.push(await expectValid((await (await fetch(id)).json()) as EntityJson));
    expect(pages.map((page) => [page.items.length, page.partOf[0].id])).toEqual([
      [1_000, path],
      [1_000, path],
      [1, path],
    ]);
    expect((await fetch(`${path}?page=3`)).status).toBe(404);
    expect((await fetch(`${path}?page=x`)).status).toBe(400);
  });
});
