import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { linksIn } from '../../support/link-lines.ts';
import { speak } from '../../support/raw-http.ts';
import { createSample, type Sample } from '../../support/repository-routes.ts';
import { basic, createTestRepository, type EntityJson, type TestRepository } from '../../support/test-repository.ts';

const JSON_TYPE = 'application/json';
const GRAPH = 'application/ld+json';
const PAGE = 'text/html; charset=utf-8';
const CALLER = 'Authorization, JWT-Authorization, Cookie';

/** The Accept header of browsers. */
const FIREFOX = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
const CHROME =
  'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7';

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

/** Everything that has a page. */
const entities = () => [
  `/node/${sample.node}`,
  `/media/${sample.media}`,
  `/media/${sample.media}/edit`,
  `/taxonomy/term/${sample.term}`,
];

async function typeOf(path: string, accept?: string): Promise<string | null> {
  const response = await repository.get(path, 'admin', accept === undefined ? {} : { Accept: accept });
  expect({ path, accept, status: response.status }).toEqual({ path, accept, status: 200 });
  return response.headers.get('Content-Type');
}

describe('the Accept header without _format', () => {
  it.each<[string, string]>([
    ['text/html', PAGE],
    [FIREFOX, PAGE],
    [CHROME, PAGE],
    ['TEXT/HTML', PAGE],
    ['text/*', PAGE],
    ['text/html; charset=utf-8', PAGE],
    ['text/html;level=1;q=0.4', PAGE],
    ['application/xhtml+xml, text/html;q=0.1', PAGE],
    ['application/json;q=0.5, text/html', PAGE],
    ['*/*;q=0.1, text/html', PAGE],
    [GRAPH, GRAPH],
    ['application/ld+json; q=0.9, application/json;q=0.8', GRAPH],
    ['application/ld+json, text/html;q=0.9', GRAPH],
    ['application/ld+json;profile="http://www.w3.org/ns/json-ld#expanded"', GRAPH],
    ['application/ld+json;profile="a,b;c=d\\"e";q=0.9, text/html;q=0.2', GRAPH],
    ['text/turtle, application/ld+json;q=0.3, */*;q=0.1', GRAPH],
    [JSON_TYPE, JSON_TYPE],
    ['application/json, text/html', JSON_TYPE],
    ['application/json, application/ld+json', JSON_TYPE],
    ['application/*', JSON_TYPE],
    ['application/json;q=0.5, */*;q=0.1', JSON_TYPE],
    // What axios sends.
    ['application/json, text/plain, */*', JSON_TYPE],
    ['*/*', PAGE],
    // Java's HttpURLConnection.
    ['text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2', PAGE],
    ['application/json;q=0.5, */*', PAGE],
    ['*/*, text/html;q=0', JSON_TYPE],
    ['text/html;q=0', JSON_TYPE],
    ['text/html;q=0, application/json;q=0', GRAPH],
    ['*/*;q=0', PAGE],
    ['', PAGE],
    ['image/*', PAGE],
    ['image/png, text/turtle', PAGE],
    ['application/xml', PAGE],
    ['application/vnd.api+json', PAGE],
    ['text/htm', PAGE],
    ['text/html/x', PAGE],
    ['text/html;q=high', JSON_TYPE],
    ['nonsense', PAGE],
    ['"', PAGE],
    [',,;;==//', PAGE],
    ['q=1', PAGE],
  ])('with the value %p selects %s', async (accept, type) => {
    for (const path of entities()) expect({ path, type: await typeOf(path, accept) }).toEqual({ path, type });
  });

  it('selects the page if it is missing', async () => {
    const { port } = new URL(repository.url);
    for (const path of entities()) {
      const head = `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: ${basic('admin')}\r\n`;
      const { text } = await speak(Number(port), [`${head}Connection: close\r\n\r\n`]);
      expect(text).toMatch(/^HTTP\/1\.1 200 /);
      expect(text).toMatch(/\r\ncontent-type: text\/html; charset=utf-8\r\n/i);
      expect(text).toMatch(/\r\nvary: Accept, /i);
    }
  });

  it('selects the record or graph of a file, never a page', async () => {
    const path = `/entity/file/${sample.file}`;
    for (const [accept, type] of [
      [GRAPH, GRAPH],
      [JSON_TYPE, JSON_TYPE],
      [FIREFOX, JSON_TYPE],
      ['text/html', JSON_TYPE],
      ['text/html, application/ld+json;q=0.1', GRAPH],
      ['*/*', JSON_TYPE],
      ['nonsense', JSON_TYPE],
    ] as const)
      expect({ accept, type: await typeOf(path, accept) }).toEqual({ accept, type });
  });

  it('selects the list or page of a history', async () => {
    const path = `/node/${sample.node}/revisions`;
    for (const [accept, type] of [
      [JSON_TYPE, JSON_TYPE],
      [FIREFOX, PAGE],
      [GRAPH, PAGE],
      ['*/*', PAGE],
    ] as const)
      expect({ accept, type: await typeOf(path, accept) }).toEqual({ accept, type });
  });

  it('selects the page of every address that has one, if it names no type', async () => {
    const revision = `/node/${sample.node}/revisions`;
    for (const path of [
      '/',
      '/search',
      '/user/1',
      '/admin/reports/derivatives',
      '/admin/config/islandora/core',
      revision,
    ]) {
      expect({ path, type: await typeOf(path, '*/*') }).toEqual({ path, type: PAGE });
      expect({ path, type: await typeOf(path, 'image/png') }).toEqual({ path, type: PAGE });
    }
  });

  it('selects a page for the error of an address that has one, and JSON for any other', async () => {
    const typeOfError = async (path: string, accept: string) => {
      const response = await repository.get(path, undefined, { Accept: accept });
      expect(response.status).toBeGreaterThanOrEqual(400);
      return response.headers.get('Content-Type');
    };
    for (const [path, type] of [
      ['/node/999999', PAGE],
      ['/node/nine', PAGE],
      ['/admin', PAGE],
      ['/entity/file/999999', JSON_TYPE],
      ['/node/999999/media', JSON_TYPE],
      ['/nowhere', JSON_TYPE],
    ] as const) {
      expect({ path, type: await typeOfError(path, '*/*') }).toEqual({ path, type });
      expect({ path, type: await typeOfError(path, JSON_TYPE) }).toEqual({ path, type: JSON_TYPE });
      expect({ path, type: await typeOfError(path, 'text/html') }).toEqual({ path, type: PAGE });
      expect({ path, type: await typeOfError(`${path}?_format=json`, '*/*') }).toEqual({ path, type: JSON_TYPE });
    }
  });

  it('has no effect on content with a single format', async () => {
    const paths = [`/node/${sample.node}/media`, '/vocabulary/tags'];
    for (const path of paths)
      for (const accept of [FIREFOX, GRAPH, 'image/png'])
        expect({ path, accept, type: await typeOf(path, accept) }).toEqual({ path, accept, type: JSON_TYPE });
  });

  it.each<[string, string]>([
    ['text/html, '.repeat(3000), PAGE],
    [`${'image/png;q=0.1, '.repeat(3000)}application/ld+json`, GRAPH],
    [`"${','.repeat(50_000)}`, PAGE],
    [`text/html;x="${'\\"'.repeat(25_000)}`, PAGE],
    [`text/html${';a=b'.repeat(12_000)}`, PAGE],
    [`text/html;${' '.repeat(50_000)}q=1`, PAGE],
    ['a/'.repeat(25_000), PAGE],
  ])('is read completely, even if it is very long', async (accept, type) => {
    expect(await typeOf(`/node/${sample.node}`, accept)).toBe(type);
  });
});

