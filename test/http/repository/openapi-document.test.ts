import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { Value } from '@sinclair/typebox/value';
import Ajv2020 from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { version } from '../../../package.json' with { type: 'json' };
import type { ApiDocument } from '../../../src/api/openapi/document.ts';
import { OpenApiDocument } from '../../support/openapi-structure.ts';
import { createTestRepository, type TestRepository } from '../../support/test-repository.ts';

type Members = Record<string, unknown>;

let repository: TestRepository;
let text: string;
let document: ApiDocument & { servers: { url: string }[]; components: { securitySchemes: Record<string, Members> } };
beforeAll(async () => {
  repository = await createTestRepository();
  text = await (await repository.get('/openapi.json')).text();
  document = JSON.parse(text);
});
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await repository.stop();
});

/** Every object within a value. */
function* objectsIn(value: unknown): Generator<Members> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield value as Members;
  for (const inner of Object.values(value)) yield* objectsIn(inner);
}

describe('/openapi.json', () => {
  it('has the structure of OpenAPI 3.1, and no member that is not of it', () => {
    const errors = [...Value.Errors(OpenApiDocument, document)].map(({ path, message }) => `${path}: ${message}`);
    expect(errors).toEqual([]);
  });

  it('says what program it is, and is about the address that the caller used', async () => {
    expect(document.info).toMatchObject({ title: 'repo', version, license: { name: 'MIT' } });
    expect(document.servers).toEqual([{ url: repository.url }]);
    const other = (await (
      await repository.get('/openapi.json', undefined, { Host: 'repo.example.org' })
    ).json()) as typeof document;
    expect(other.servers).toEqual([{ url: 'http://repo.example.org' }]);
    const [own, foreign] = [document, other].map(({ components }) => components.securitySchemes.session?.name);
    expect(own).toMatch(/^SESS[0-9a-f]{32}$/);
    expect(foreign).not.toBe(own);
  });

  it('has no dangling references', () => {
    for (const { $ref } of objectsIn(document)) {
      if ($ref === undefined) continue;
      const [, part, name] = /^#\/components\/(schemas|headers|responses)\/([\w.-]+)$/.exec(String($ref)) ?? [];
      expect(
        `${$ref} ${part !== undefined && Object.hasOwn(document.components[part as 'schemas'], String(name))}`,
      ).toBe(`${$ref} true`);
    }
    const schemes = Object.keys(document.components.securitySchemes);
    const tags = document.tags.map(({ name }) => name);
    for (const operation of Object.values(document.paths).flatMap((methods) => Object.values(methods))) {
      expect(tags).toEqual(expect.arrayContaining([...operation.tags]));
      expect(schemes).toEqual(expect.arrayContaining(operation.security.flatMap((way) => Object.keys(way))));
    }
  });

  it('has schemas that are JSON Schema 2020-12 without unknown words or formats', () => {
    const strict = { strict: true, strictTypes: false, strictTuples: false, strictRequired: false } as const;
    const ajv = addFormats(new Ajv2020(strict));
    // `example.json#/components/…` are the places of the document that hold no schema but lead to one.
    for (const word of ['openapi', 'info', 'servers', 'tags', 'paths', 'components']) ajv.addKeyword(word);
    ajv.addSchema(document, 'api');
    const { schemas, headers } = document.components;
    for (const name of Object.keys(schemas)) ajv.compile({ $ref: `api#/components/schemas/${name}` });
    const inline = [
      ...Object.values(headers).map(({ schema }) => schema),
      ...[...objectsIn(document.paths)].flatMap(({ schema }) => (schema === undefined ? [] : [schema])),
    ] as Members[];
    for (const schema of inline) {
      const absolute = JSON.stringify(schema).replaceAll('"#/components', '"api#/components');
      expect(() => ajv.compile(JSON.parse(absolute))).not.toThrow();
    }
    expect(inline.length).toBeGreaterThan(200);
  });

  it('has no two components that a generator of clients would call the same', () => {
    const { schemas } = document.components;
    const names = Object.entries(schemas).map(([name, { title = name }]) => String(title));
    const folded = names.map((name) => name.replaceAll(/[^A-Za-z0-9]/g, '').toLowerCase());
    expect(folded.toSorted()).toEqual([...new Set(folded)].sort());
    const inner = [...objectsIn(schemas)].flatMap(({ type, title }) => (type === 'object' && title ? [title] : []));
    expect(inner).toEqual([]);
  });

  it('has complete schemas for creating and for changing, with the required members of a new entity', () => {
    const { schemas } = document.components;
    const shapesOf = (name: string) =>
      ((schemas[name] as Members).anyOf as { $ref: string }[]).map(
        ({ $ref }) => schemas[$ref.split('/').at(-1) ?? ''] as Members,
      );
    for (const [name, label] of [
      ['Node', 'title'],
      ['Media', undefined],
      ['TaxonomyTerm', 'name'],
    ] as const) {
      const [creates, changes] = [shapesOf(`${name}Create`), shapesOf(`${name}Change`)];
      expect(creates.map(({ properties }) => Object.keys(properties as Members))).toEqual(
        changes.map(({ properties }) => Object.keys(properties as Members)),
      );
      for (const { required } of changes) expect(required).toHaveLength(1);
      if (label) for (const { required } of creates) expect(required).toContain(label);
    }
    expect(schemas.NodeIslandoraObjectCreate?.required).toEqual(expect.arrayContaining(['title', 'field_model']));
  });

  it('has only schemas for which generators of clients have a type', () => {
    for (const each of objectsIn(document)) {
      expect({ type: each.type, isList: Array.isArray(each.type) }).toMatchObject({ isList: false });
      // A map of all names is `additionalProperties`, and null is an alternative to another type.
      expect(each).not.toHaveProperty('patternProperties');
      expect(each).not.toHaveProperty('prefixItems');
      if (!Array.isArray(each.anyOf)) continue;
      const kinds = (each.anyOf as Members[]).map(({ $ref, type }) => ($ref === undefined ? type : 'reference'));
      const others = [...new Set(kinds.filter((kind) => kind !== 'null'))];
      expect({ kinds, others: others.length }).toEqual({ kinds, others: 1 });
    }
    const nulls = [...objectsIn(document)].flatMap(({ properties }) => Object.values((properties ?? {}) as Members));
    for (const each of nulls) expect((each as Members).type).not.toBe('null');
    // Each alternative of a request is a schema with a name, so that its type in a client has one.
    for (const { $ref, items } of objectsIn(document.components.schemas.NodeIslandoraObjectCreate))
      if ($ref === undefined && items !== undefined) expect(items).toHaveProperty('$ref');
  });

  it('has constants that stay the same in the source code of a client', () => {
    for (const { const: only, enum: choices = [] } of objectsIn(document))
      for (const each of [only, ...(choices as unknown[])]) expect(String(each)).not.toMatch(/[\\\p{Cc}]/u);
  });

  it('has items for every list, and nothing beside a reference that changes its meaning', () => {
    for (const each of objectsIn(document.components.schemas)) {
      if (each.type === 'array') expect(each).toHaveProperty('items');
      if (typeof each.$ref !== 'string') continue;
      const others = Object.keys(each).filter((word) => !['$ref', 'title', 'description', 'readOnly'].includes(word));
      expect(others).toEqual([]);
    }
  });

  it('is the same for every caller, and 304 for its ETag', async () => {
    const admin = await repository.get('/openapi.json', 'admin');
    const etag = String(admin.headers.get('etag'));
    expect(await admin.text()).toBe(text);
    expect(admin.headers.get('content-type')).toBe('application/json');
    const again = await repository.get('/openapi.json', undefined, { 'If-None-Match': etag });
    expect({ status: again.status, body: await again.text() }).toEqual({ status: 304, body: '' });
  });

  it('tells which credentials the configuration takes', () => {
    const securityOf = (path: string, method: string) => document.paths[path]?.[method]?.security;
    const guarded = { session: [], csrf: [] };
    expect(securityOf('/node', 'post')).toEqual([{ basic: [] }, { token: [] }, guarded]);
    expect(securityOf('/node/{node}', 'get')).toEqual([{}, { basic: [] }, { token: [] }, { session: [] }]);
    expect(securityOf('/user/{user}', 'get')).toEqual([{}, { basic: [] }]);
    expect(securityOf('/media/{media}/source', 'put')).toEqual([{ basic: [] }, { token: [] }, { session: [] }]);
    expect(securityOf('/node', 'options')).toEqual([]);
  });
});

