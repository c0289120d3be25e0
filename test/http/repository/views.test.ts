import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import type { ExposedFilter, View } from '../../../src/model/content-model.ts';
import { createActorFactory } from '../../../src/repository/actor.ts';
import { createKinds } from '../../../src/repository/content/kinds.ts';
import { viewQuery } from '../../../src/repository/content/lists/list-view.ts';
import { createTestRepository, type EntityJson, type TestRepository } from '../../support/test-repository.ts';

const MODEL = `
views:
  all: { path: /list/all, entity_type: node, order: [title desc] }
  paged:
    path: /list/paged
    entity_type: node
    bundles: [islandora_object]
    filters:
      collection: { field: field_member_of }
      title: { field: title, operator: contains }
    order: [field_weight, title]
    page_size: 3
  node_exists:
    path: /node_exists
    entity_type: node
    filters: { field_local_identifier: { field: field_local_identifier, required: true } }
    fields: [nid]
    permission: use islandora workbench
    authentication: [basic_auth]
  find_terms:
    path: /find_terms
    entity_type: taxonomy_term
    filters: { name: { field: name, operator: starts, required: true }, vid: { field: vid } }
    order: [name]
  everything:
    path: /list/everything
    entity_type: node
    fields: [nid, title, status, type, field_linked_agent.rel_type, field_weight, path]
    filters:
      nid: { field: nid }
      uuid: { field: uuid }
      uid: { field: uid }
      status: { field: status }
      weight: { field: field_weight }
      model: { field: field_model }
      role: { field: field_linked_agent.rel_type }
      exact: { field: title }
      created: { field: created, operator: starts }
      note: { field: field_note, operator: contains }
    fixed: [{ field: promote, value: false }]
  images: { path: /list/images, entity_type: node, fixed: [{ field: field_model, value: "http://purl.org/coar/resource_type/c_c513" }], fields: [nid] }
  exact_terms: { path: /list/exact, entity_type: taxonomy_term, bundles: [tags, person], filters: { name: { field: name } } }
  media: { path: /list/media, entity_type: media, filters: { of: { field: field_media_of, required: true } } }
  children: { path: /list/children, entity_type: taxonomy_term, filters: { parent: { field: parent, required: true } }, fields: [tid, name] }
`;

let repository: TestRepository;
const nodes: EntityJson[] = [];
let collection: number;
let person: number;
beforeAll(async () => {
  repository = await createTestRepository({}, { model: MODEL });
  await repository.user('loader', 'workbench_user');
  await repository.user('reader');
  const term = async (body: object) =>
    ((await (await repository.post('/taxonomy/term', body, 'admin')).json()) as EntityJson).tid[0].value as number;
  person = await term({ vid: 'person', name: ['Smith, Ann'] });
  await term({ vid: 'person', name: ['SMITHERS'] });
  await term({ vid: 'tags', name: ['smiling'] });
  await term({ vid: 'tags', name: ['Ärger'] });
  await term({ vid: 'tags', name: ['100% wool_x'] });
  await term({ vid: 'person', name: ['Smith hidden'], status: [false] });
  await term({ vid: 'person', name: ['Below'], parent: [{ target_id: person }] });
  collection = (await repository.node({ title: ['Collection'], promote: [false] })).nid[0].value;
  for (let n = 0; n < 7; n++)
    nodes.push(
      await repository.node({
        title: [`Item ${'abcdefg'[n]}`],
        promote: [false],
        field_weight: [7 - n],
        field_member_of: [{ target_id: collection }, { target_id: collection }],
        field_local_identifier: [`id-${n}`, `other-${n}`],
        ...(n === 3 && { status: [false] }),
        ...(n === 2 && {
          field_linked_agent: [
            { target_id: person, rel_type: 'relators:pht' },
            { target_id: person, rel_type: 'relators:aut' },
          ],
          field_note: [{ value: 'A Note', format: 'basic_html' }],
        }),
      }),
    );
});
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await repository.stop();
});

const list = async (path: string, as: string | null = 'admin') => {
  const response = await repository.get(path, as ?? undefined);
  expect({ path, status: response.status, contentType: response.headers.get('Content-Type') }).toEqual({
    path,
    status: 200,
    contentType: 'application/json',
  });
  return (await response.json()) as EntityJson[];
};
const titles = async (path: string, as?: string | null) =>
  (await list(path, as)).map(({ title }) => title[0].value ?? title);
