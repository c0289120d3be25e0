import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { indexedWith, indexRecord } from '../../support/search-index.ts';
import { createTestRepository, type EntityJson, type TestRepository } from '../../support/test-repository.ts';

let repository: TestRepository;
beforeAll(async () => {
  repository = await createTestRepository();
});
afterAll(async () => {
  await repository.stop();
});

const database = () => repository.running.services.database;
const indexed = (words: string, column?: string) => indexedWith(database(), words, column);
const recordOf = (nid: number) => indexRecord(database(), repository.running.services.model.search.facets, nid);

async function node(title: string, fields: EntityJson = {}): Promise<number> {
  const made = await repository.node({ title: [{ value: title }], ...fields });
  return made.nid[0].value;
}

async function patch(nid: number, fields: EntityJson): Promise<void> {
  const body = { type: [{ target_id: 'islandora_object' }], ...fields };
  const response = await repository.patch(`/node/${nid}?_format=json`, body, 'admin');
  expect(response.status).toBe(200);
}

describe('the index of a node', () => {
  it('has its title, fields, terms and dates in separate columns', async () => {
    const [subject, agent, genre] = [
      await repository.build.term('subject', 'Quixotry'),
      await repository.build.term('person', 'Zamenhof, Ludwik'),
      await repository.build.term('genre', 'Woodcuts'),
    ];
    const nid = await node('Ørsted in Łódź', {
      field_subject: [{ target_id: subject }],
      field_genre: [{ target_id: genre }],
      field_linked_agent: [{ target_id: agent, rel_type: 'relators:aut' }],
      field_identifier: [{ value: 'XK-17/b' }],
      field_description: [{ value: 'A parched caravanserai.' }],
      field_abstract: [{ value: '<p>Straße <b>nach</b> Süden</p>', format: 'basic_html' }],
      field_edtf_date_created: [{ value: '1903-05/1921' }],
    });
    expect(await indexed('orsted in lodz', 'title')).toEqual([nid]);
    expect(await indexed('quixotry', 'subject')).toEqual([nid]);
    expect(await indexed('woodcuts', 'subject')).toEqual([nid]);
    expect(await indexed('zamenhof', 'creator')).toEqual([nid]);
    expect(await indexed('XK-17/b', 'identifier')).toEqual([nid]);
    expect(await indexed('caravanserai', 'text')).toEqual([nid]);
    expect(await indexed('strasse nach suden', 'text')).toEqual([nid]);
    expect(await indexed('1903', 'text')).toEqual([nid]);
    expect(await indexed('1921', 'text')).toEqual([nid]);
    expect(await recordOf(nid)).toMatchObject({
      isDeleted: false,
      status: true,
      ownerId: 1,
      bundle: 'islandora_object',
      titleKey: 'orsted in lodz',
      dateFrom: 1903,
      dateTo: 1921,
      hasText: false,
      collections: [],
      facets: {
        model: [await repository.termId('http://purl.org/coar/resource_type/c_c513')],
        genre: [genre],
        subject: [subject],
        agent: [`relators:aut|${agent}`],
        decade: [1900, 1910, 1920],
      },
    });
  });

  it('has the collections of a member', async () => {
    const collection = await node('A collection');
    const nid = await node('A member', { field_member_of: [{ target_id: collection }] });
    expect(await recordOf(nid)).toMatchObject({ collections: [collection], facets: { collection: [collection] } });
  });

  it('reflects a change, with a higher sequence', async () => {
    const nid = await node('Vexillology');
    const before = await recordOf(nid);
    const other = await recordOf(await node('Another'));
    await patch(nid, { title: [{ value: 'Campanology' }] });
    expect(await indexed('vexillology')).toEqual([]);
    expect(await indexed('campanology')).toEqual([nid]);
    const after = await recordOf(nid);
    expect(after?.sequence).toBeGreaterThan(other?.sequence ?? 0);
    expect(other?.sequence).toBeGreaterThan(before?.sequence ?? 0);
  });

  it('keeps its terms when another field changes', async () => {
    const subject = await repository.build.term('subject', 'Dendrochronology');
    const nid = await node('Rings', { field_subject: [{ target_id: subject }] });
    await patch(nid, { title: [{ value: 'Tree rings' }] });
    expect(await indexed('dendrochronology', 'subject')).toEqual([nid]);
    await patch(nid, { field_subject: [] });
    expect(await indexed('dendrochronology')).toEqual([]);
  });

  it('keeps its texts when other values change', async () => {
    const nid = await node('Unchanged text');
    const before = await recordOf(nid);
    await patch(nid, { promote: [{ value: false }] });
    const after = await recordOf(nid);
    expect(after?.textHash).toBe(before?.textHash as string);
    expect(after?.sequence).toBeGreaterThan(before?.sequence ?? 0);
    expect(await indexed('unchanged text')).toEqual([nid]);
  });

  it('notifies harvesters of publishing and unpublishing, but not of content that was always hidden', async () => {
    const nid = await node('Hidden at first', { status: [{ value: false }] });
    expect(await recordOf(nid)).toMatchObject({ status: false, harvestStamp: null });
    await patch(nid, { title: [{ value: 'Still hidden' }] });
    expect(await recordOf(nid)).toMatchObject({ harvestStamp: null });
    await patch(nid, { status: [{ value: true }] });
    expect((await recordOf(nid))?.harvestStamp).toBeGreaterThan(0);
    await patch(nid, { status: [{ value: false }] });
    expect(await recordOf(nid)).toMatchObject({ status: false });
    expect((await recordOf(nid))?.harvestStamp).toBeGreaterThan(0);
  });

  it('is removed with the node, whose record remains as deleted', async () => {
    const collection = await node('Kept at deletion');
    const nid = await node('Ephemeral petrichor', { field_member_of: [{ target_id: collection }] });
    expect((await repository.delete(`/node/${nid}?_format=json`, 'admin')).status).toBe(204);
    expect(await indexed('petrichor')).toEqual([]);
    const record = await recordOf(nid);
    expect(record).toMatchObject({ isDeleted: true, status: false, facets: {}, collections: [collection] });
    expect(record?.harvestStamp).toBeGreaterThan(0);
  });

  it('reflects a revert to an earlier revision', async () => {
    const nid = await node('Palimpsest');
    const { vid } = (await (await repository.get(`/node/${nid}?_format=json`, 'admin')).json()) as EntityJson;
    await patch(nid, { title: [{ value: 'Overwritten' }] });
    const response = await repository.post(`/node/${nid}/revisions/${vid[0].value}/revert?_format=json`, {}, 'admin');
    expect(response.status).toBeLessThan(300);
    expect(await indexed('palimpsest')).toEqual([nid]);
    expect(await indexed('overwritten')).toEqual([]);
  });
});