describe('a site that says for itself what it offers', () => {
  const MODEL = `rest:
  entity.node:
    GET: { json: [jwt_auth] }
    DELETE: null
  entity.user: null
`;

  it('has in its description what is left', async () => {
    const site = await createTestRepository({}, { model: MODEL });
    const { paths } = (await (await site.get('/openapi.json')).json()) as ApiDocument;
    await site.stop();
    expect(paths['/user/{user}']).toBeUndefined();
    expect(Object.keys(paths['/node/{node}'] ?? {}).toSorted()).toEqual(['get', 'head', 'options', 'patch']);
    const read = paths['/node/{node}']?.get;
    expect(read?.security).toEqual([{}, { token: [] }]);
    expect(read?.parameters?.find(({ name }) => name === '_format')?.schema.enum).toEqual([
      'html',
      'json',
      ...['oai_dc', 'mods', 'datacite'],
    ]);
    const types = Object.keys(read?.responses['200']?.content ?? {});
    expect(types).toEqual(expect.arrayContaining(['application/json', 'text/html']));
    expect(types).not.toContain('application/ld+json');
  });
});

describe('/openapi', () => {
  const POLICY =
    /^default-src 'none'; style-src 'sha256-[\w+/=]+'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'$/;

  it('shows every operation and every schema, without scripts and external resources', async () => {
    const answer = await repository.get('/openapi');
    const page = await answer.text();
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(answer.headers.get('content-security-policy')).toMatch(POLICY);
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(page).not.toMatch(/<script|<img|<link|<iframe|src=|@import|url\(|\sstyle=/i);
    expect([...page.matchAll(/href="([^"]*)"/g)].filter(([, href]) => /^(\w+:|\/)/.test(String(href)))).toEqual([]);
    for (const [path, methods] of Object.entries(document.paths)) {
      expect(page).toContain(`<code>${path}</code>`);
      for (const [method, { operationId }] of Object.entries(methods))
        if (method !== 'head' && method !== 'options') expect(page).toContain(`<details id="${operationId}">`);
    }
    for (const name of Object.keys(document.components.schemas))
      expect(page).toContain(`<a href="openapi/shapes/${name}">${name}</a>`);
    const again = await repository.get('/openapi', undefined, { 'If-None-Match': String(answer.headers.get('etag')) });
    expect(again.status).toBe(304);
  });

  it('is styled by what its policy allows', async () => {
    const answer = await repository.get('/openapi');
    const [, style = ''] = /<style>([\s\S]*)<\/style>/.exec(await answer.text()) ?? [];
    const digest = new Bun.CryptoHasher('sha256').update(style).digest('base64');
    expect(style).toContain('color-scheme');
    expect(answer.headers.get('content-security-policy')).toContain(`'sha256-${digest}'`);
  });

  it('has a page for each schema, with working links', async () => {
    for (const name of Object.keys(document.components.schemas)) {
      const answer = await repository.get(`/openapi/shapes/${name}`);
      const page = await answer.text();
      expect(`${name} ${answer.status}`).toBe(`${name} 200`);
      expect(answer.headers.get('content-security-policy')).toMatch(POLICY);
      for (const [, href] of page.matchAll(/href="([^"]*)"/g)) {
        const target = new URL(String(href), `${repository.url}/openapi/shapes/${name}`).pathname;
        const known =
          target === '/openapi' || Object.hasOwn(document.components.schemas, target.slice('/openapi/shapes/'.length));
        expect(`${target} ${known}`).toBe(`${target} true`);
      }
    }
    const node = await (await repository.get('/openapi/shapes/NodeIslandoraObject')).text();
    expect(node).toContain('<code>field_linked_agent</code>');
  });

  it.each(['Nothing', 'constructor', '__proto__', '%3Cb%3E'])('answers 404 for the schema %s', async (name) => {
    const answer = await repository.get(`/openapi/shapes/${name}`);
    const message = 'The description of the API has no schema of this name.';
    expect({ status: answer.status, body: await answer.json() }).toEqual({ status: 404, body: { message } });
  });
});
