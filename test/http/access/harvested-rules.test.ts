import { afterAll, beforeAll, beforeEach, describe, expect, it, setSystemTime } from 'bun:test';
import { deletedIn, harvest, identifier, nodesIn, oai } from '../../support/oai.ts';
import { PNG } from '../../support/repository-routes.ts';
import { SiteBuilder } from '../../support/site-builder.ts';
import { createTestRepository, type TestRepository } from '../../support/test-repository.ts';

/** A clock that tests put forward. Days of the site begin at 00:00 in Berlin, an hour or two before those of UTC. */
const clock = { at: Date.parse('2031-03-01T12:00:00Z') };
const HEADERS = { verb: 'ListIdentifiers', metadataPrefix: 'oai_dc' };

let repository: TestRepository;
let build: SiteBuilder;

beforeAll(async () => {
  setSystemTime(clock.at);
  repository = await createTestRepository({ timeZone: 'Europe/Berlin', oai: { adminEmail: undefined, pageSize: 3 } });
  build = new SiteBuilder(repository);
});
beforeEach(() => later(3_600));
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await repository.stop();
  setSystemTime();
});

function later(seconds: number): string {
  clock.at += seconds * 1000;
  setSystemTime(clock.at);
  return new Date(clock.at).toISOString().replace('.000', '');
}
function setClock(time: string): void {
  clock.at = Date.parse(time);
  setSystemTime(clock.at);
}

const item = (title: string, fields: object = {}) => build.node('image', title, fields as never);
const setRule = (id: number, rule: object | null) =>
  build.change(`/node/${id}`, { type: 'islandora_object', access_rule: rule === null ? [] : [rule] });

async function changedSince(from: string, more: Record<string, string> = {}): Promise<[number, 'deleted' | 'open'][]> {
  const first = await oai(repository, { ...HEADERS, from, ...more });
  if (first.error === 'noRecordsMatch') return [];
  const parts = await harvest(repository, { ...HEADERS, from, ...more });
  const deleted = parts.flatMap(deletedIn);
  return parts.flatMap(nodesIn).map((id) => [id, deleted.includes(id) ? 'deleted' : 'open']);
}
async function recordOf(id: number): Promise<{ stamp: string; isDeleted: boolean } | undefined> {
  const { verb } = await oai(repository, { ...HEADERS, verb: 'GetRecord', identifier: identifier(id) });
  const header = verb.record?.[0]?.header[0];
  return header && { stamp: header.datestamp, isDeleted: header['@status'] === 'deleted' };
}

describe('an item that a rule closes', () => {
  it('becomes a deleted record with the time of the rule, and returns when the rule is lifted', async () => {
    const id = await item('Diary');
    const closed = later(60);
    await setRule(id, { preset: 'closed' });
    expect(await changedSince(closed)).toEqual([[id, 'deleted']]);
    expect(await recordOf(id)).toEqual({ stamp: closed, isDeleted: true });
    const opened = later(60);
    await setRule(id, null);
    expect(await changedSince(opened)).toEqual([[id, 'open']]);
    expect(await recordOf(id)).toEqual({ stamp: opened, isDeleted: false });
  });

  it('keeps its datestamp when it changes while it is closed', async () => {
    const id = await item('Letters');
    const closed = later(60);
    await setRule(id, { preset: 'closed' });
    later(60);
    await build.change(`/node/${id}`, { type: 'islandora_object', title: ['Letters of a secret'] });
    expect(await recordOf(id)).toEqual({ stamp: closed, isDeleted: true });
    expect((await oai(repository, { ...HEADERS, verb: 'ListRecords' })).text).not.toContain('secret');
  });

  it('has no record if it was closed when it was added', async () => {
    const since = later(60);
    const id = await item('Never seen', { access_rule: [{ preset: 'closed' }] });
    expect(await changedSince(since)).toEqual([]);
    const { error } = await oai(repository, { ...HEADERS, verb: 'GetRecord', identifier: identifier(id) });
    expect(error).toBe('idDoesNotExist');
    const opened = later(60);
    await setRule(id, null);
    expect(await recordOf(id)).toEqual({ stamp: opened, isDeleted: false });
  });

  it('stays an open record if only its files are closed, with the time of the rule', async () => {
    const id = await item('Thesis');
    const since = later(60);
    await setRule(id, { preset: 'only_description' });
    expect(await changedSince(since)).toEqual([[id, 'open']]);
    expect(await recordOf(id)).toEqual({ stamp: since, isDeleted: false });
  });
});

