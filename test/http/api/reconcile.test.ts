import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import Ajv, { type ValidateFunction } from 'ajv';
import { loadNames, uriOf } from '../../support/authority-list.ts';
import { createTestRepository, type EntityJson, type TestRepository } from '../../support/test-repository.ts';

const SCHEMAS = join(import.meta.dir, '../../fixtures/reconciliation');
const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };

const ids: Record<string, string> = {};
let repository: TestRepository;
beforeAll(async () => {
  repository = await createTestRepository();
  await term('person', 'Twain, Mark, 1835-1910', { field_cat_date_begin: [{ value: '1835' }] });
  await term('person', 'Twain, Shania, 1965-', { field_cat_date_begin: [{ value: '1965' }] });
  await term('corporate_body', 'Mark Twain House');
  await term('subject', 'Harbours', { field_authority_link: [{ uri: uriOf(0), source: 'lcsh' }] });
  await term('subject', 'Hidden harbours', { status: [{ value: false }] });
  await loadNames(repository, ['Harbours']);
});
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await repository.stop();
});

async function term(vid: string, name: string, fields: object = {}): Promise<void> {
  const body = { vid, name: [{ value: name }], ...fields };
  const response = await repository.post('/taxonomy/term?_format=json', body, 'admin');
  expect(response.status).toBe(201);
  ids[name] = String(((await response.json()) as EntityJson).tid[0].value);
}

const ajv = new Ajv({ strict: false, formats: { uri: true } });
async function validatorOf(name: string): Promise<ValidateFunction> {
  const schemaOf = async (file: string) => JSON.parse(await readFile(join(SCHEMAS, `${file}.json`), 'utf8'));
  const known = 'https://reconciliation-api.github.io/specs/0.2/schemas/type.json';
  if (ajv.getSchema(known) === undefined) ajv.addSchema(await schemaOf('type'));
  const schema = await schemaOf(name);
  // The scheme of authentication is that of a Swagger document; this service names none.
  delete schema.properties?.authentication;
  return ajv.getSchema(schema.$id) ?? ajv.compile({ ...schema, $schema: undefined });
}

/** Expects an answer of a schema of the specification. */
async function valid(name: string, response: Response) {
  expect(response.status).toBe(200);
  const body = await response.json();
  const validate = await validatorOf(name);
  validate(body);
  expect(validate.errors ?? []).toEqual([]);
  // The schemas of the specification have few required members.
  // biome-ignore lint/suspicious/noExplicitAny: JSON of other programs.
  return body as any;
}

const post = (fields: Record<string, string>, as?: string) =>
  repository.fetch('/reconcile', {
    ...{ method: 'POST', headers: FORM, body: new URLSearchParams(fields) },
    ...(as !== undefined && { as }),
  });
const ask = async (queries: object, as?: string) =>
  valid('reconciliation-result-batch', await post({ queries: JSON.stringify(queries) }, as));

interface Result {
  readonly id: string;
  readonly name: string;
  readonly score: number;
  readonly match: boolean;
}
const resultOf = async (query: object | string, as?: string): Promise<Result[]> =>
  (await ask({ q0: typeof query === 'string' ? { query } : query }, as)).q0.result;

describe('the manifest of the Reconciliation API', () => {
  it('is that of the specification, and other sites may read it', async () => {
    const response = await repository.get('/reconcile');
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    const manifest = await valid('manifest', response);
    expect(manifest).toMatchObject({
      ...{ versions: ['0.2'], name: 'Repository', view: { url: `${repository.url}/taxonomy/term/{{id}}` } },
      defaultTypes: expect.arrayContaining([{ id: 'person', name: 'Person' }]),
    });
  });
});