/** The formats of harvesters, which nodes have too. */
const HARVESTED = [
  'oai_dc application/xml',
  'mods application/mods+xml',
  'datacite application/vnd.datacite.datacite+xml',
];

describe('_format', () => {
  it('takes precedence over Accept', async () => {
    const types = { json: JSON_TYPE, jsonld: GRAPH, html: PAGE };
    for (const path of entities())
      for (const [format, type] of Object.entries(types))
        for (const accept of [FIREFOX, GRAPH, JSON_TYPE, '*/*', 'image/png', `${type};q=0`, '"'])
          expect([path, format, accept, await typeOf(`${path}?_format=${format}`, accept)]).toEqual([
            ...[path, format, accept, type],
          ]);
  });

  it('works anywhere in the query, and the first one counts', async () => {
    const path = `/node/${sample.node}`;
    expect(await typeOf(`${path}?page=1&_format=jsonld`, 'text/html')).toBe(GRAPH);
    expect(await typeOf(`${path}?_format=jsonld&x=_format=json`, 'text/html')).toBe(GRAPH);
    expect(await typeOf(`${path}?%5Fformat=%6Asonld`, 'text/html')).toBe(GRAPH);
    expect(await typeOf(`${path}?_format=jsonld&_format=json`)).toBe(GRAPH);
    expect(await typeOf(`${path}?_format=`, GRAPH)).toBe(GRAPH);
    expect(await typeOf(`${path}?x_format=json`, GRAPH)).toBe(GRAPH);
  });

  it.each(['foo', 'xml', 'JSON', 'json ', 'ld+json', 'application/json', 'json,html', 'linkset', '../json', '💾'])(
    'of %p returns 406 with links to the available formats',
    async (format) => {
      for (const path of [...entities(), `/entity/file/${sample.file}`]) {
        // Neither credentials nor the type that is liked best make a difference.
        for (const [as, accept] of [
          ['admin', GRAPH],
          [undefined, JSON_TYPE],
          ['admin', FIREFOX],
        ] as const) {
          const asked = `${path}?_format=${encodeURIComponent(format)}`;
          const response = await repository.get(asked, as, { Accept: accept });
          const offered = [
            'jsonld application/ld+json',
            'json application/json',
            ...(path.startsWith('/node/') ? HARVESTED : []),
          ].map((each) => each.split(' '));
          const names = offered.map(([name]) => name).join(', ');
          expect({
            status: response.status,
            contentType: response.headers.get('Content-Type'),
            body: await response.json(),
          }).toEqual({
            status: 406,
            contentType: JSON_TYPE,
            body: { message: `This address does not support the requested format. Supported formats: ${names}.` },
          });
          expect(linksIn(response).map(({ href, rel, type }) => `${href} ${rel} ${type}`)).toEqual(
            offered.map(([name, type]) => `${repository.url}${path}?_format=${name} alternate ${type}`),
          );
        }
      }
    },
  );

  it('that an address lacks returns 406 in the requested format or JSON', async () => {
    const file = await repository.get(`/entity/file/${sample.file}?_format=html`);
    expect(file.status).toBe(406);
    expect(file.headers.get('Content-Type')).toBe(PAGE);
    for (const path of ['/user/1', `/node/${sample.node}/media`, `/node/${sample.node}/revisions`]) {
      const response = await repository.get(`${path}?_format=jsonld`, 'admin');
      expect({ status: response.status, body: await response.json() }).toEqual({
        status: 406,
        body: { message: 'This address does not support the requested format. Supported formats: json.' },
      });
      expect(linksIn(response).map(({ href }) => href)).toEqual([`${repository.url}${path}?_format=json`]);
    }
  });

  it('of a write must be JSON, and its response is always JSON', async () => {
    const page = { type: 'page', title: ['x'] };
    for (const format of ['jsonld', 'html', 'linkset']) {
      expect((await repository.post(`/node?_format=${format}`, page, 'admin')).status).toBe(406);
      const path = `/node/${sample.node}?_format=${format}`;
      expect((await repository.patch(path, { type: 'islandora_object' }, 'admin')).status).toBe(406);
      expect((await repository.delete(path, 'admin')).status).toBe(406);
    }
    for (const accept of [FIREFOX, GRAPH, 'image/png']) {
      const made = await repository.post('/node', page, 'admin', { Accept: accept });
      expect(made.status).toBe(201);
      expect(made.headers.get('Content-Type')).toBe(JSON_TYPE);
      const path = `/node/${((await made.json()) as EntityJson).nid[0].value}`;
      const changed = await repository.patch(path, { type: 'page', title: ['y'] }, 'admin', { Accept: accept });
      expect(changed.status).toBe(200);
      expect(changed.headers.get('Content-Type')).toBe(JSON_TYPE);
      const refused = await repository.patch(path, { type: 'page', title: [] }, 'admin', { Accept: accept });
      expect(refused.status).toBe(422);
      expect(refused.headers.get('Content-Type')).toBe(JSON_TYPE);
    }
  });
});

