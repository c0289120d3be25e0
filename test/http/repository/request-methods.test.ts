import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { createTestRepository, type TestRepository } from '../../support/test-repository.ts';

let repository: TestRepository;
let node: number;
let hidden: number;
let term: number;
beforeAll(async () => {
  repository = await createTestRepository();
  await repository.user('reader');
  node = (await repository.node()).nid[0].value;
  hidden = (await repository.node({ status: [{ value: false }] })).nid[0].value;
  term = await repository.termId('http://purl.org/coar/resource_type/c_c513');
});
afterAll(() => repository.stop());

describe('a request', () => {
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

  it('by HEAD returns the headers of GET without a body', async () => {
    for (const path of [...readable(), `/node/${hidden}`, '/node/999999', '/nowhere', `/node/${node}?_format=foo`]) {
      for (const as of ['admin', 'reader', undefined]) {
        const get = await repository.get(path, as);
        const head = await repository.fetch(path, { method: 'HEAD', as });
        expect({ path, as, status: head.status }).toEqual({ path, as, status: get.status });
        for (const name of [
          'Content-Type',
          'ETag',
          'Last-Modified',
          'Cache-Control',
          'Vary',
          'WWW-Authenticate',
          'Link',
        ])
          expect({ path, name, value: head.headers.get(name) }).toEqual({ path, name, value: get.headers.get(name) });
        expect(await head.text()).toBe('');
      }
    }
  });

  it.each([
    ['/node', 'GET,POST'],
    ['/node/1', 'DELETE,GET,PATCH'],
    ['/node/999999', 'DELETE,GET,PATCH'],
    ['/entity/media', 'POST'],
    ['/media', 'GET,POST'],
    ['/media/1', 'DELETE,GET,PATCH'],
    ['/media/1/edit', 'DELETE,GET,PATCH,POST'],
    ['/taxonomy/term', 'GET,POST'],
    ['/file', 'GET'],
    ['/user', 'GET'],
    ['/taxonomy/term/1', 'DELETE,GET,PATCH'],
    ['/user/1', 'GET'],
    ['/node/1/media', 'GET'],
    ['/node/1/media/image/1', 'PUT'],
    ['/node/1/revisions', 'GET'],
    ['/node/1/revisions/1/revert', 'POST'],
    ['/term_from_term_name', 'GET'],
  ])('by OPTIONS to %s returns the methods to every caller', async (path, methods) => {
    const response = await repository.fetch(path, { method: 'OPTIONS', headers: { Authorization: 'Basic bad' } });
    expect(response.status).toBe(200);
    expect(await response.text()).toBe('');
    expect(response.headers.get('Allow')?.split(', ').sort().join()).toBe(methods);
  });

  it('by OPTIONS to an unknown path returns 404', async () => {
    expect((await repository.fetch('/nowhere', { method: 'OPTIONS' })).status).toBe(404);
  });

  it.each([
    ['PUT', '/node/1', 'DELETE,GET,HEAD,PATCH'],
    ['POST', '/node/1', 'DELETE,GET,HEAD,PATCH'],
    ['PUT', '/node', 'GET,HEAD,POST'],
    ['GET', '/entity/media', 'POST'],
    ['HEAD', '/entity/media', 'POST'],
    ['PATCH', '/user/1', 'GET,HEAD'],
    ['DELETE', '/node/1/members', 'GET,HEAD'],
    ['GET', '/node/1/media/image/2', 'PUT'],
    ['PROPFIND', '/taxonomy/term/1', 'DELETE,GET,HEAD,PATCH'],
  ])('by %s to %s returns 405 with the allowed methods', async (method, path, methods) => {
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
  ])('returns 404 with the message of the API: %s', async (path) => {
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
  ])('returns 404 and names the missing entity: %s', async (path, entity) => {
    const response = await repository.get(`${path}?_format=json`);
    expect(response.status).toBe(404);
    expect(await response.json()).toEqual({
      message: `${entity} does not exist.`,
    });
  });
});
