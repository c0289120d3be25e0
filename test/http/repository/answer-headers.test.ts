import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { rawHead } from '../../support/binaries.ts';
import { speak } from '../../support/raw-http.ts';
import { createTestRepository, type TestRepository } from '../../support/test-repository.ts';

let repository: TestRepository;
let node: number;
beforeAll(async () => {
  repository = await createTestRepository();
  node = (await repository.node()).nid[0].value;
});
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await repository.stop();
});

const named = (response: Response, ...names: string[]) => names.map((name) => response.headers.get(name));

describe('a response', () => {
  const byCaller = 'Authorization, JWT-Authorization, Cookie';
  const byAcceptToo = `Accept, ${byCaller}`;
  const byEncodingToo = ', Accept-Encoding';
  it.each([
    ['/node/1', byAcceptToo + byEncodingToo],
    ['/node/1?_format=json', byCaller + byEncodingToo],
    ['/taxonomy/term/1', byAcceptToo + byEncodingToo],
    ['/user/1', byAcceptToo],
    ['/entity/file/1', byAcceptToo],
    ['/node/1/revisions', byAcceptToo],
    ['/vocabulary/tags', byCaller],
  ])('to %s sets type, language, Vary, private caching and same-origin framing', async (path, vary) => {
    const response = await repository.get(path, 'admin');
    expect(response.status).toBe(200);
    expect(
      named(
        response,
        'Content-Type',
        'Content-Language',
        'X-Content-Type-Options',
        'X-Frame-Options',
        'Cache-Control',
        'Vary',
      ),
    ).toEqual(['application/json', 'en', 'nosniff', 'SAMEORIGIN', 'must-revalidate, no-cache, private', vary]);
  });

  it.each([
    ['/nowhere', 404],
    ['/node/99999999', 404],
    ['/jwt/token', 401],
    ['/node/1?_format=xml', 406],
  ])('to %s is a JSON message with private, no-cache headers', async (path, status) => {
    const response = await repository.get(path);
    expect({ status: response.status, members: Object.keys((await response.json()) as object) }).toEqual({
      status,
      members: ['message'],
    });
    expect(named(response, 'Content-Type', 'X-Content-Type-Options', 'Cache-Control')).toEqual([
      'application/json',
      'nosniff',
      'must-revalidate, no-cache, private',
    ]);
  });

  it('to /healthcheck is the uncached text OK', async () => {
    const response = await repository.get('/healthcheck');
    expect({ status: response.status, body: await response.text() }).toEqual({ status: 200, body: 'OK' });
    expect(named(response, 'Content-Type', 'Cache-Control')).toEqual(['text/plain; charset=utf-8', 'no-store']);
  });

  it('to a PUT with Expect is 100 Continue, then 201 for the body', async () => {
    const use = await repository.termId('http://pcdm.org/use#OriginalFile');
    const head = rawHead('PUT', `/node/${node}/media/file/${use}`, {
      'Content-Type': 'text/plain',
      'Content-Location': 'public://expected.txt',
      'Content-Length': '5',
      Expect: '100-continue',
    });
    const { text } = await speak(Number(new URL(repository.url).port), [head, 100, 'hello']);
    expect(text).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 201 /);
    const location = text.match(/^Location: (.*)$/im)?.[1]?.trim() ?? '';
    const path = new URL(location).pathname;
    const [short, long] = await Promise.all([repository.get(path, 'admin'), repository.get(`${path}/edit`, 'admin')]);
    expect({ shortStatus: short.status, longStatus: long.status, body: await long.text() }).toEqual({
      shortStatus: 200,
      longStatus: 200,
      body: await short.text(),
    });
  });
});