describe('a term', () => {
  it('is found by its new name immediately', async () => {
    const subject = await repository.build.term('subject', 'Old moniker');
    const nid = await node('Renamed subject', { field_subject: [{ target_id: subject }] });
    const stamp = (await recordOf(nid))?.harvestStamp;
    const body = { vid: [{ target_id: 'subject' }], name: [{ value: 'New sobriquet' }] };
    expect((await repository.patch(`/taxonomy/term/${subject}?_format=json`, body, 'admin')).status).toBe(200);
    expect(await indexed('moniker')).toEqual([]);
    expect(await indexed('sobriquet', 'subject')).toEqual([nid]);
    expect((await recordOf(nid))?.harvestStamp).toBeGreaterThanOrEqual(stamp ?? 0);
  });

  it('is not searched while it is unpublished', async () => {
    const subject = await repository.build.term('subject', 'Clandestine');
    const nid = await node('Of a hidden term', { field_subject: [{ target_id: subject }] });
    const publish = (value: boolean) =>
      repository.patch(
        `/taxonomy/term/${subject}?_format=json`,
        { vid: [{ target_id: 'subject' }], status: [{ value }] },
        'admin',
      );
    expect((await publish(false)).status).toBe(200);
    expect(await indexed('clandestine')).toEqual([]);
    expect((await recordOf(nid))?.facets.subject).toBeUndefined();
    await publish(true);
    expect(await indexed('clandestine')).toEqual([nid]);
  });

  it('is no longer found once it is deleted', async () => {
    const subject = await repository.build.term('subject', 'Obsolescent');
    const nid = await node('Of a deleted term', { field_subject: [{ target_id: subject }] });
    expect((await repository.delete(`/taxonomy/term/${subject}?_format=json`, 'admin')).status).toBe(204);
    expect(await indexed('obsolescent')).toEqual([]);
    expect((await recordOf(nid))?.facets.subject).toBeUndefined();
  });
});

describe('a deleted collection', () => {
  it('is removed from the records of its members', async () => {
    const collection = await node('Dissolved');
    const nid = await node('Orphan', { field_member_of: [{ target_id: collection }] });
    expect((await repository.delete(`/node/${collection}?_format=json`, 'admin')).status).toBe(204);
    expect(await recordOf(nid)).toMatchObject({ collections: [] });
  });
});