const names = async (path: string) => (await list(path)).map(({ name }) => name[0].value);
const nidOf = (n: number) => String(nodes[n]?.nid[0].value);
const nids = async (query: string) => (await list(`/list/everything?${query}`)).map(({ nid }) => nid);

describe('a list of nodes', () => {
  it('has ordered pages of complete nodes until a page is empty', async () => {
    const of = `/list/paged?_format=json&collection=${collection}&page=`;
    expect(await titles(`${of}0`)).toEqual(['Item g', 'Item f', 'Item e']);
    expect(await titles(`${of}1`)).toEqual(['Item d', 'Item c', 'Item b']);
    expect(await titles(`${of}2`)).toEqual(['Item a']);
    expect(await list(`${of}3`)).toEqual([]);
    expect(await titles(`/list/paged?collection=${collection}`)).toEqual(['Item g', 'Item f', 'Item e']);
    const [first] = await list(`${of}0`);
    expect(first).toEqual(
      (await (await repository.get(`/node/${nidOf(6)}?_format=json`, 'admin')).json()) as EntityJson,
    );
  });

  it('answers HEAD with the status of GET', async () => {
    for (const path of ['/list/paged?page=0&x=y', '/node_exists', '/find_terms?name=xxx&_format=json', '/list/all']) {
      const head = await repository.fetch(path, { method: 'HEAD', as: 'loader' });
      expect({ path, status: head.status, body: await head.text() }).toEqual({ path, status: 200, body: '' });
    }
    expect((await repository.fetch('/list/all', { method: 'POST', as: 'admin' })).status).toBe(405);
    expect((await repository.get('/list/all?_format=xml', 'admin')).status).toBe(406);
  });

  it('is complete without a page size, or has pages of fifty', async () => {
    const all = await titles('/list/all');
    expect(all).toHaveLength(8);
    expect(all).toEqual(all.toSorted().toReversed());
    expect(await list('/list/all?page=0')).toHaveLength(8);
    expect(await list('/list/all?page=1')).toEqual([]);
  });

  it('shows only nodes that the caller may see', async () => {
    const of = `/list/paged?collection=${collection}&page=1`;
    expect(await titles(of, 'reader')).toEqual(['Item c', 'Item b', 'Item a']);
    expect(await titles(of, null)).toEqual(['Item c', 'Item b', 'Item a']);
  });

  it('is complete even if it is long', async () => {
    const many = (await repository.node({ title: ['Many'] })).nid[0].value;
    await Promise.all(
      Array.from({ length: 230 }, () =>
        repository.node({ title: ['One of many'], field_member_of: [{ target_id: many }] }),
      ),
    );
    const answers = await list('/list/all');
    expect(new Set(answers.map(({ nid }) => nid[0].value)).size).toBe(239);
    const head = await repository.fetch('/list/all', { method: 'HEAD', as: 'admin' });
    expect(head.status).toBe(200);
  });

  it('can also list media by node and terms by parent', async () => {
    const video = {
      bundle: 'remote_video',
      field_media_oembed_video: ['https://example.org/v'],
      field_media_of: [{ target_id: collection }],
    };
    expect((await repository.post('/entity/media', video, 'admin')).status).toBe(201);
    const bundles = async (of: number, as?: string | null) =>
      (await list(`/list/media?of=${of}`, as)).map(({ bundle }) => bundle[0].target_id);
    for (const as of ['admin', 'reader', null]) expect(await bundles(collection, as)).toEqual(['remote_video']);
    expect(await list('/list/media')).toEqual([]);
    const secret: number = (await repository.node({ status: [false] })).nid[0].value;
    const hidden = { ...video, field_media_of: [{ target_id: secret }] };
    expect((await repository.post('/entity/media', hidden, 'admin')).status).toBe(201);
    const unpublished = { ...video, status: [false] };
    expect((await repository.post('/entity/media', unpublished, 'admin')).status).toBe(201);
    expect(await bundles(secret, 'admin')).toEqual(['remote_video']);
    for (const as of ['reader', null]) {
      expect(await bundles(secret, as)).toEqual([]);
      expect(await bundles(collection, as)).toHaveLength(1);
    }
    expect(await list(`/list/children?parent=${person}`)).toEqual([{ tid: expect.any(String), name: 'Below' }]);
  });
});

