import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { SiteBuilder } from '../../support/site-builder.ts';
import { createTestRepository, type EntityJson, type TestRepository } from '../../support/test-repository.ts';
import { until } from '../../support/until.ts';

let repository: TestRepository;
let build: SiteBuilder;
beforeAll(async () => {
  repository = await createTestRepository();
  build = new SiteBuilder(repository);
  await repository.user('reader');
  await repository.user('editor', 'repository_editor');
});
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await repository.stop();
});

const merge = (from: number, into: number, as = 'admin', more: object = {}) =>
  repository.post(`/taxonomy/term/${from}/merge?_format=json`, { into, ...more }, as);
const messageOf = async (response: Response) => ((await response.json()) as { message: string }).message;
const subjectsOf = async (node: number) =>
  ((await build.read(`/node/${node}`)) as EntityJson).field_subject.map(
    (item: { target_id: number }) => item.target_id,
  );
const addressOf = async (term: number) =>
  (await repository.get(`/taxonomy/term/${term}?_format=json`)).headers.get('location');

/** Lets another process hold all new runs, which does nothing. The returned function ends that. */
async function holdMerges(): Promise<() => Promise<void>> {
  const { database, merges } = repository.running.services;
  await database.write([
    `CREATE TRIGGER held AFTER INSERT ON run WHEN NEW.kind = 'merge' BEGIN
      UPDATE run SET lease = 'elsewhere', lease_until = unixepoch() + 3600 WHERE id = NEW.id; END`,
  ]);
  return async () => {
    await database.write(['DROP TRIGGER held', `UPDATE run SET lease = NULL WHERE lease = 'elsewhere'`]);
    merges.wake();
  };
}

const valuesOf = (entity: EntityJson, field: string) => entity[field].map(({ value }: { value: unknown }) => value);
const found = async (words: string) =>
  ((await (await repository.get(`/search?_format=json&q=${words}`)).json()) as { total: number }).total;