describe('Vary', () => {
  const varyOf = async (path: string, headers: Record<string, string> = {}) => {
    const response = await repository.get(path, 'admin', headers);
    expect({ path, isAnswered: response.ok || response.status === 304 }).toEqual({ path, isAnswered: true });
    return withoutEncoding(response);
  };
  /** Long responses depend on it, too (test/http/pages/compression.test.ts). */
  const withoutEncoding = ({ headers }: Response) => headers.get('Vary')?.replace(/, Accept-Encoding$/, '');

  it('contains Accept if that selects the format', async () => {
    const paths = [...entities(), `/entity/file/${sample.file}`, `/node/${sample.node}/linkset`];
    for (const path of paths) {
      for (const accept of ['*/*', 'text/html', GRAPH, 'nonsense'])
        expect({ path, vary: await varyOf(path, { Accept: accept }) }).toEqual({ path, vary: `Accept, ${CALLER}` });
      const etag = (await repository.get(path, 'admin')).headers.get('ETag') ?? '';
      expect(await varyOf(path, { 'If-None-Match': etag })).toBe(`Accept, ${CALLER}`);
    }
  });

  it('contains only the credentials if Accept has no effect', async () => {
    const { node, media } = sample;
    const formats = ['json', 'jsonld', 'html'];
    for (const path of [
      ...entities().flatMap((path) => formats.map((format) => `${path}?_format=${format}`)),
      ...['json', 'jsonld'].map((format) => `/entity/file/${sample.file}?_format=${format}`),
      ...['json', 'linkset'].map((format) => `/media/${media}/linkset?_format=${format}`),
      '/user/1?_format=json',
      `/node/${node}/media`,
      `/node/${node}/members`,
      ...['json', 'html'].map((format) => `/node/${node}/revisions?_format=${format}`),
      '/vocabulary/tags',
    ])
      expect({ path, vary: await varyOf(path, { Accept: 'text/html' }) }).toEqual({ path, vary: CALLER });
  });

  it('is correct for errors, which are a page or JSON', async () => {
    const missing = '/node/999999';
    for (const path of [missing, '/nowhere', `/media/${sample.media}`]) {
      for (const accept of ['text/html', JSON_TYPE]) {
        const failure = await repository.get(path, undefined, { Accept: accept });
        expect({ path, vary: withoutEncoding(failure) }).toEqual({ path, vary: `Accept, ${CALLER}` });
      }
      const named = await repository.get(`${path}?_format=json`, undefined, { Accept: 'text/html' });
      expect({ path, vary: withoutEncoding(named) }).toEqual({ path, vary: CALLER });
    }
    const write = await repository.post('/node', {}, undefined, { Accept: 'text/html' });
    expect({ status: write.status, vary: write.headers.get('Vary') }).toEqual({ status: 401, vary: CALLER });
  });
});