describe('a query', () => {
  it.each([
    ['Twain, Mark, 1835-1910', 100, true],
    ['mark TWAIN', 95, true],
    ['Twain, Mark', 95, true],
    ['Twain, Mark, 1835-1911', 90, false],
    ['Twein, Mark', 81, false],
  ])('of "%s" finds the term with score %p', async (text, score, match) => {
    const [best] = await resultOf({ query: text, type: 'person' });
    expect(best).toMatchObject({
      ...{ id: ids['Twain, Mark, 1835-1910'], name: 'Twain, Mark, 1835-1910', score, match },
    } as object);
  });

  it('finds terms of its types only, at most as many as its limit', async () => {
    expect((await resultOf({ query: 'twain' })).length).toBe(3);
    expect((await resultOf({ query: 'twain', type: 'corporate_body' })).map(({ name }) => name)).toEqual([
      'Mark Twain House',
    ]);
    expect((await resultOf({ query: 'twain', type: ['person', 'corporate_body'], limit: 1 })).length).toBe(1);
    expect(await resultOf({ query: 'twain', type: 'no_vocabulary' })).toEqual([]);
    expect(await resultOf('zeppelin')).toEqual([]);
  });

  it('prefers terms with its properties, and finds a term by its address alone', async () => {
    const properties = [{ pid: 'field_cat_date_begin', v: '1965' }];
    const [best] = await resultOf({ query: 'Twain', type: 'person', properties });
    expect(best?.name).toBe('Twain, Shania, 1965-');
    const found = await resultOf({ properties: [{ pid: 'field_authority_link', v: { id: uriOf(0) } }] });
    expect(found).toMatchObject([{ name: 'Harbours', score: 100, match: true }]);
  });

  it('finds what its caller may view', async () => {
    expect((await resultOf('hidden harbours')).map(({ name }) => name)).toEqual(['Harbours']);
    expect((await resultOf('hidden harbours', 'admin')).map(({ name }) => name)).toEqual([
      'Hidden harbours',
      'Harbours',
    ]);
  });

  it('may be one of a batch by GET, or a single one as a text or an object', async () => {
    const batch = { a: { query: 'harbours' }, b: { query: 'mark twain' } };
    const byGet = await repository.get(`/reconcile?queries=${encodeURIComponent(JSON.stringify(batch))}`);
    expect(Object.keys(await valid('reconciliation-result-batch', byGet))).toEqual(['a', 'b']);
    for (const query of ['harbours', JSON.stringify({ query: 'harbours' })]) {
      const single = await repository.get(`/reconcile?query=${encodeURIComponent(query)}`);
      expect(await single.json()).toMatchObject({ result: [{ name: 'Harbours', match: true }] } as object);
    }
    expect((await post({ queries: '{}' })).headers.get('access-control-allow-origin')).toBe('*');
  });

  it('is refused with the limit in a batch of 10,000', async () => {
    const batch = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`q${index}`, { query: 'x' }]));
    const response = await post({ queries: JSON.stringify(batch) });
    expect([response.status, ((await response.json()) as { message: string }).message]).toEqual([
      ...[413, 'A batch has at most 100 queries, found 10,000. Send smaller batches.'],
    ]);
    expect((await post({ queries: 'x'.repeat(5 * 1024 * 1024) })).status).toBe(413);
  });

  it.each([
    [{ queries: '{' }, 'The parameter "queries" is not valid JSON.'],
    [{ queries: '[]' }, 'The parameter "queries" must be a JSON object.'],
    [{ queries: '{"q0":"x"}' }, 'queries.q0 must be an object with a query.'],
    [{ queries: '{"q0":{"query":""}}' }, 'queries.q0 needs a query or properties.'],
    [{ queries: '{"q0":{"query":"x","limit":0}}' }, 'queries.q0.limit must be a number from 1.'],
    [{ queries: '{"q0":{"query":"x","type":3}}' }, 'queries.q0.type must be the id of a type, or a list of ids.'],
    [{ other: '1' }, 'The form needs "queries", "query" or "extend".'],
  ])('of another form is refused: %j', async (fields, message) => {
    const response = await post(fields as Record<string, string>);
    expect([response.status, await response.json()]).toEqual([400, { message }]);
  });
});

describe('the suggestions of the Reconciliation API', () => {
  it.each([
    ['entity', 'suggest-entities-response', 'harb', ['Harbours']],
    ['type', 'suggest-types-response', 'pers', ['Person']],
    ['property', 'suggest-properties-response', 'birth', ['Birth Date']],
  ])('of the kind %s are as specified', async (kind, schema, prefix, names) => {
    const body = await valid(schema, await repository.get(`/reconcile/suggest/${kind}?prefix=${prefix}`));
    expect(body.result.map(({ name }: Result) => name)).toEqual(names);
  });
});

describe('the values of properties', () => {
  it('are those of the fields of visible terms', async () => {
    const proposed = await valid(
      'data-extension-property-proposal',
      await repository.get('/reconcile/properties?type=person'),
    );
    expect(proposed.properties.map(({ id }: Result) => id)).toContain('field_cat_date_begin');
    const wanted = {
      ids: [ids['Twain, Mark, 1835-1910'], ids['Hidden harbours'], 'x'],
      properties: [{ id: 'field_cat_date_begin' }],
    };
    const body = await valid('data-extension-response', await post({ extend: JSON.stringify(wanted) }));
    expect(body).toEqual({
      meta: [{ id: 'field_cat_date_begin', name: 'Birth Date' }],
      rows: {
        [ids['Twain, Mark, 1835-1910'] as string]: { field_cat_date_begin: [{ str: '1835' }] },
        [ids['Hidden harbours'] as string]: { field_cat_date_begin: [] },
        x: { field_cat_date_begin: [] },
      },
    });
    const many = { ids: Array.from({ length: 501 }, () => '1'), properties: [] };
    expect((await post({ extend: JSON.stringify(many) })).status).toBe(413);
  });
});

describe('the preview of a term', () => {
  it('is a page that other sites may show in a frame, unless the term is unpublished', async () => {
    const response = await repository.get(`/reconcile/preview/${ids['Twain, Mark, 1835-1910']}`);
    expect(response.headers.get('x-frame-options')).toBeNull();
    expect(response.headers.get('content-security-policy')).not.toContain('frame-ancestors');
    expect(await response.text()).toContain('1835');
    expect((await repository.get(`/reconcile/preview/${ids['Hidden harbours']}`)).status).not.toBe(200);
    const ofAdmin = await repository.get(`/reconcile/preview/${ids['Hidden harbours']}`, 'admin');
    expect(ofAdmin.headers.get('x-frame-options')).toBe('SAMEORIGIN');
  });
});