describe('node-exists', () => {
  const ask = (value: string, as = 'loader') =>
    repository.get(`/node_exists?field_local_identifier=${value}`, as, { 'Content-Type': 'application/json' });

  it('returns ids as texts', async () => {
    for (const value of ['id-2', 'ID-2', 'other-2'])
      expect(await (await ask(value)).json()).toEqual([{ nid: nidOf(2) }]);
    for (const value of ['id-', 'id-22', 'id%2D_', '%25', '', 'x'])
      expect({ value, body: await (await ask(value)).json() }).toEqual({ value, body: [] });
  });

  it('requires its permission and authentication method', async () => {
    expect((await ask('id-2', 'reader')).status).toBe(403);
    expect((await repository.get('/node_exists?field_local_identifier=id-2')).status).toBe(401);
    const { token } = (await (await repository.get('/jwt/token', 'loader')).json()) as { token: string };
    const bearer = { Authorization: `Bearer ${token}` };
    expect((await repository.get('/node_exists', undefined, bearer)).status).toBe(403);
    expect((await repository.get('/list/all', undefined, bearer)).status).toBe(200);
  });
});

describe('a list of terms', () => {
  it('finds terms by the beginning of their name in any letter case', async () => {
    expect(await names('/find_terms?name=smi&_format=json')).toEqual([
      'smiling',
      'Smith hidden',
      'Smith, Ann',
      'SMITHERS',
    ]);
    expect(await names('/find_terms?name=smi&vid=person')).toEqual(['Smith hidden', 'Smith, Ann', 'SMITHERS']);
    expect(await names('/find_terms?name=%C3%A4R')).toEqual(['Ärger']);
    expect(await names('/find_terms?name=100%25+wool_')).toEqual(['100% wool_x']);
    expect(await names('/find_terms?name=100_')).toEqual([]);
    expect(await names('/find_terms?name=xxx')).toEqual([]);
    const seen = (await list('/find_terms?name=smith', 'reader')).map(({ name }) => name[0].value);
    expect(seen).toEqual(['Smith, Ann', 'SMITHERS']);
  });
});

describe('filters', () => {
  it('of every kind select the matching nodes', async () => {
    const own = (await repository.user('owner', 'administrator')) as number;
    expect(await nids(`nid=${nidOf(2)}`)).toEqual([nidOf(2)]);
    expect(await nids(`uuid=${nodes[2]?.uuid[0].value.toUpperCase()}`)).toEqual([nidOf(2)]);
    expect(await nids('status=0')).toEqual([nidOf(3)]);
    expect(await nids('status=false&weight=4')).toEqual([nidOf(3)]);
    expect(await nids('status=true&weight=4')).toEqual([]);
    expect(await nids('weight=5')).toEqual([nidOf(2)]);
    expect(await nids('role=relators:aut')).toEqual([nidOf(2)]);
    expect(await nids('exact=iTEM+A')).toEqual([nidOf(0)]);
    expect(await nids('exact=item')).toEqual([]);
    expect(await nids('note=note')).toEqual([nidOf(2)]);
    expect(await nids(`uid=${own}`)).toEqual([]);
    expect(await nids('uid=1')).toHaveLength(8);
    expect(await nids(`created=${nodes[0]?.created[0].value.slice(0, 4)}`)).toHaveLength(8);
    expect(await nids('created=1970')).toEqual([]);
  });

  it('accept terms by id or by URI', async () => {
    const uri = 'http://purl.org/coar/resource_type/c_c513';
    const id = await repository.termId(uri);
    expect(await nids(`model=${id}`)).toHaveLength(8);
    expect(await nids(`model=${encodeURIComponent(uri)}`)).toHaveLength(8);
    expect(await nids('model=http://example.org/none')).toEqual([]);
    expect((await list('/list/images')).map(({ nid }) => nid)).toContain(nidOf(0));
  });

  it('and fields return values of every kind as text', async () => {
    const [entry] = await list(`/list/everything?nid=${nidOf(2)}`);
    expect(entry).toEqual({
      nid: nidOf(2),
      title: 'Item c',
      status: '1',
      type: 'islandora_object',
      'field_linked_agent.rel_type': 'relators:pht, relators:aut',
      field_weight: '5',
      path: '',
    });
  });

  it.each([
    ['page=x', 'The query parameter "page" must be a number from 0, found "x".'],
    ['nid=x', 'The query parameter "nid" must be a number, found "x".'],
    ['nid=1e5', 'The query parameter "nid" must be a number, found "1e5".'],
    ['status=maybe', 'The query parameter "status" must be true or false, found "maybe".'],
    ['model=Image', 'The query parameter "model" must be the id or the URI of a term, found "Image".'],
    ['uid=-1', 'The query parameter "uid" must be an id, found "-1".'],
    [`exact=${'x'.repeat(1001)}`, 'The query parameter "exact" is longer than 1000 characters.'],
    ['exact=%00', 'The query parameter "exact" holds the character U+0000.'],
  ])('with invalid values return 400: %s', async (query, message) => {
    const response = await repository.get(`/list/everything?${query}`, 'admin');
    expect({ status: response.status, body: await response.json() }).toEqual({ status: 400, body: { message } });
  });

  it('treat SQL and patterns as text', async () => {
    for (const value of ["' OR 1=1 --", '%', '_tem a', 'Item\\', '"', 'é%ff', '\ud800'])
      expect({ value, nids: await nids(`exact=${encodeURIComponent(value.toWellFormed())}`) }).toEqual({
        value,
        nids: [],
      });
    expect(await nids('note=%25')).toEqual([]);
    expect(await nids('exact=%ff')).toEqual([]);
  });
});

