import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { createTestRepository, type EntityJson, type TestRepository } from '../../support/test-repository.ts';

let repository: TestRepository;
beforeAll(async () => {
  repository = await createTestRepository();
});
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await repository.stop();
});

async function term(name: string, parents: number[] = [], body: object = {}): Promise<number> {
  const parent = parents.map((target_id) => ({ target_id }));
  const response = await repository.post(
    '/taxonomy/term',
    { vid: 'geo_location', name: [name], parent, ...body },
    'admin',
  );
  if (response.status !== 201) throw new Error(await response.text());
  return ((await response.json()) as EntityJson).tid[0].value;
}

const read = async (path: string, as = 'admin') => (await (await repository.get(path, as)).json()) as EntityJson;
const parentsOf = async (tid: number) =>
  (await read(`/taxonomy/term/${tid}`)).parent.map((each: EntityJson) => each.target_id);
const move = (tid: number, parents: unknown[], vid = 'geo_location') =>
  repository.patch(`/taxonomy/term/${tid}`, { vid, parent: parents.map((target_id) => ({ target_id })) }, 'admin');
const status = async (path: string) => (await repository.get(path, 'admin')).status;

const circle = (tid: number, delta = 0) => ({
  message: `Unprocessable Entity: validation failed.\nparent.${delta}.target_id: This entity (taxonomy_term: ${tid}) cannot be referenced: it is the term itself or one of its descendants.\n`,
});

describe('a term with parents', () => {
  it('lists its parents and can be moved, even to the top', async () => {
    const [europe, empire] = [await term('Europe'), await term('Roman Empire')];
    const italy = await term('Italy', [europe, empire]);
    const { uuid } = await read(`/taxonomy/term/${europe}`);
    const { parent } = await read(`/taxonomy/term/${italy}`);
    expect(parent[0]).toEqual({
      target_id: europe,
      target_type: 'taxonomy_term',
      target_uuid: uuid[0].value,
      url: `/taxonomy/term/${europe}`,
    });
    expect(await parentsOf(italy)).toEqual([europe, empire]);
    expect((await move(italy, [empire])).status).toBe(200);
    expect(await parentsOf(italy)).toEqual([empire]);
    for (const top of [[], [null]]) {
      expect((await move(italy, [empire])).status).toBe(200);
      expect((await move(italy, top)).status).toBe(200);
      expect(await parentsOf(italy)).toEqual([null]);
    }
  });

  it('is never its own parent or descendant', async () => {
    const top = await term('Top');
    const middle = await term('Middle', [top]);
    const bottom = await term('Bottom', [middle]);
    const side = await term('Side');
    for (const [parents, delta] of [
      [[top], 0],
      [[middle], 0],
      [[side, bottom], 1],
      [[String(bottom)], 0],
    ] as const) {
      const refused = await move(top, [...parents]);
      expect(refused.status).toBe(422);
      expect(await refused.json()).toEqual(circle(Number(parents[delta]), delta));
    }
    expect(await parentsOf(top)).toEqual([null]);
    expect((await move(bottom, [top, side])).status).toBe(200);
  });

  it('forms no cycle when many terms are moved at once', async () => {
    const ring: number[] = [];
    for (let count = 0; count < 20; count++) ring.push(await term(`Ring ${count}`));
    const moved = await Promise.all(ring.map((tid, at) => move(tid, [ring[(at + 1) % ring.length]])));
    expect(moved.map((each) => each.status).sort()).toEqual([...Array(19).fill(200), 422]);
    const parents = await Promise.all(ring.map(parentsOf));
    expect(parents.filter(([parent]) => parent === null)).toHaveLength(1);
  });

  it('survives if it is moved while its parent is deleted', async () => {
    const other = await term('Elsewhere');
    for (let round = 0; round < 12; round++) {
      const top = await term(`Top ${round}`);
      const below = await Promise.all(Array.from({ length: 4 }, (_each, at) => term(`Below ${round} ${at}`, [top])));
      const moves = below.map((tid) => move(tid, [other]));
      const [removed, ...moved] = await Promise.all([repository.delete(`/taxonomy/term/${top}`, 'admin'), ...moves]);
      expect(removed.status).toBe(204);
      for (const [at, tid] of below.entries()) {
        const isMoved = moved[at]?.status === 200;
        expect({ isMoved, status: await status(`/taxonomy/term/${tid}`) }).toEqual({
          isMoved,
          status: isMoved ? 200 : 404,
        });
      }
    }
  });

  it('must be in the vocabulary of its parents', async () => {
    const place = await term('Place');
    const message = `Unprocessable Entity: validation failed.\nparent.0.target_id: This entity (taxonomy_term: ${place}) cannot be referenced.\n`;
    const refused = await repository.post(
      '/taxonomy/term',
      { vid: 'tags', name: ['x'], parent: [{ target_id: place }] },
      'admin',
    );
    expect(refused.status).toBe(422);
    expect(await refused.json()).toEqual({ message });
    const missing = await move(place, [99999]);
    expect(missing.status).toBe(422);
    expect(((await missing.json()) as EntityJson).message).toEndWith(
      'parent.0.target_id: The referenced entity (taxonomy_term: 99999) does not exist.\n',
    );
  });

  it('is deleted with its last parent, but not with another one', async () => {
    const [top, other] = [await term('Top'), await term('Other')];
    const child = await term('Child', [top]);
    const grandchild = await term('Grandchild', [child]);
    const shared = await term('Shared', [top, other]);
    const belowBoth = await term('Below', [child, shared]);
    const tagged = await repository.node({
      field_geographic_subject: [{ target_id: grandchild }, { target_id: shared }],
    });
    expect((await repository.delete(`/taxonomy/term/${top}`, 'admin')).status).toBe(204);
    for (const gone of [top, child, grandchild]) expect(await status(`/taxonomy/term/${gone}`)).toBe(404);
    expect(await parentsOf(shared)).toEqual([other]);
    expect(await parentsOf(belowBoth)).toEqual([shared]);
    const node = await read(`/node/${tagged.nid[0].value}`);
    expect(node.field_geographic_subject.map((each: EntityJson) => each.target_id)).toEqual([shared]);
  });

  it('follows the same rules at a depth of 60', async () => {
    let parent = await term('Level 0');
    const top = parent;
    for (let level = 1; level <= 60; level++) parent = await term(`Level ${level}`, [parent]);
    expect(await (await move(top, [parent])).json()).toEqual(circle(parent));
    expect((await repository.delete(`/taxonomy/term/${top}`, 'admin')).status).toBe(204);
    expect(await status(`/taxonomy/term/${parent}`)).toBe(404);
  });
});

