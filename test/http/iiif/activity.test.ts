import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { sql } from 'drizzle-orm';
import { plain, statementOf } from '../../../src/database/statement.ts';
import { expectActivities } from '../../support/activity-schema.ts';
import { pngHead } from '../../support/binaries.ts';
import { createIiifSite, type IiifSite, idOf } from '../../support/iiif-site.ts';
import type { EntityJson } from '../../support/test-repository.ts';

let site: IiifSite;
beforeAll(async () => {
  site = await createIiifSite();
  await site.repository.user('reader');
});
afterAll(async () => {
  expect(site.repository.failures()).toEqual([]);
  await site.repository.stop();
});

async function read(address: string, as?: string): Promise<EntityJson> {
  const response = await site.repository.get(address.replace(site.repository.url, ''), as);
  expect(response.status).toBe(200);
  expect(response.headers.get('Content-Type')).toBe(
    'application/ld+json;profile="http://iiif.io/api/discovery/1/context.json"',
  );
  return expectActivities((await response.json()) as EntityJson);
}

/** Reads all activities as a client does: from the last page to the first (3.5). `between` runs after each page. */
async function harvest(as?: string, between: () => Promise<void> = async () => {}): Promise<EntityJson[]> {
  const found: EntityJson[] = [];
  let address = (await read('/iiif/activity', as)).last?.id;
  while (address !== undefined) {
    const page = await read(address, as);
    found.unshift(...page.orderedItems);
    address = page.prev?.id;
    await between();
  }
  return found;
}
const of = (activities: EntityJson[], node: EntityJson) =>
  activities
    .filter(({ object }) => object.id.endsWith(`/node/${idOf(node)}/manifest`))
    .map(({ type, object }) => `${type} ${object.type}`);
const publish = (node: EntityJson, value: boolean) =>
  site.repository.patch(`/node/${idOf(node)}?_format=json`, { type: 'islandora_object', status: [{ value }] }, 'admin');
async function picture(parents: EntityJson[] = [], fields = {}): Promise<EntityJson> {
  const node = await site.item('image', parents, fields);
  await site.put(node, 'png', pngHead(10, 10));
  return node;
}
/** Moves the times of all nodes back, as if they had been written before. */
const age = () =>
  site.repository.running.services.database.write([
    statementOf(plain(sql`UPDATE node_record SET harvest_stamp = harvest_stamp - 100`)),
  ]);