describe('a day on which a rule begins or ends', () => {
  it('opens and closes records without any write, at 00:00 of the site', async () => {
    setClock('2031-04-10T10:00:00Z');
    const id = await item('Embargo');
    const lease = await item('Lease', { access_rule: [{ level: 'closed', from: '2031-04-20' }] });
    setClock('2031-04-10T10:01:00Z');
    await setRule(id, { level: 'closed', until: '2031-04-20' });
    setClock('2031-04-19T21:59:59Z');
    expect(await recordOf(id)).toEqual({ stamp: '2031-04-10T10:01:00Z', isDeleted: true });
    expect(await recordOf(lease)).toEqual({ stamp: '2031-04-10T10:00:00Z', isDeleted: false });
    setClock('2031-04-19T22:00:05Z');
    expect(await recordOf(id)).toEqual({ stamp: '2031-04-19T22:00:00Z', isDeleted: false });
    expect(await changedSince('2031-04-19T21:00:00Z')).toEqual([
      [id, 'open'],
      [lease, 'deleted'],
    ]);
    expect(await changedSince('2031-04-10T09:00:00Z', { until: '2031-04-19T21:59:59Z' })).toEqual([]);
    expect(await changedSince('2031-04-20', { until: '2031-04-20' })).toEqual([]);
  });
});

describe('a collection', () => {
  it('closes and opens the records of all that is below it, in parts that miss none', async () => {
    const collection = await build.node('collection', 'Papers');
    const members: number[] = [];
    for (let each = 0; each < 8; each++) members.push(await item(`Page ${each}`, { field_member_of: [collection] }));
    const below = await item('Below', { field_member_of: [members[0]] });
    const closed = later(60);
    await setRule(collection, { preset: 'closed' });
    const all = [collection, ...members, below];
    later(5);
    expect(await changedSince(closed)).toEqual(all.map((id) => [id, 'deleted']));
    expect((await oai(repository, { verb: 'ListSets' })).text).not.toContain('Papers');
    const opened = later(60);
    await setRule(collection, null);
    expect(await changedSince(opened)).toEqual(all.map((id) => [id, 'open']));
    expect(await changedSince(opened, { set: `node:${collection}` })).toHaveLength(8);
    expect((await oai(repository, { verb: 'ListSets' })).text).toContain('Papers');
  });

  it('counts every record once, whatever its datestamp follows from', async () => {
    const parts = await harvest(repository, HEADERS);
    const ids = parts.flatMap(nodesIn);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { verb } of parts) expect(Number(verb.resumptionToken['@completeListSize'])).toBe(ids.length);
    const stamps = parts.flatMap(({ verb }) => verb.header.map((header: { datestamp: string }) => header.datestamp));
    expect(stamps).toEqual(stamps.toSorted());
    const [first = '', last = ''] = [stamps[0], stamps.at(-1)];
    expect(await changedSince(first, { until: last })).toHaveLength(ids.length);
  });
});

describe('the sitemap and the stream of changes', () => {
  const sitemap = async () => (await repository.get('/sitemap.xml?part=1')).text();
  const activities = async () => {
    const { last } = await (await repository.get('/iiif/activity')).json();
    const page = await (await repository.get(last.id.replace(repository.url, ''))).json();
    return page.orderedItems as { type: string; object: { id: string }; endTime: string }[];
  };
  const activityOf = async (id: number) => {
    const all = (await activities()).filter(({ object }) => object.id.endsWith(`/node/${id}/manifest`));
    return all.map(({ type, endTime }) => [type, endTime]);
  };

  it('omit and delete an item while it is closed', async () => {
    const id = await item('Map of the harbour');
    await build.pictureOf(1, id, { use: 'original', uri: `public://harbour-${id}.png`, bytes: PNG });
    expect(await sitemap()).toContain(`/node/${id}<`);
    expect(await activityOf(id)).toMatchObject([['Create', expect.any(String)]]);
    const closed = later(60);
    await setRule(id, { level: 'closed', until: '2031-06-01' });
    expect(await sitemap()).not.toContain(`/node/${id}<`);
    expect(await activityOf(id)).toEqual([['Delete', closed]]);
    expect((await repository.get('/feed').then((answer) => answer.text())) as string).not.toContain(
      'Map of the harbour',
    );
    const etag = (await repository.get('/sitemap.xml?part=1')).headers.get('ETag');
    setClock('2031-05-31T22:00:10Z');
    expect(await sitemap()).toContain(`/node/${id}</loc><lastmod>2031-05-31T22:00:00Z<`);
    expect((await repository.get('/sitemap.xml?part=1')).headers.get('ETag')).not.toBe(etag);
    expect(await activityOf(id)).toMatchObject([[expect.stringMatching(/Create|Update/), '2031-05-31T22:00:00Z']]);
  });

  it('tell nothing of a change of a closed item', async () => {
    const id = await item('Hidden from all', { access_rule: [{ preset: 'closed' }] });
    const read = async () => [await sitemap(), await (await repository.get('/sitemap.xml')).text(), await activities()];
    const before = await read();
    later(60);
    await build.change(`/node/${id}`, { type: 'islandora_object', title: ['Still hidden'] });
    expect(await read()).toEqual(before);
  });
});