describe('content that refers to a deleted entity', () => {
  it('loses that reference, also in old revisions', async () => {
    const [keep, gone, parent] = [await term('Keep'), await term('Gone'), await repository.node()];
    const node = await repository.node({
      field_geographic_subject: [{ target_id: gone }, { target_id: keep }, { target_id: gone }],
      field_member_of: [{ target_id: parent.nid[0].value }],
    });
    const path = `/node/${node.nid[0].value}`;
    const type = 'islandora_object';
    const video = { bundle: 'remote_video', field_media_oembed_video: ['https://example.org/v'] };
    expect((await repository.post('/entity/media', video, 'admin')).status).toBe(201);
    expect((await repository.patch(path, { type, title: ['Second'] }, 'admin')).status).toBe(200);
    await repository.delete(`/taxonomy/term/${gone}`, 'admin');
    await repository.delete(`/node/${parent.nid[0].value}`, 'admin');
    const kept = [expect.objectContaining({ target_id: keep })];
    for (const address of [path, `${path}/revisions/${node.vid[0].value}/view`]) {
      const seen = await read(address);
      expect({
        address,
        field_geographic_subject: seen.field_geographic_subject,
        field_member_of: seen.field_member_of,
      }).toEqual({ address, field_geographic_subject: kept, field_member_of: [] });
    }
    const before = await read(path);
    expect(await (await repository.patch(path, before, 'admin')).json()).toEqual(before);
    const changed = await repository.patch(path, { type, title: ['Third'] }, 'admin');
    expect(((await changed.json()) as EntityJson).field_geographic_subject).toEqual(kept);
    const reverted = await repository.post(`${path}/revisions/${node.vid[0].value}/revert`, '', 'admin');
    expect(reverted.status).toBe(200);
    const back = (await reverted.json()) as EntityJson;
    expect(back.title).toEqual([{ value: 'A title' }]);
    expect(back.field_geographic_subject).toEqual(kept);
    expect(back.field_member_of).toEqual([]);
    expect(await read(path)).toEqual(back);
  });

  it('gets another ETag', async () => {
    const gone = await term('Gone');
    const node = await repository.node({ field_geographic_subject: [{ target_id: gone }] });
    const path = `/node/${node.nid[0].value}`;
    const etag = (await repository.get(path, 'admin')).headers.get('ETag') ?? '';
    await repository.delete(`/taxonomy/term/${gone}`, 'admin');
    expect((await repository.get(path, 'admin', { 'If-None-Match': etag })).status).toBe(200);
    const write = await repository.patch(path, { type: 'islandora_object', title: ['x'] }, 'admin', {
      'If-Match': etag,
    });
    expect(write.status).toBe(412);
  });

  it('loses even a required reference, which can be filled again', async () => {
    const made = await repository.post('/taxonomy/term', { vid: 'islandora_models', name: ['Model'] }, 'admin');
    const { tid } = (await made.json()) as EntityJson;
    const node = await repository.node({ field_model: [{ target_id: tid[0].value }] });
    await repository.delete(`/taxonomy/term/${tid[0].value}`, 'admin');
    const path = `/node/${node.nid[0].value}`;
    expect((await read(path)).field_model).toEqual([]);
    const image = await repository.termId('http://purl.org/coar/resource_type/c_c513');
    expect((await repository.patch(path, { type: 'islandora_object', title: ['x'] }, 'admin')).status).toBe(200);
    const filled = await repository.patch(
      path,
      { type: 'islandora_object', field_model: [{ target_id: image }] },
      'admin',
    );
    expect(((await filled.json()) as EntityJson).field_model[0].target_id).toBe(image);
  });
});