describe('a site with configured formats', () => {
  const MODEL = `
rest:
  entity.node: { GET: { json: [basic_auth] } }
  entity.taxonomy_term: { GET: { jsonld: [basic_auth, cookie], json: [cookie] } }
`;
  let own: TestRepository;
  let node: string;
  beforeAll(async () => {
    own = await createTestRepository({}, { model: MODEL });
    node = `/node/${(await own.node()).nid[0].value}`;
  });
  afterAll(async () => {
    await own.stop();
  });

  it('returns 406 for a graph that the configuration removes', async () => {
    const refused = await own.get(`${node}?_format=jsonld`, 'admin');
    expect({ status: refused.status, body: await refused.json() }).toEqual({
      status: 406,
      body: {
        message: 'This address does not support the requested format. Supported formats: json, oai_dc, mods, datacite.',
      },
    });
    expect(linksIn(refused).map(({ href }) => href)).toEqual(
      ['json', 'oai_dc', 'mods', 'datacite'].map((name) => `${own.url}${node}?_format=${name}`),
    );
    const liked = await own.get(node, 'admin', { Accept: `${GRAPH}, text/html;q=0.1` });
    expect(liked.status).toBe(200);
    expect(liked.headers.get('Content-Type')).toBe(PAGE);
    const graph = await own.get(node, 'admin', { Accept: GRAPH });
    expect(graph.status).toBe(200);
    expect(graph.headers.get('Content-Type')).toBe(PAGE);
  });

  it('accepts the credentials that are configured for each format', async () => {
    const ask = async (format: string) => (await own.get(`/taxonomy/term/1?_format=${format}`, 'admin')).status;
    expect({ jsonld: await ask('jsonld'), json: await ask('json'), html: await ask('html') }).toEqual({
      jsonld: 200,
      json: 403,
      html: 403,
    });
  });
});
