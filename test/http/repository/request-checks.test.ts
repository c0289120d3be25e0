import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { createTestRepository, type EntityJson, type TestRepository } from '../../support/test-repository.ts';

let repository: TestRepository;
let node: number;
let hidden: number;
beforeAll(async () => {
  repository = await createTestRepository();
  await repository.user('reader');
  await repository.user('loader', 'workbench_user');
  node = (await repository.node()).nid[0].value;
  hidden = (await repository.node({ status: [{ value: false }] })).nid[0].value;
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
    does: 'access comes before the body: without permission',
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
    does: 'an unknown UUID comes before the access to a field',
    method: 'POST',
    path: () => '/node?_format=json',
    as: 'loader',
    headers: JSON_TYPE,
    body: '{"type":"islandora_object","sticky":[{"value":true}],"field_model":[{"target_uuid":"00000000-0000-4000-8000-000000000000"}]}',
    status: 422,
    message: 'No "taxonomy_term" entity found with UUID "00000000-0000-4000-8000-000000000000" for field "0".',
  },
  {
    does: 'an invalid date comes before the access to its field',
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
    does: 'the access to a field comes before an error in another',
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
  it.each(ORDER)('means that $does', async ({ method, path, as, headers, body, status, message }) => {
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

  it('gives no reason for a hidden node: 401 for anonymous callers, 403 for users', async () => {
    expect((await repository.get(`/node/${hidden}?_format=json`)).status).toBe(401);
    const refused = await repository.get(`/node/${hidden}?_format=json`, 'reader');
    expect(refused.status).toBe(403);
    expect(await refused.json()).toEqual({ message: '' });
  });
});
