import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { type Actor, createActorFactory } from '../../../src/repository/actor.ts';
import { findBreadcrumbs } from '../../../src/repository/content/read/find-breadcrumbs.ts';
import { findSiblings } from '../../../src/repository/content/read/find-siblings.ts';
import { copyNode } from '../../support/copied-nodes.ts';
import { createLinkedSite, type LinkedSite } from '../../support/linked-site.ts';

let site: LinkedSite;
let reader: Actor;
let admin: Actor;

beforeAll(async () => {
  site = await createLinkedSite();
  const makeActor = createActorFactory(site.repository.running.services.model, site.repository.running.services.access);
  reader = makeActor({ id: 0, uuid: '', name: '', roles: [] });
  admin = makeActor({ id: 1, uuid: '', name: 'admin', roles: ['administrator'] });
});
afterAll(() => site.stop());

const node = (title: string, parents: number[] = [], fields: object = {}) =>
  site.node({ title: [title], field_member_of: parents, ...fields }, 'admin');

async function paths(id: number, actor = reader): Promise<string[]> {
  const found = await findBreadcrumbs(site.repository.running.services, actor, id);
  return found.map((path) => path.map(({ label }) => label).join(' > '));
}

async function around(id: number, { actor = reader, parent }: { actor?: Actor; parent?: number } = {}) {
  const found = await findSiblings(site.repository.running.services, actor, id, parent);
  return found && [found.parent.label, found.previous?.label, found.next?.label];
}

describe('breadcrumbs', () => {
  it('lead from the topmost ancestor to the parent', async () => {
    const top = await node('Top');
    const item = await node('Item', [await node('Middle', [top])]);
    expect(await paths(item)).toEqual(['Top > Middle']);
    expect(await paths(top)).toEqual([]);
  });

  it('show both paths of a node in two collections, in field order', async () => {
    const [one, two] = [await node('One'), await node('Two')];
    expect(await paths(await node('Both', [two, one]))).toEqual(['Two', 'One']);
    expect(await paths(await node('Twice', [one, one]))).toEqual(['One']);
  });

  it('stop in a cycle', async () => {
    const first = await node('First');
    const second = await node('Second', [first]);
    await site.changeNode(first, { field_member_of: [second] });
    expect(await paths(first)).toEqual(['Second']);
    expect(await paths(await node('Below', [second]))).toEqual(['First > Second']);
    await site.changeNode(first, { field_member_of: [first] });
    expect(await paths(first)).toEqual([]);
  });

  it('omit ancestors that the caller may not view, and all above them', async () => {
    const top = await node('Top');
    const draft = await node('Draft', [top], { status: [false] });
    const item = await node('Item', [await node('Open', [draft])]);
    expect(await paths(item)).toEqual(['Open']);
    expect(await paths(item, admin)).toEqual(['Top > Draft > Open']);
    expect(await paths(await node('Inside', [draft]))).toEqual([]);
  });

  it('are limited in length and number', async () => {
    let last = await node('Level 0');
    for (let level = 1; level <= 10; level++) last = await node(`Level ${level}`, [last]);
    expect(await paths(await node('Deep', [last]))).toEqual([
      Array.from({ length: 8 }, (_, at) => `Level ${at + 3}`).join(' > '),
    ]);
    const parents: number[] = [];
    for (let at = 0; at < 5; at++) parents.push(await node(`Parent ${at}`));
    expect(await paths(await node('Wide', parents))).toEqual(['Parent 0', 'Parent 1', 'Parent 2']);
  });
});

describe('siblings', () => {
  it('are sorted by weight, those without one first', async () => {
    const book = await node('Book');
    const page = (title: string, weight?: number) => node(title, [book], weight ? { field_weight: [weight] } : {});
    const ids = [await page('c', 1), await page('a'), await page('e', 20), await page('d', 1), await page('b')];
    expect(await Promise.all(ids.map((id) => around(id)))).toEqual([
      ['Book', 'b', 'd'],
      ['Book', undefined, 'b'],
      ['Book', 'd', undefined],
      ['Book', 'c', 'e'],
      ['Book', 'a', 'c'],
    ]);
  });

  it('skip nodes that the caller may not view', async () => {
    const book = await node('Book');
    const first = await node('First', [book]);
    await node('Draft', [book], { status: [false] });
    await node('Last', [book]);
    expect(await around(first)).toEqual(['Book', undefined, 'Last']);
    expect(await around(first, { actor: admin })).toEqual(['Book', undefined, 'Draft']);
  });

  it('come from the first collection, or from the given one', async () => {
    const [one, two, draft] = [await node('One'), await node('Two'), await node('Draft', [], { status: [false] })];
    const item = await node('Item', [draft, one, two]);
    await node('Other', [two]);
    expect(await around(item)).toEqual(['One', undefined, undefined]);
    expect(await around(item, { parent: two })).toEqual(['Two', undefined, 'Other']);
    expect(await around(item, { parent: draft })).toEqual(['One', undefined, undefined]);
    expect(await around(item, { parent: 1e9 })).toEqual(['One', undefined, undefined]);
    expect(await around(one)).toBeUndefined();
  });

  it('are found among 5,000', async () => {
    const large = await node('Large');
    const first = await node('One of many', [large]);
    const { firstNode } = await copyNode(site.repository.running.services.database, first, 4_999, 'sibling');
    const found = await findSiblings(site.repository.running.services, reader, firstNode + 2_000);
    expect(found).toMatchObject({ previous: { id: firstNode + 1_999 }, next: { id: firstNode + 2_001 } });
  });
});
