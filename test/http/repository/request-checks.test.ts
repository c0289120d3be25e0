import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { createTestRepository, type EntityJson, type TestRepository } from '../../support/test-repository.ts';

let repository: TestRepository;
let node: number;
let hidden: number;
let term: number;
beforeAll(async () => {
  repository = await createTestRepository();
  await repository.user('reader');
  await repository.user('loader', 'workbench_user');
  node = (await repository.node()).nid[0].value;
  hidden = (await repository.node({ status: [{ value: false }] })).nid[0].value;
  term = await repository.termId('http://purl.org/coar/resource_type/c_c513');
});
afterAll(() => repository.stop());

const JSON_TYPE = { 'Content-Type': 'application/json' };

interface Row {
  does: string;
  method: string;
  path: () => string;
  as?: string;
  headers?: Record<string, string>;
  body?: string;
  status: number;
  message?: string | ((url: string) => string);
}

/** Each request has several faults; the first in the order of checks is what its answer names (spec: rest-behaviour, 1.1). */
const ORDER: Row[] = [
  {
    does: 'an unknown path comes before a wrong Content-Type and format',
    method: 'POST',
    path: () => '/nodes?_format=foo',
    headers: { 'Content-Type': 'text/xml' },
    body: '{',
    status: 404,
    message: (url) => `${url}/nodes does not exist.`,
  },
  {
    does: 'a wrong method comes before a wrong Content-Type, format and id',
    method: 'PUT',
    path: () => '/node/999999?_format=foo',
    headers: { 'Content-Type': 'text/xml' },
    body: '{',
    status: 405,
  },
  {
    does: 'wrong credentials come before a wrong Content-Type',
    method: 'PATCH',
    path: () => '/node/999999?_format=foo',
    headers: { 'Content-Type': 'text/xml', Authorization: `Basic ${btoa('admin:wrong')}` },
    body: '{',
    status: 401,
    message: 'The user name or the password is wrong.',
  },
  {
    does: 'Content-Type comes before format',
    method: 'PATCH',
    path: () => '/node/999999?_format=foo',
    headers: { 'Content-Type': 'text/xml' },
    body: '{',
    status: 415,
    message: 'The Content-Type "text/xml" is not supported here. Send application/json.',
  },
  {
    does: 'format comes before the entity',
    method: 'PATCH',
    path: () => '/node/999999?_format=foo',
    headers: JSON_TYPE,
    body: '{',
    status: 406,
  },
  {
    does: 'a missing entity is 404 for anonymous too',
    method: 'PATCH',
    path: () => '/node/999999?_format=json',
    headers: JSON_TYPE,
    body: '{',
    status: 404,
    message: 'Node 999999 does not exist.',
  },
  {
    does: 'access comes before the body: anonymous',
    method: 'PATCH',
    path: () => `/node/${node}?_format=json`,
    headers: JSON_TYPE,
    body: '{',
    status: 401,
    message: 'No authentication credentials provided.',
  },
  {
    does: 'access comes before the body: someone without permission',
    method: 'PATCH',
    path: () => `/node/${node}?_format=json`,
    as: 'reader',
    headers: JSON_TYPE,
    body: '{',
    status: 403,
    message: "The 'edit any islandora_object content' permission is required.",
  },
  {
    does: 'an unknown field comes before the access to another',
    method: 'POST',
    path: () => '/node?_format=json',
    as: 'loader',
    headers: JSON_TYPE,
    body: '{"type":"page","sticky":[{"value":true}],"nonsense":[]}',
    status: 422,
    message: 'Field "nonsense" is unknown.',
  },
  {
    does: 'the bundle comes before its fields',
    method: 'POST',
    path: () => '/taxonomy/term?_format=json',
    as: 'loader',
    headers: JSON_TYPE,
    body: '{"vid":"bad","nonsense":[]}',
    status: 422,
    message: '"bad" is not a valid bundle type for denormalization.',
  },
  {
    does: 'a UUID that stands for nothing comes before the access to a field',
    method: 'POST',
    path: () => '/node?_format=json',
    as: 'loader',
    headers: JSON_TYPE,
    body: '{"type":"islandora_object","sticky":[{"value":true}],"field_model":[{"target_uuid":"00000000-0000-4000-8000-000000000000"}]}',
    status: 422,
    message: 'No "taxonomy_term" entity found with UUID "00000000-0000-4000-8000-000000000000" for field "0".',
  },
  {
    does: 'a date that cannot be read comes before the access to its field',
    method: 'POST',
    path: () => '/node?_format=json',
    as: 'loader',
    headers: JSON_TYPE,
    body: '{"type":"page","created":[{"value":"yesterday"}]}',
    status: 422,
    message:
      'The specified date "yesterday" is not in an accepted format: "U" (UNIX timestamp), "Y-m-d\\TH:i:sO" (ISO 8601), "Y-m-d\\TH:i:sP" (RFC 3339).',
  },
  {
    does: 'the access to a field comes before what is wrong with another',
    method: 'POST',
    path: () => '/node?_format=json',
    as: 'loader',
    headers: JSON_TYPE,
    body: '{"type":"page","sticky":[{"value":true}]}',
    status: 403,
    message: "Access denied on creating field 'sticky'.",
  },
];