describe('a merge of terms', () => {
  it('moves references, keeps names, redirects addresses, and is found by search', async () => {
    const wrong = await build.term('subject', 'Harbors', {
      field_alternate_name: ['Havens'],
      path: [{ alias: '/harbors' }],
    });
    const right = await build.term('subject', 'Harbours', { field_alternate_name: ['Ports'] });
    const below = await build.term('subject', 'Quays', { parent: [wrong] });
    const one = await build.node('image', 'The bay', { field_subject: [wrong] });
    const both = await build.node('image', 'The island', { field_subject: [wrong, right] });
    const etag = (await repository.get(`/node/${one}?_format=json`)).headers.get('etag');

    expect((await merge(wrong, right)).status).toBe(200);
    await until(async () => (await subjectsOf(both)).length === 1);
    await until(async () => (await subjectsOf(one))[0] === right);
    expect(await subjectsOf(both)).toEqual([right]);
    const item = (await build.read(`/node/${one}`)).field_subject[0];
    const term = (await build.read(`/taxonomy/term/${right}`)) as EntityJson;
    expect(item).toEqual({
      ...{ target_id: right, target_type: 'taxonomy_term', target_uuid: term.uuid[0].value },
      url: `/taxonomy/term/${right}`,
    });
    expect((await repository.get(`/node/${one}?_format=json`)).headers.get('etag')).not.toBe(etag);
    expect(valuesOf(term, 'field_alternate_name')).toEqual(['Ports', 'Harbors', 'Havens']);
    await until(async () => (await build.read(`/taxonomy/term/${below}`)).parent[0].target_id === right);
    await until(async () => (await found('harbours')) === 2);
    expect(await found('havens')).toBe(2);

    const old = await repository.fetch(`/taxonomy/term/${wrong}?_format=json`, { redirect: 'manual' });
    expect([old.status, old.headers.get('location')]).toEqual([
      301,
      `${repository.url}/taxonomy/term/${right}?_format=json`,
    ]);
    const page = await repository.fetch('/harbors', { redirect: 'manual', headers: { Accept: 'text/html' } });
    expect([page.status, page.headers.get('location')]).toEqual([301, `${repository.url}/taxonomy/term/${right}`]);
    expect((await repository.delete(`/taxonomy/term/${wrong}?_format=json`, 'admin')).status).toBe(404);
  });

  it('shows the new name at once, before the references have moved', async () => {
    const [wrong, right] = [await build.term('subject', 'Ferrys'), await build.term('subject', 'Ferries')];
    const item = await build.node('image', 'The crossing', { field_subject: [wrong] });
    const release = await holdMerges();
    expect(await (await merge(wrong, right)).json()).toEqual({ into: right, uses: 1 });
    const page = await (await repository.fetch(`/node/${item}`, { headers: { Accept: 'text/html' } })).text();
    expect(page).toContain('Ferries');
    expect(page).not.toContain('Ferrys');
    expect(await addressOf(wrong)).toEndWith(`/taxonomy/term/${right}?_format=json`);
    const named = await (
      await repository.get('/entity/completions/node/islandora_object/field_subject?q=ferr', 'admin')
    ).json();
    expect(named.completions.map(({ text }: { text: string }) => text)).toEqual([`Ferries (${right})`]);
    expect(await messageOf(await merge(wrong, right))).toBe(`The term ${wrong} was merged into the term ${right}.`);
    const third = await build.term('subject', 'Ferry boats');
    expect((await merge(right, third)).status).toBe(200);
    await release();
    await until(async () => (await subjectsOf(item))[0] === third);
    const end = (await build.read(`/taxonomy/term/${third}`)) as EntityJson;
    expect(valuesOf(end, 'field_alternate_name')).toEqual(['Ferries', 'Ferrys']);
    expect(await addressOf(wrong)).toEndWith(`/taxonomy/term/${third}?_format=json`);
  });

  it('ends as a deletion if the other term is deleted meanwhile', async () => {
    const [wrong, right] = [await build.term('subject', 'Dikes'), await build.term('subject', 'Dykes')];
    const item = await build.node('image', 'The dyke', { field_subject: [wrong] });
    const release = await holdMerges();
    expect((await merge(wrong, right)).status).toBe(200);
    await build.remove(`/taxonomy/term/${right}`);
    await release();
    await until(async () => (await subjectsOf(item)).length === 0);
    const { rows } = await repository.running.services.database.client.execute(
      `SELECT count(*) FROM taxonomy_term WHERE id IN (${wrong}, ${right})`,
    );
    expect(Number(rows[0]?.[0])).toBe(0);
  });

  it('replaces a term and keeps it, without references', async () => {
    const [one, other] = [await build.term('genre', 'Maps'), await build.term('genre', 'Charts')];
    const item = await build.node('image', 'The coast', { field_genre: [one] });
    expect((await merge(one, other, 'admin', { keep: true })).status).toBe(200);
    await until(async () => (await build.read(`/node/${item}`)).field_genre[0].target_id === other);
    expect(await addressOf(one)).toBe(null);
    expect((await build.read(`/taxonomy/term/${other}`)).field_alternate_name).toEqual([]);
  });

  it('moves a term to another vocabulary, where its name was created, with relations, URIs and addresses', async () => {
    const firm = await build.term('person', 'Black Ball Line', {
      field_authority_link: [{ source: 'viaf', uri: 'http://viaf.org/viaf/134', title: 'VIAF Record' }],
      path: [{ alias: '/black-ball' }],
    });
    const moved = await build.term('corporate_body', 'Black Ball Line');
    const item = await build.node('image', 'A clipper', {
      field_linked_agent: [{ target_id: firm, rel_type: 'relators:pht' }],
    });
    expect((await merge(firm, moved)).status).toBe(200);
    const agent = async () => (await build.read(`/node/${item}`)).field_linked_agent[0];
    await until(async () => (await agent()).target_id === moved);
    expect(await agent()).toMatchObject({ rel_type: 'relators:pht', url: `/taxonomy/term/${moved}` });
    const term = await build.read(`/taxonomy/term/${moved}`);
    expect([term.vid[0].target_id, term.field_authority_link[0].uri]).toEqual([
      'corporate_body',
      'http://viaf.org/viaf/134',
    ]);
    // Its own name is no other name of it.
    expect(JSON.stringify(term).match(/Black Ball Line/g)).toHaveLength(1);
    const old = await repository.fetch('/black-ball', { redirect: 'manual', headers: { Accept: 'text/html' } });
    expect([old.status, old.headers.get('location')]).toEqual([301, `${repository.url}/taxonomy/term/${moved}`]);
  });

  it('is refused for a term and itself, one below it, an unknown one, and another vocabulary', async () => {
    const top = await build.term('subject', 'Animals');
    const middle = await build.term('subject', 'Birds', { parent: [top] });
    const low = await build.term('subject', 'Owls', { parent: [middle] });
    await build.node('image', 'A bird', { field_subject: [middle] });
    const person = await build.term('person', 'Bird, Jane');
    const problem = async (from: number, into: number): Promise<unknown[]> => {
      const response = await merge(from, into);
      return [response.status, await messageOf(response)];
    };
    expect(await problem(top, top)).toEqual([422, 'A term cannot replace itself.']);
    const isBelow = 'A term cannot be replaced by one below it. Move that one first, or merge it into this one.';
    expect(await problem(top, middle)).toEqual([422, isBelow]);
    expect(await problem(top, low)).toEqual([422, isBelow]);
    expect(await problem(top, 999_999)).toEqual([422, 'The term 999999 does not exist.']);
    expect(await problem(999_999, top)).toEqual([404, expect.anything()]);
    expect(await problem(low, person)).toEqual([200, undefined]);
    expect(await problem(middle, person)).toEqual([
      422,
      'The field field_subject of Repository Item does not accept terms of Person.',
    ]);
  });

  it('requires the permission to delete the term and to change the other one', async () => {
    const [one, other] = [await build.term('subject', 'Boats'), await build.term('subject', 'Vessels')];
    expect((await merge(one, other, 'reader')).status).toBe(403);
    expect((await repository.post(`/taxonomy/term/${one}/merge?_format=json`, { into: other })).status).toBe(401);
    expect((await merge(one, other, 'editor')).status).toBe(200);
  });

  it('keeps terms of the configuration, and moves their URIs where there is room', async () => {
    const original = await repository.termId('http://pcdm.org/use#OriginalFile');
    const service = await repository.termId('http://pcdm.org/use#ServiceFile');
    const plain = await build.term('islandora_media_use', 'Master file');
    const refused = await merge(original, plain, 'editor');
    expect([refused.status, await messageOf(refused)]).toEqual([
      403,
      expect.stringContaining('administer configured terms'),
    ]);
    const full = await merge(original, service);
    expect([full.status, await messageOf(full)]).toEqual([
      422,
      expect.stringContaining('for which the other term has no room'),
    ]);
    expect((await merge(original, plain)).status).toBe(200);
    const uri = encodeURIComponent('http://pcdm.org/use#OriginalFile');
    const [term] = (await build.json(`/term_from_uri?_format=json&uri=${uri}`, 'admin')) as unknown as EntityJson[];
    expect(term?.tid[0].value).toBe(plain);
  });

  it('happens once if it is requested twice at the same time', async () => {
    const [wrong, one, other] = [
      await build.term('subject', 'Lighthous'),
      await build.term('subject', 'Lighthouses'),
      await build.term('subject', 'Beacons'),
    ];
    const item = await build.node('image', 'The light', { field_subject: [wrong] });
    const answers = await Promise.all([merge(wrong, one), merge(wrong, other)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    const winner = answers[0]?.status === 200 ? one : other;
    await until(async () => (await subjectsOf(item))[0] === winner);
  });
});
