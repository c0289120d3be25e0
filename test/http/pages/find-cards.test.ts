import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { type Actor, createActorFactory } from '../../../src/repository/actor.ts';
import type { CardSort } from '../../../src/repository/content/lists/card-list.ts';
import { type CardSelection, findCards } from '../../../src/repository/content/lists/find-cards.ts';
import { copyNode } from '../../support/copied-nodes.ts';
import { createLinkedSite, type LinkedSite } from '../../support/linked-site.ts';

const THUMBNAIL = 'http://pcdm.org/use#ThumbnailImage';
const COLLECTION = 'http://purl.org/dc/dcmitype/Collection';

let site: LinkedSite;
let actors: Record<'anonymous' | 'loader' | 'admin', Actor>;
let collection: number;

beforeAll(async () => {
  site = await createLinkedSite();
  const makeActor = createActorFactory(site.repository.running.services.model, site.repository.running.services.access);
  actors = {
    anonymous: makeActor({ id: 0, uuid: '', name: '', roles: [] }),
    loader: makeActor({ id: site.loader, uuid: '', name: 'loader', roles: ['workbench_user'] }),
    admin: makeActor({ id: 1, uuid: '', name: 'admin', roles: ['administrator'] }),
  };
  collection = await modelTerm(COLLECTION);
});
afterAll(() => site.stop());

/** The id of the term of a model: other vocabularies have terms with the same URI. */
async function modelTerm(uri: string): Promise<number> {
  const { rows } = await site.repository.running.services.database.client.execute({
    sql: `SELECT id FROM taxonomy_term JOIN term_uri ON term_id = id WHERE bundle = 'islandora_models' AND uri = ?`,
    args: [uri],
  });
  return Number(rows[0]?.[0]);
}

async function listed(
  selection: CardSelection,
  { as = 'anonymous', page = 0, size = 48, sort }: Partial<CardsQuery> = {},
): Promise<string[]> {
  const { services } = site.repository.running;
  const { cards } = await findCards(services, actors[as], selection, { page, size, sort });
  return cards.map(({ label }) => label);
}

interface CardsQuery {
  readonly as: keyof typeof actors;
  readonly page: number;
  readonly size: number;
  readonly sort: CardSort;
}

async function listedThumbnails(selection: CardSelection): Promise<(string | undefined)[]> {
  return (await cardsOf(selection)).cards.map(({ thumbnail }) => thumbnail?.path);
}

const cardsOf = (selection: CardSelection, as: keyof typeof actors = 'anonymous', size = 48) =>
  findCards(site.repository.running.services, actors[as], selection, { page: 0, size });

describe('the members of a node', () => {
  let parent: number;
  beforeAll(async () => {
    parent = await site.node({ title: ['Parent'], field_model: [collection] });
    const member = (title: string, fields: object = {}, as = 'loader') =>
      site.node({ title: [title], field_member_of: [parent], ...fields }, as);
    await member('b', { field_weight: [2], field_edtf_date_created: ['1930'] });
    await member('A', { field_weight: [3], field_edtf_date: ['[1890..1900]'] });
    await member('c', { field_weight: [1] });
    await member('hidden', { field_weight: [1], status: [false] }, 'admin');
    await member('secret', { status: [false] }, 'admin');
  });

  it('are sorted by weight, title, date or age', async () => {
    const members = { members: parent };
    expect(await listed(members)).toEqual(['c', 'b', 'A']);
    expect(await listed(members, { sort: 'title' })).toEqual(['A', 'b', 'c']);
    expect(await listed(members, { sort: 'date' })).toEqual(['A', 'b', 'c']);
    expect(await listed(members, { sort: 'newest' })).toEqual(['c', 'A', 'b']);
  });

  it('include only those that the caller may view, in lists and counts', async () => {
    expect(await listed({ members: parent }, { as: 'admin' })).toEqual(['secret', 'c', 'hidden', 'b', 'A']);
    for (const [as, total] of [
      ['anonymous', 3],
      ['loader', 3],
      ['admin', 5],
    ] as const) {
      expect((await cardsOf({ members: parent }, as)).total).toBe(total);
      const [card] = (await cardsOf('collections', as)).cards;
      expect(card).toMatchObject({
        label: 'Parent',
        model: 'Collection',
        icon: expect.stringContaining('M3 7h18'),
        members: total,
      });
    }
  });

  it('have pages, and none after the last', async () => {
    expect(await listed({ members: parent }, { page: 1, size: 2 })).toEqual(['A']);
    for (const page of [2, 1e9, 1e300]) expect(await listed({ members: parent }, { page, size: 2 })).toEqual([]);
    expect(await listed({ members: 1e15 })).toEqual([]);
  });

  it('are listed once if they name their parent twice', async () => {
    const twice = await site.node({ title: ['Twice'] });
    await site.node({ title: ['Member'], field_member_of: [twice, twice] });
    expect(await listed({ members: twice })).toEqual(['Member']);
    expect((await cardsOf({ members: twice })).total).toBe(1);
  });

  it('have dates and languages', async () => {
    const { cards } = await cardsOf({ members: parent });
    expect(cards.map(({ date }) => date)).toEqual([undefined, '1930', '[1890..1900]']);
    expect(cards[0]).toMatchObject({ language: 'en', isPublished: true, model: 'Image', members: undefined });
  });
});