describe('the order of checks', () => {
  it.each(ORDER)('$does', async ({ method, path, as, headers, body, status, message }) => {
    const response = await repository.fetch(path(), {
      method,
      as,
      ...(headers && { headers }),
      ...(body !== undefined && { body }),
    });
    expect(response.status).toBe(status);
    expect(response.headers.get('Content-Type')).toBe('application/json');
    const answer = (await response.json()) as EntityJson;
    expect(Object.keys(answer)).toEqual(['message']);
    if (message !== undefined)
      expect(answer.message).toBe(typeof message === 'string' ? message : message(repository.url));
  });

  it('hides nothing about a hidden node but that it is there: anonymous 401, signed in 403 with an empty reason', async () => {
    expect((await repository.get(`/node/${hidden}?_format=json`)).status).toBe(401);
    const refused = await repository.get(`/node/${hidden}?_format=json`, 'reader');
    expect(refused.status).toBe(403);
    expect(await refused.json()).toEqual({ message: '' });
  });
});

describe('Content-Type', () => {
  const send = (contentType: string | undefined, method = 'POST', path = '/node') =>
    repository.fetch(path, {
      method,
      as: 'admin',
      body: new TextEncoder().encode('{"type":"page","title":[{"value":"x"}]}'),
      ...(contentType !== undefined && { headers: { 'Content-Type': contentType } }),
    });

  it.each(['application/json', 'application/json; charset=utf-8', 'Application/JSON;charset="UTF-8"'])(
    'takes %s',
    async (contentType) => {
      expect((await send(contentType)).status).toBe(201);
    },
  );

  it.each([
    ['text/xml', 'The Content-Type "text/xml" is not supported here. Send application/json.'],
    ['application/ld+json', 'The Content-Type "application/ld+json" is not supported here. Send application/json.'],
    ['text/plain', 'The Content-Type "text/plain" is not supported here. Send application/json.'],
    [
      'application/x-www-form-urlencoded',
      'The Content-Type "application/x-www-form-urlencoded" is not supported here. Send application/json.',
    ],
    ['json', 'The Content-Type "json" is not supported here. Send application/json.'],
  ])('refuses %s', async (contentType, message) => {
    for (const [method, path] of [
      ['POST', '/node'],
      ['PATCH', `/node/${node}`],
      ['POST', '/taxonomy/term'],
      ['PATCH', `/taxonomy/term/${term}`],
      ['POST', '/entity/media'],
    ] as const) {
      const response = await send(contentType, method, path);
      expect(response.status).toBe(415);
      expect(await response.json()).toEqual({ message });
    }
  });

  it('must be there', async () => {
    const response = await send(undefined);
    expect(response.status).toBe(415);
    expect(await response.json()).toEqual({ message: 'The header Content-Type is missing.' });
  });
});

describe('_format', () => {
  const paths = () => [
    `/node/${node}`,
    `/taxonomy/term/${term}`,
    '/user/1',
    `/node/${node}/media`,
    `/node/${node}/revisions`,
  ];

  it('may be left out, empty or json', async () => {
    for (const path of paths()) {
      for (const query of ['', '?_format=', '?_format=json']) {
        const response = await repository.get(path + query, 'admin');
        expect([path, query, response.status]).toEqual([path, query, 200]);
        expect(response.headers.get('Content-Type')).toBe('application/json');
      }
    }
  });

  it('is 406 for any other format and every caller, and names the available ones', async () => {
    for (const path of paths()) {
      for (const format of ['foo', 'xml', 'JSON', 'json ']) {
        const response = await repository.get(`${path}?_format=${encodeURIComponent(format)}`, 'admin');
        expect([path, format, response.status]).toEqual([path, format, 406]);
        const { message } = (await response.json()) as EntityJson;
        expect(message).toMatch(
          /^This address does not support the requested format\. Supported formats: (?:jsonld, )?json\.$/,
        );
        expect(response.headers.get('Link')).toContain(
          `${path}?_format=json>; rel="alternate"; type="application/json"`,
        );
      }
    }
  });

  it('wins over Accept, which refuses nothing', async () => {
    for (const accept of ['text/html', 'application/xml', 'image/png;q=0', '*/*', '"']) {
      const response = await repository.get(`/node/${node}?_format=json`, undefined, { Accept: accept });
      expect(response.status).toBe(200);
      expect(response.headers.get('Content-Type')).toBe('application/json');
    }
  });

  it('may be left out of writes, and is 406 there for another format', async () => {
    expect((await repository.post('/node', { type: 'page', title: [{ value: 'x' }] }, 'admin')).status).toBe(201);
    const refused = await repository.post('/node?_format=jsonld', { type: 'page', title: [{ value: 'x' }] }, 'admin');
    expect(refused.status).toBe(406);
    expect(((await refused.json()) as EntityJson).message).toEndWith('Supported formats: json.');
    expect((await repository.delete(`/node/${node}?_format=xml`, 'admin')).status).toBe(406);
  });
});