describe('a term lookup', () => {
  const found = async (path: string, as = 'admin') => {
    const list = (await read(path, as)) as unknown as EntityJson[];
    return list.map(({ tid }) => tid[0].value);
  };

  it('finds terms by name in any letter case in one vocabulary', async () => {
    const smith = await term('Smith, A & Söhne');
    await repository.post('/taxonomy/term', { vid: 'person', name: ['Smith, A & Söhne'] }, 'admin');
    for (const name of ['Smith, A & Söhne', 'SMITH, a & Söhne']) {
      const query = new URLSearchParams({ vocab: 'geo_location', name, _format: 'json' });
      expect(await found(`/term_from_term_name?${query}`)).toEqual([smith]);
    }
    for (const query of [
      'vocab=geo_location&name=person:Smith',
      'vocab=none&name=x',
      'vocab=geo_location',
      'name=x',
      '',
      'vocab=geo_location&name=%25',
    ])
      expect({ query, found: await found(`/term_from_term_name?${query}`) }).toEqual({ query, found: [] });
  });

  it('finds published terms by URI and authority link', async () => {
    const [uri, link] = ['http://example.org/a#b', 'http://example.org/authority'];
    const items = { vid: 'islandora_models', name: ['x'], field_external_uri: [{ uri }] };
    const one = ((await (await repository.post('/taxonomy/term', items, 'admin')).json()) as EntityJson).tid[0].value;
    await repository.post('/taxonomy/term', { ...items, status: ['0'] }, 'admin');
    const place = await term('Place', [], { field_authority_link: [{ uri: link, source: 'geonames' }] });
    expect(await found(`/term_from_uri?_format=json&uri=${encodeURIComponent(uri)}`)).toEqual([one]);
    expect(await found(`/term_from_authority_link?authority_link=${encodeURIComponent(link)}`)).toEqual([place]);
    expect(await found(`/term_from_uri?uri=${encodeURIComponent(link)}`)).toEqual([]);
    await repository.patch(`/taxonomy/term/${place}`, { vid: 'geo_location', field_authority_link: [] }, 'admin');
    expect(await found(`/term_from_authority_link?authority_link=${encodeURIComponent(link)}`)).toEqual([]);
  });

  it('lists a vocabulary by weight and name, by path or by query', async () => {
    const make = async (name: string, weight: number) =>
      (
        (await (
          await repository.post('/taxonomy/term', { vid: 'tags', name: [name], weight: [weight] }, 'admin')
        ).json()) as EntityJson
      ).tid[0].value as number;
    const [b, a, first] = [await make('b', 0), await make('A', 0), await make('z', -5)];
    for (const path of ['/vocabulary/tags?_format=json', '/vocabulary?vid=tags&_format=json'])
      expect(await found(path)).toEqual([first, a, b]);
    expect(await found('/vocabulary?vid=none')).toEqual([]);
    expect((await repository.get('/vocabulary/none', 'admin')).status).toBe(404);
    expect(await found('/vocabulary/country')).toHaveLength((await found('/vocabulary?vid=country')).length);
    expect(await found('/vocabulary/country?page=0')).toHaveLength(10);
    expect(await found('/vocabulary/country?page=1000000')).toEqual([]);
  });
});