describe('the thumbnail of a card', () => {
  it('is a published thumbnail media, with its size', async () => {
    const parent = await site.node({ field_model: [collection] });
    const member = await site.node({ field_member_of: [parent] });
    const { id, path } = await site.picture(member, THUMBNAIL);
    const thumbnail = { path, width: 1, height: 1 };
    expect((await cardsOf({ members: parent })).cards[0]?.thumbnail).toEqual(thumbnail);
    await site.changeMedia(id, { status: [false] });
    expect((await cardsOf({ members: parent })).cards[0]?.thumbnail).toBeUndefined();
    expect((await cardsOf({ members: parent }, 'admin')).cards[0]?.thumbnail).toEqual(thumbnail);
  });

  it('is missing for a node with only other media', async () => {
    const parent = await site.node({});
    await site.picture(await site.node({ field_member_of: [parent] }), 'http://pcdm.org/use#OriginalFile');
    expect((await cardsOf({ members: parent })).cards[0]?.thumbnail).toBeUndefined();
  });

  it('of a collection comes from its representative image, or its first viewable member', async () => {
    const top = await site.node({});
    const parent = await site.node({ field_model: [collection], field_member_of: [top] });
    const hidden = await site.node({ field_member_of: [parent], status: [false] }, 'admin');
    await site.picture(hidden, THUMBNAIL);
    await site.node({ field_member_of: [parent] });
    const found = async () => (await cardsOf({ members: top })).cards[0]?.thumbnail?.path;
    expect(await found()).toBeUndefined();
    const member = await site.node({ field_member_of: [parent] });
    const { path } = await site.picture(member, THUMBNAIL);
    expect(await found()).toBe(path);
    // A collection of collections has a picture, too.
    expect(await listedThumbnails({ members: await site.node() })).toEqual([]);
    const above = await site.node();
    await site.changeNode(top, { field_member_of: [above] });
    expect(await listedThumbnails({ members: above })).toEqual([path]);
    const elsewhere = await site.node();
    const original = await site.picture(elsewhere, 'http://pcdm.org/use#OriginalFile');
    const representative = await site.picture(elsewhere, THUMBNAIL);
    await site.changeNode(parent, { field_representative_image: [original.id] });
    expect(await found()).toBe(representative.path);
    await site.changeNode(elsewhere, { status: [false] });
    expect(await found()).toBe(path);
  });
});

describe('other lists', () => {
  it('find the nodes of a term in any field, once each', async () => {
    const term = await site.term('subject', 'Rivers');
    await site.node({ title: ['One'], field_subject: [term] });
    await site.node({ title: ['Two'], field_subject: [term], field_subjects_name: [] });
    await site.node({ title: ['No'], field_subject: [term], status: [false] }, 'admin');
    expect(await listed({ term })).toEqual(['Two', 'One']);
    expect((await cardsOf({ term })).total).toBe(2);
    expect((await cardsOf({ term }, 'admin')).total).toBe(3);
  });

  it('find the nodes of an owner', async () => {
    const owner = await site.repository.user('writer', 'workbench_user');
    await site.node({ title: ['First'] }, 'writer');
    await site.node({ title: ['Second'] }, 'writer');
    await site.node({ title: ['Draft'], status: [false], uid: [owner] }, 'admin');
    expect(await listed({ owner })).toEqual(['Second', 'First']);
    expect(await listed({ owner }, { as: 'admin', size: 2 })).toEqual(['Draft', 'Second']);
  });

  it('find top collections: those in no collection that the caller may view', async () => {
    const parent = await site.node({ title: ['0 top'], field_model: [collection], status: [false] }, 'admin');
    await site.node({ title: ['0 below'], field_model: [collection], field_member_of: [parent] }, 'admin');
    expect(await listed('top collections', { as: 'admin', size: 1 })).toEqual(['0 top']);
    expect(await listed('top collections', { size: 1 })).toEqual(['0 below']);
    expect(await listed('collections', { as: 'admin', size: 2 })).toEqual(['0 below', '0 top']);
  });

  it('count no members in an empty collection', async () => {
    await site.node({ title: ['0 empty'], field_model: [collection] });
    expect((await cardsOf('top collections')).cards.find(({ label }) => label === '0 empty')?.members).toBe(0);
  });

  it('find the newest nodes except pages, even after thousands of pages', async () => {
    const page = await site.node({ field_model: [await modelTerm('http://id.loc.gov/ontologies/bibframe/part')] });
    await site.node({ title: ['Last image'] });
    await copyNode(site.repository.running.services.database, page, 2_100, 'page');
    expect(await listed('newest', { size: 1 })).toEqual(['Last image']);
  });

  it('find the newest nodes except pages', async () => {
    await site.node({ title: ['Newest'] });
    await site.node({ title: ['Page'], field_model: [await modelTerm('http://id.loc.gov/ontologies/bibframe/part')] });
    await site.node({ title: ['Draft'], status: [false] }, 'admin');
    expect(await listed('newest', { size: 1 })).toEqual(['Newest']);
  });
});

describe('a large list', () => {
  it('has pages of 5,000 members', async () => {
    const { services } = site.repository.running;
    const parent = await site.node({ title: ['Large'] });
    const member = await site.node({ title: ['One of many'], field_member_of: [parent] });
    await site.picture(member, THUMBNAIL);
    await copyNode(services.database, member, 4_999, 'many');
    const found = await findCards(services, actors.anonymous, { members: parent }, { page: 104, size: 48 });
    expect(found).toMatchObject({ total: 5_000, hasMore: false });
    expect(found.cards).toHaveLength(8);
  });
});