describe('HEAD, OPTIONS and other methods', () => {
  const readable = () => [
    `/node/${node}`,
    `/taxonomy/term/${term}`,
    '/user/1',
    `/node/${node}/media`,
    `/node/${node}/members`,
    `/node/${node}/revisions`,
    '/term_from_uri?uri=x',
    '/vocabulary/tags',
  ];

  it('HEAD answers as GET does, without a body', async () => {
    for (const path of [...readable(), `/node/${hidden}`, '/node/999999', '/nowhere', `/node/${node}?_format=foo`]) {
      for (const as of ['admin', 'reader', undefined]) {
        const get = await repository.get(path, as);
        const head = await repository.fetch(path, { method: 'HEAD', as });
        expect([path, as, head.status]).toEqual([path, as, get.status]);
        for (const name of [
          'Content-Type',
          'ETag',
          'Last-Modified',
          'Cache-Control',
          'Vary',
          'WWW-Authenticate',
          'Link',
        ])
          expect([path, name, head.headers.get(name)]).toEqual([path, name, get.headers.get(name)]);
        expect(await head.text()).toBe('');
      }
    }
  });

  it.each([
    ['/node', 'POST'],
    ['/node/1', 'DELETE,GET,PATCH'],
    ['/node/999999', 'DELETE,GET,PATCH'],
    ['/entity/media', 'POST'],
    ['/media', 'POST'],
    ['/media/1', 'DELETE,GET,PATCH'],
    ['/media/1/edit', 'DELETE,GET,PATCH'],
    ['/taxonomy/term', 'POST'],
    ['/taxonomy/term/1', 'DELETE,GET,PATCH'],
    ['/user/1', 'GET'],
    ['/node/1/media', 'GET'],
    ['/node/1/media/image/1', 'PUT'],
    ['/node/1/revisions', 'GET'],
    ['/node/1/revisions/1/revert', 'POST'],
    ['/term_from_term_name', 'GET'],
  ])('OPTIONS %s returns the methods to every caller', async (path, methods) => {
    const response = await repository.fetch(path, { method: 'OPTIONS', headers: { Authorization: 'Basic bad' } });
    expect(response.status).toBe(200);
    expect(await response.text()).toBe('');
    expect(response.headers.get('Allow')?.split(', ').sort().join()).toBe(methods);
  });

  it('OPTIONS of an unknown path is 404', async () => {
    expect((await repository.fetch('/nowhere', { method: 'OPTIONS' })).status).toBe(404);
  });

  it.each([
    ['PUT', '/node/1', 'DELETE,GET,HEAD,PATCH'],
    ['POST', '/node/1', 'DELETE,GET,HEAD,PATCH'],
    ['GET', '/node', 'POST'],
    ['HEAD', '/node', 'POST'],
    ['PATCH', '/user/1', 'GET,HEAD'],
    ['DELETE', '/node/1/members', 'GET,HEAD'],
    ['GET', '/node/1/media/image/2', 'PUT'],
    ['PROPFIND', '/taxonomy/term/1', 'DELETE,GET,HEAD,PATCH'],
  ])('%s %s returns 405 with the allowed methods', async (method, path, methods) => {
    const response = await repository.fetch(`${path}?_format=json`, { method });
    expect(response.status).toBe(405);
    const allow = response.headers.get('Allow') ?? '';
    expect(allow.split(', ').sort().join()).toBe(methods);
    if (method === 'HEAD') return;
    const message = `${repository.url}${path} does not support ${method}. It supports ${allow}.`;
    expect(await response.json()).toEqual({ message });
  });
});

describe('an unknown path', () => {
  it.each([
    '/',
    '/nowhere',
    '/node/1//',
    '/node//1',
    '/Node/1',
    '/node/1/nothing',
    '/%ff',
    '/%',
    '/a%00b',
    '/%F0%9F%93%9A',
  ])('%s is 404 in the words of the API', async (path) => {
    const response = await repository.get(`${path}?_format=json`, undefined, { Referer: 'http://example.org/from' });
    expect(response.status).toBe(404);
    expect(await response.json()).toEqual({
      message: `${repository.url}${path} does not exist.`,
    });
  });

  it.each([
    ['/node/x', 'Node "x"'],
    ['/node/-1', 'Node "-1"'],
    ['/node/1e3', 'Node "1e3"'],
    ['/node/9999999999999999999999', 'Node "9999999999999999999999"'],
    ['/node/1%00', 'Node "1\\u0000"'],
    ['/media/77', 'Media 77'],
    ['/entity/file/999', 'File 999'],
    ['/taxonomy/term/99999', 'Taxonomy term 99999'],
    ['/user/99999', 'User 99999'],
  ])('%s names no entity', async (path, entity) => {
    const response = await repository.get(`${path}?_format=json`);
    expect(response.status).toBe(404);
    expect(await response.json()).toEqual({
      message: `${entity} does not exist.`,
    });
  });
});
