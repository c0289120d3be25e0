import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { linksIn } from '../../support/link-lines.ts';
import { elementsOf } from '../../support/page.ts';
import { speak } from '../../support/raw-http.ts';
import { createTestRepository, type TestRepository } from '../../support/test-repository.ts';

/** No host, or what has the form of a name and is no address: each in the way of some part that reads one. */
const HOSTS = ['a b', '', 'a..b', '1.2.3.999', '1.2.3.4.5', 'xn--a', 'a:99999', '-a-:x', '<b>', '[::1', 'a%20b'];
const MESSAGE = 'The Host header (or the X-Forwarded-Host of the proxy) does not name a host.';
const JSON_TYPE = 'application/json';
const PAGE = 'text/html; charset=utf-8';

interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

/** Asks with exactly this Host, which no client would send. Exactly one line is logged of it, and no failure of ours. */
async function ask(repository: TestRepository, method: string, path: string, host: string, accept: string) {
  const before = repository.log.length;
  const head = [`${method} ${path} HTTP/1.1`, `Host: ${host}`, `Accept: ${accept}`, 'Connection: close'];
  const { text } = await speak(Number(new URL(repository.url).port), [`${head.join('\r\n')}\r\n\r\n`]);
  const [top = '', ...body] = text.split('\r\n\r\n');
  const [first = '', ...fields] = top.split('\r\n');
  const answered: Answered = {
    status: Number(first.split(' ')[1]),
    headers: new Headers(fields.map((line) => line.split(/: (.*)/s, 2) as [string, string])),
    body: body.join('\r\n\r\n'),
  };
  const lines = repository.log.slice(before).map(({ level, status }) => [level, status]);
  expect({ method, path, host, lines }).toEqual({ method, path, host, lines: [[expect.any(String), answered.status]] });
  return answered;
}

/** Returns the error message of a response, as a program or a person reads it. */
function complaintOf({ headers, body }: Answered): string {
  if (headers.get('Content-Type') === JSON_TYPE) return (JSON.parse(body) as { message: string }).message;
  expect(headers.get('Content-Type')).toBe(PAGE);
  expect(elementsOf(body, 'h1')).toHaveLength(1);
  return elementsOf(body, 'main').map(({ text }) => text)[0] ?? '';
}

