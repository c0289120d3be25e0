import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { once } from 'node:events';
import { connect } from 'node:net';
import { type RawStep, speak } from '../../support/raw-http.ts';
import { createSample, type Sample } from '../../support/repository-routes.ts';
import { basic, createTestRepository, IS_ON_SQLD, type TestRepository } from '../../support/test-repository.ts';

let repository: TestRepository;
let sample: Sample;
beforeAll(async () => {
  repository = await createTestRepository();
  sample = await createSample(repository);
});
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await repository.stop();
});

const HOST = 'Host: localhost\r\n';
const ADMIN = `Authorization: ${basic('admin')}\r\n`;
const JSON_TYPE = 'Content-Type: application/json\r\n';

/** Statuses of all answers on one connection, none of which may hold anything of our insides. */
async function statuses(...steps: RawStep[]): Promise<number[]> {
  const { text } = await speak(Number(new URL(repository.url).port), steps);
  expect(text).not.toMatch(/\bat \S+ \(\S+:\d+:\d+\)|node_modules|\/work\/|repo-data|SQLITE_|TypeError/);
  return [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
}

const get = (target: string, more = '') => `GET ${target} HTTP/1.1\r\n${HOST}${more}Connection: close\r\n\r\n`;

/** Creates a node and returns its id, which follows that of the last node. */
const nextId = async (): Promise<number> => (await repository.node()).nid[0].value;

describe('a request line', () => {
  it.each([
    ['an encoded NUL', '/node/%00', 404],
    ['a truncated encoding', '/node/%', 404],
    ['an invalid encoding', '/node/%zz', 404],
    ['bytes that are no UTF-8', '/node/%ff%fe', 404],
    ['an overlong slash', '/node%c0%af1', 404],
    ['dots', '/node/../node/1', 200],
    ['encoded dots', '/node/%2e%2e/node/1', 200],
    ['encoded dots before files', '/sites/default/files/%2e%2e/%2e%2e/keys/secret.key', 404],
    ['doubly encoded dots', '/sites/default/files/%252e%252e/keys/secret.key', 404],
    ['a backslash', '/sites/default/files/..\\..\\keys\\secret.key', 404],
    ['an encoded backslash', '/sites/default/files/..%5c..%5ckeys%5csecret.key', 404],
    ['a doubled slash', '//node/1', 404],
    ['an absolute form', 'http://elsewhere.example/node/1', 200],
    ['a fragment', '/node/1#x', 404],
    ['an id with a sign', '/node/+1', 404],
    ['an id with zeros before it', '/node/0001', 200],
    ['an enormous id', `/node/${'9'.repeat(400)}`, 404],
  ])('with %s gets the expected status', async (_name, target, status) => {
    expect(await statuses(get(target))).toEqual([status]);
  });

  it.each(['a=1&', '_format=json&'])('with ten thousand parameters %s is answered', async (parameter) => {
    // 431 where the head of a request may be no larger than Bun has it by default.
    expect((await statuses(get(`/node/1?${parameter.repeat(10_000)}`)))[0]).toBeOneOf([200, 431]);
  });

  it.each([
    ['NUL', `GET /node/\u0000 HTTP/1.1\r\n${HOST}\r\n`],
    ['a method in lower case', `get /node/1 HTTP/1.1\r\n${HOST}\r\n`],
    ['an unknown method', `FOO /node/1 HTTP/1.1\r\n${HOST}\r\n`],
    ['no version', 'GET /node/1\r\n\r\n'],
    ['another protocol', `GET /node/1 FTP/1.0\r\n${HOST}\r\n`],
    ['no HTTP at all', '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\r\n\r\n'],
    ['a stray line end in front', `\r\n\r\nGET /node/1 HTTP/1.1\r\n${HOST}\r\n`],
    ['no host', 'GET /node/1 HTTP/1.1\r\n\r\n'],
    ['two hosts', `GET /node/1 HTTP/1.1\r\n${HOST}Host: evil.example\r\n\r\n`],
    ['a header without a colon', `GET /node/1 HTTP/1.1\r\n${HOST}x\r\n\r\n`],
    ['a header with NUL', `GET /node/1 HTTP/1.1\r\n${HOST}X: a\u0000b\r\n\r\n`],
    ['CONNECT', `CONNECT localhost:22 HTTP/1.1\r\n${HOST}\r\n`],
    ['TRACE', `TRACE /node/1 HTTP/1.1\r\n${HOST}${ADMIN}\r\n`],
  ])('with %s causes no server error', async (_name, text) => {
    // 505 is the HTTP server's word for a line that does not end in a version.
    for (const status of await statuses(text)) expect(status < 500 || status === 505).toBe(true);
    expect((await repository.get('/healthcheck')).status).toBe(200);
  });

  it('with TRACE does not return credentials', async () => {
    const { text } = await speak(Number(new URL(repository.url).port), [
      `TRACE /node/1 HTTP/1.1\r\n${HOST}${ADMIN}\r\n`,
    ]);
    expect(text).not.toContain(basic('admin'));
  });

  it('of HTTP/1.0 is answered, even without a host', async () => {
    expect(await statuses('GET /node/1 HTTP/1.0\r\n\r\n')).toEqual([200]);
    expect(await statuses(`GET /node/1 HTTP/1.0\r\n${HOST}\r\n`)).toEqual([200]);
  });
});

describe('a request head', () => {
  it('of unusual size is refused, and the next one is answered', async () => {
    const found = await statuses(get('/node/1', `X: ${'a'.repeat(4_000_000)}\r\n`));
    expect(found.every((status) => status === 431 || status === 400)).toBe(true);
    const many = await statuses(get('/node/1', 'X: a\r\n'.repeat(5_000)));
    expect(many.every((status) => status < 500)).toBe(true);
    expect((await repository.get('/node/1')).status).toBe(200);
  });

  it('with very long credentials is refused', async () => {
    const long = 'A'.repeat(15_000);
    for (const value of [`Basic ${long}${long}`, `Bearer ${long}${long}`, `Cookie${long}`])
      expect((await statuses(get('/node/1', `Authorization: ${value}\r\n`)))[0] ?? 431).toBeOneOf([401, 431]);
  });

  it('cannot split the response', async () => {
    const { text } = await speak(Number(new URL(repository.url).port), [
      get('/node/1?_format=xml%0d%0aX-Injected:%20yes', 'Referer: a\r\n'),
      get('/%0d%0aX-Injected:%20yes'),
    ]);
    expect(text).not.toMatch(/^X-Injected/im);
  });
});

describe('a body', () => {
  const post = (framing: string, body: string) =>
    `POST /node HTTP/1.1\r\n${HOST}${ADMIN}${JSON_TYPE}${framing}Connection: close\r\n\r\n${body}`;
  const good = JSON.stringify({ type: 'page', title: ['raw'] });

  it('in valid chunks is read', async () => {
    const chunked = `${good.length.toString(16)}\r\n${good}\r\n0\r\n\r\n`;
    expect(await statuses(post('Transfer-Encoding: chunked\r\n', chunked))).toEqual([201]);
  });

  it.each([
    ['in chunks of invalid size', 'Transfer-Encoding: chunked\r\n', 'zz\r\nabc\r\n0\r\n\r\n'],
    ['in chunks that are longer than they say', 'Transfer-Encoding: chunked\r\n', '2\r\nabcdef\r\n0\r\n\r\n'],
    ['in a chunk of enormous size', 'Transfer-Encoding: chunked\r\n', 'ffffffffffffffff\r\nabc'],
    ['with two lengths', 'Content-Length: 2\r\nContent-Length: 3\r\n', '{}'],
    ['with a length and chunks', 'Content-Length: 2\r\nTransfer-Encoding: chunked\r\n', '0\r\n\r\n'],
    ['with a length below zero', 'Content-Length: -1\r\n', '{}'],
    ['with a length that is no number', 'Content-Length: x\r\n', '{}'],
    ['in an unknown encoding', 'Transfer-Encoding: gzip\r\n', '{}'],
  ])('%s is refused and creates nothing', async (_name, framing, body) => {
    const before = await nextId();
    for (const status of await statuses(post(framing, body))) expect([400, 413, 422, 501]).toContain(status);
    expect(await nextId()).toBe(before + 1);
  });

  it('that ends too early creates nothing', async () => {
    const before = await nextId();
    await statuses(post('Content-Length: 1000\r\n', good), 50, 'destroy');
    expect(await nextId()).toBe(before + 1);
  });

  it('of GET, HEAD and DELETE is ignored', async () => {
    const body = `Content-Length: ${good.length}\r\nConnection: close\r\n\r\n${good}`;
    expect(await statuses(`GET /node/1 HTTP/1.1\r\n${HOST}${body}`)).toEqual([200]);
    expect(await statuses(`HEAD /node/1 HTTP/1.1\r\n${HOST}${body}`)).toEqual([200]);
    expect(await statuses(`DELETE /taxonomy/term/${sample.term} HTTP/1.1\r\n${HOST}${ADMIN}${body}`)).toEqual([204]);
  });

  it('of a refused request is not read as the next request', async () => {
    const smuggled = `GET /user/1 HTTP/1.1\r\n${HOST}${ADMIN}\r\n`;
    const found = await statuses(
      `POST /node HTTP/1.1\r\n${HOST}${JSON_TYPE}Content-Length: ${smuggled.length}\r\n\r\n${smuggled}`,
      `GET /node/1 HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`,
    );
    expect(found[0]).toBe(401);
    expect(found.slice(1).every((status) => status === 200)).toBe(true);
    expect(found.length).toBeLessThanOrEqual(2);
  });
});

/** If a response takes longer than a turn of the event loop, a second request ends the connection (decision 5). */
const ANSWERED = IS_ON_SQLD ? 0 : 4;

describe('many requests on one connection', () => {
  it('are answered in order, up to the first invalid one', async () => {
    const one = `GET /node/1 HTTP/1.1\r\n${HOST}\r\n`;
    expect(await statuses(`${one}${one}${one}`)).toEqual([200, 200, 200].slice(0, ANSWERED));
    const found = await statuses(`${one}${one}%%%% nonsense\r\n\r\n${one}`);
    expect(found.slice(0, 2)).toEqual([200, 200].slice(0, ANSWERED));
    expect(found.slice(2).every((status) => status === 400)).toBe(true);
  });

  it('do not share credentials', async () => {
    const asAdmin = `GET /user/1 HTTP/1.1\r\n${HOST}${ADMIN}\r\n`;
    const asNobody = `GET /user/1 HTTP/1.1\r\n${HOST}\r\n`;
    expect(await statuses(`${asAdmin}${asNobody}${asAdmin}${asNobody}`)).toEqual(
      [200, 401, 200, 401].slice(0, ANSWERED),
    );
  });

  it('that are never finished delay no other client', async () => {
    const port = Number(new URL(repository.url).port);
    const slow = Array.from({ length: 20 }, () => connect(port, '127.0.0.1'));
    await Promise.all(slow.map((socket) => once(socket, 'connect')));
    for (const socket of slow) socket.write(`GET /node/1 HTTP/1.1\r\n${HOST}X: `);
    expect((await repository.get('/node/1')).status).toBe(200);
    for (const socket of slow) socket.destroy();
  });
});