describe('the address of a list', () => {
  it('cannot be an alias or the source of a redirect', async () => {
    const alias = { path: [`/node/${nidOf(0)}`], alias: ['/list/all'] };
    expect((await repository.post('/entity/path_alias', alias, 'admin')).status).toBe(422);
    const redirect = { redirect_source: [{ path: 'list/all' }], redirect_redirect: [{ uri: '/node/1' }] };
    expect((await repository.post('/entity/redirect', redirect, 'admin')).status).toBe(422);
  });

  it('is described in OpenAPI with its parameters', async () => {
    const { paths } = (await (await repository.get('/openapi.json')).json()) as EntityJson;
    const { operationId, parameters } = paths['/node_exists'].get;
    expect(operationId).toBe('view_node_exists');
    expect(parameters.map(({ name }: EntityJson) => name).toSorted()).toEqual([
      '_format',
      'field_local_identifier',
      'page',
    ]);
  });
});

describe('the query of a list', () => {
  const planOf = async (name: string, text: string, value: string | number) => {
    const { services } = repository.running;
    const view = services.model.views.get(name) as View;
    const { field, operator } = view.exposed.find(({ parameter }) => parameter === text) as ExposedFilter;
    const actor = createActorFactory(
      services.model,
      services.access,
    )({ id: 1, uuid: '', name: 'admin', roles: ['administrator'] });
    const { sql, args } = viewQuery(
      createKinds(services.model)[view.entityType],
      view,
      [{ field, operator, value }],
      actor,
      undefined,
    );
    const { rows } = await services.database.client.execute({ sql: `EXPLAIN QUERY PLAN ${sql}`, args });
    return rows.map((row) => String(row[3])).join('\n');
  };

  it('uses an index for ids, UUIDs, references and term names', async () => {
    expect(await planOf('everything', 'nid', 5)).toContain('SEARCH node USING INTEGER PRIMARY KEY (rowid=?)');
    expect(await planOf('everything', 'uuid', 'x')).toMatch(/SEARCH node USING INDEX \S*uuid/);
    for (const value of [5, 'http://example.org/x']) {
      const plan = await planOf('everything', 'model', value);
      expect(plan).toContain('SEARCH node USING INTEGER PRIMARY KEY (rowid=?)');
      expect(plan).toContain('reference_target (target_type=? AND target_id=? AND source_type=? AND field=?)');
    }
    expect(await planOf('exact_terms', 'name', 'x')).toContain('taxonomy_term_name (bundle=? AND folded_label=?)');
    expect(await planOf('everything', 'exact', 'x')).toContain('SCAN node');
  });
});