describe('the changes of manifests', () => {
  it('are empty at first', async () => {
    expect(await read('/iiif/activity')).toMatchObject({ type: 'OrderedCollection', totalItems: 0 });
  });

  it('list creations, updates and deletions of public content, the latest last', async () => {
    const collection = await site.item('collection');
    const [kept, changed, unpublished, removed] = await Promise.all(
      Array.from({ length: 4 }, () => picture([collection])),
    );
    const bare = await site.item('image');
    const hidden = await picture([], { status: [{ value: false }] });
    await age();
    const title = { type: 'islandora_object', title: ['Another'] };
    await site.repository.patch(`/node/${idOf(changed ?? {})}?_format=json`, title, 'admin');
    await publish(unpublished ?? {}, false);
    await site.repository.delete(`/node/${idOf(removed ?? {})}?_format=json`, 'admin');
    for (const as of [undefined, 'reader', 'admin']) {
      const activities = await harvest(as);
      expect(of(activities, collection)).toEqual(['Create Collection']);
      expect(of(activities, kept ?? {})).toEqual(['Create Manifest']);
      expect(of(activities, changed ?? {})).toEqual(['Update Manifest']);
      expect(of(activities, unpublished ?? {})).toEqual(['Delete Manifest']);
      expect(of(activities, removed ?? {})).toEqual(['Delete Manifest']);
      expect({ bare: of(activities, bare), hidden: of(activities, hidden) }).toEqual({ bare: [], hidden: [] });
      const times = activities.map(({ endTime }) => endTime);
      expect(times).toEqual(times.toSorted());
    }
  });

  it('list no manifest that does not answer', async () => {
    const archive = await site.item('image');
    await site.put(archive, 'zip', 'PK');
    const empty = await site.item('book');
    for (const title of ['A', 'B']) await site.put(await site.item('page', [empty], { title: [title] }), 'zip', 'PK');
    await site.item('page', [await site.item('book')]);
    const book = await site.item('book');
    for (let page = 0; page < 12; page++) await site.put(await site.item('page', [book]), 'zip', 'PK');
    await picture([book], { field_weight: [99] });
    const activities = await harvest();
    expect([archive, empty].map((node) => of(activities, node))).toEqual([[], []]);
    expect(of(activities, book)).toEqual(['Create Manifest']);
    for (const { type, object } of activities) {
      const { status } = await site.repository.get(new URL(object.id).pathname);
      if (type !== 'Delete') expect({ id: object.id, status }).toEqual({ id: object.id, status: 200 });
    }
  });

  it('delete a collection as a collection', async () => {
    const [removed, unpublished] = [await site.item('collection'), await site.item('collection')];
    await picture([removed]);
    await picture([unpublished]);
    await site.repository.delete(`/node/${idOf(removed)}?_format=json`, 'admin');
    await publish(unpublished, false);
    const activities = await harvest();
    expect([removed, unpublished].map((node) => of(activities, node))).toEqual([
      ['Delete Collection'],
      ['Delete Collection'],
    ]);
  });

  it('include the first file of a node, and its publication', async () => {
    const node = await site.item('image');
    const late = await picture([], { status: [{ value: false }] });
    await age();
    await site.put(node, 'png', pngHead(10, 10));
    await publish(late, true);
    const activities = await harvest();
    expect(of(activities, node)).toEqual(['Create Manifest']);
    expect(activities.at(-2)?.object.id).toEndWith(`/node/${idOf(node)}/manifest`);
    expect(of(activities, late)).toEqual(['Update Manifest']);
    await publish(late, false);
    await publish(late, true);
    expect(of(await harvest(), late)).toEqual(['Update Manifest']);
  });

  it('return 304 until there is another one', async () => {
    const first = await site.repository.get('/iiif/activity');
    const headers = { 'If-None-Match': first.headers.get('ETag') ?? '' };
    expect((await site.repository.get('/iiif/activity', undefined, headers)).status).toBe(304);
    await age();
    await picture();
    expect((await site.repository.get('/iiif/activity', undefined, headers)).status).toBe(200);
  });

  it('have no page with an unknown or invalid position', async () => {
    for (const [until, status] of [
      ['0.0', 404],
      ['x', 400],
      ['1', 400],
      ['-1.5', 400],
      ['9999999999999.1', 400],
    ] as const)
      expect({ until, status: (await site.repository.get(`/iiif/activity?until=${until}`)).status }).toEqual({
        until,
        status,
      });
  });

  it('are read backwards without a gap while nodes change', async () => {
    const { database } = site.repository.running.services;
    // Removed nodes, ten a second, before all others.
    await database.write([
      statementOf(
        plain(sql`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3500)
          INSERT INTO node_record (nid, sequence, is_deleted, status, owner_id, bundle, created, changed, harvest_stamp, title_key, has_text, facets, collections, text_hash)
          SELECT 100000 + i, 100000 + i, 1, 0, 1, 'islandora_object', 1, 1, 1000000000 + i / 10, '', 0, x'', '[]', '' FROM n`),
      ),
    ]);
    let round = 0;
    const touch = async () => {
      round += 1;
      // A node of a page that was not read yet, and one of a page that was.
      await database.write([
        statementOf(
          plain(
            sql`UPDATE node_record SET harvest_stamp = 1900000000 + ${round} WHERE nid IN (${100_000 + round}, ${103_400 + round})`,
          ),
        ),
      ]);
    };
    const found = await harvest(undefined, touch);
    const seen = new Set(found.map(({ object }) => object.id));
    const again = new Set((await harvest()).map(({ object }) => object.id));
    const { url } = site.repository;
    const missing = Array.from({ length: 3500 }, (_, at) => 100_001 + at).filter(
      (nid) => !seen.has(`${url}/node/${nid}/manifest`),
    );
    // Those that moved behind the first page read; the next harvest begins there.
    expect(missing.every((nid) => nid <= 100_000 + round)).toBe(true);
    for (const nid of missing) expect(again.has(`${url}/node/${nid}/manifest`)).toBe(true);
    const { first, last } = await read('/iiif/activity');
    expect((await read(first.id)).prev).toBeUndefined();
    expect((await read(last.id)).next).toBeUndefined();
    const second = await read((await read(first.id)).next.id);
    expect(second.prev.id).toBe(first.id);
  });
});