describe('a request with an invalid host', () => {
  let repository: TestRepository;
  let node: string;
  beforeAll(async () => {
    repository = await createTestRepository();
    node = `/node/${(await repository.node()).nid[0].value}`;
  });
  afterAll(async () => {
    expect(repository.failures()).toEqual([]);
    await repository.stop();
  });

  it.each(HOSTS)('is refused, with JSON for a program: %p', async (host) => {
    for (const query of ['', '?_format=json', '?_format=xml', '?_format=jsonld'])
      for (const path of [node, '/nope', '/openapi.json', `${node}/linkset`]) {
        const answer = await ask(repository, 'GET', path + query, host, JSON_TYPE);
        expect({ path, query, status: answer.status, complaint: complaintOf(answer) }).toEqual({
          path,
          query,
          status: 400,
          complaint: MESSAGE,
        });
        expect(answer.headers.has('Link')).toBe(false);
      }
  });

  it.each(HOSTS)('is refused, with a page for a browser: %p', async (host) => {
    for (const path of [node, '/nope', '/openapi', '/some/alias', `${node}?_format=html`]) {
      const answer = await ask(repository, 'GET', path, host, 'text/html,*/*;q=0.8');
      expect({ path, status: answer.status, contentType: answer.headers.get('Content-Type') }).toEqual({
        path,
        status: 400,
        contentType: PAGE,
      });
      expect(complaintOf(answer)).toContain(MESSAGE);
      // The links of the page lead within the site, wherever that is.
      for (const { attributes } of elementsOf(answer.body, 'a[href]')) expect(attributes.href).toMatch(/^[/#](?!\/)/);
    }
  });

  it.each(HOSTS)('is refused for every method: %p', async (host) => {
    for (const method of ['HEAD', 'POST', 'PUT', 'DELETE'])
      for (const path of [node, '/nope']) {
        const { status } = await ask(repository, method, path, host, 'text/html');
        expect({ method, path, status }).toEqual({ method, path, status: 400 });
      }
  });

  it.each(HOSTS)('gets the allowed methods of an address for OPTIONS: %p', async (host) => {
    const options = await ask(repository, 'OPTIONS', node, host, 'text/html');
    expect(options.status).toBe(200);
    expect(options.headers.get('Allow')).toBe('GET, PATCH, DELETE');
    expect(options.body).toBe('');
    expect((await ask(repository, 'OPTIONS', '/nope', host, 'text/html')).status).toBe(400);
  });
});

describe('a site with a configured address', () => {
  const BASE = 'https://repo.example.org/base';
  let repository: TestRepository;
  let node: string;
  beforeAll(async () => {
    repository = await createTestRepository({ baseUrl: BASE });
    node = `/node/${(await repository.node()).nid[0].value}`;
  });
  afterAll(async () => {
    expect(repository.failures()).toEqual([]);
    await repository.stop();
  });

  it.each(HOSTS)('ignores the host %p', async (host) => {
    const asked = (path: string, accept = JSON_TYPE) => ask(repository, 'GET', path, host, accept);
    const found = await asked(node);
    expect(found.status).toBe(200);
    expect(found.headers.get('Link')).toStartWith(`<${BASE}${node}>; rel="canonical"`);
    const page = await asked(node, 'text/html');
    expect(page.status).toBe(200);
    expect(page.headers.get('Content-Type')).toBe(PAGE);
    expect(elementsOf(page.body, 'main a').map(({ attributes }) => attributes.href)).toContain(
      `/base${node}?_format=json`,
    );
    const missing = await asked('/nope');
    expect(missing.status).toBe(404);
    expect(complaintOf(missing)).toBe(`${BASE}/nope does not exist.`);
    const missingPage = await asked('/nope', 'text/html');
    expect(missingPage.status).toBe(404);
    expect(missingPage.headers.get('Content-Type')).toBe(PAGE);
    const other = await asked(`${node}?_format=xml`, 'text/html');
    expect(other.status).toBe(406);
    expect(other.headers.get('Link')?.split(', ')).toEqual([
      `<${BASE}${node}?_format=jsonld>; rel="alternate"; type="application/ld+json"`,
      `<${BASE}${node}?_format=json>; rel="alternate"; type="application/json"`,
      `<${BASE}${node}?_format=oai_dc>; rel="alternate"; type="application/xml"`,
      `<${BASE}${node}?_format=mods>; rel="alternate"; type="application/mods+xml"`,
      `<${BASE}${node}?_format=datacite>; rel="alternate"; type="application/vnd.datacite.datacite+xml"`,
    ]);
    expect((await ask(repository, 'OPTIONS', node, host, JSON_TYPE)).status).toBe(200);
    expect((await ask(repository, 'OPTIONS', '/nope', host, JSON_TYPE)).status).toBe(404);
  });

  it.each(HOSTS)('encodes every address in its links for the host %p', async (host) => {
    for (const path of ['/node/1>;rel="x",<', '/node/é"', '/node/%zz']) {
      const { status, headers } = await ask(repository, 'GET', `${path}?_format=xml`, host, JSON_TYPE);
      const links = linksIn(new Response(null, { headers }));
      expect({ path, status, rels: links.map(({ rel }) => rel) }).toEqual({
        path,
        status: 406,
        rels: Array(5).fill('alternate'),
      });
      for (const { href } of links) expect(href).toMatch(/^https:\/\/repo\.example\.org\/base\/node\/[\w%;=,?]+$/);
    }
  });

  it('needs no Host in an HTTP/1.0 request', async () => {
    const port = Number(new URL(repository.url).port);
    const { text } = await speak(port, [`GET ${node} HTTP/1.0\r\nAccept: text/html\r\n\r\n`]);
    expect(text).toMatch(/^HTTP\/1\.[01] 200 /);
  });
});
