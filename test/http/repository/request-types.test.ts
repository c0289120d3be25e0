import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { createTestRepository, type EntityJson, type TestRepository } from '../../support/test-repository.ts';

let repository: TestRepository;
let node: number;
let term: number;
beforeAll(async () => {
  repository = await createTestRepository();
  node = (await repository.node()).nid[0].value;
  term = await repository.termId('http://purl.org/coar/resource_type/c_c513');
});
afterAll(() => repository.stop());

describe('Content-Type', () => {
  const send = (contentType: string | undefined, method = 'POST', path = '/node') =>
    repository.fetch(path, {
      method,
      as: 'admin',
      body: new TextEncoder().encode('{"type":"page","title":[{"value":"x"}]}'),
      ...(contentType !== undefined && { headers: { 'Content-Type': contentType } }),
    });

  it.each(['application/json', 'application/json; charset=utf-8', 'Application/JSON;charset="UTF-8"'])(
    'may be %s',
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
  ])('must not be %s', async (contentType, message) => {
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

  it('is required', async () => {
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

  it('may be missing, empty or json', async () => {
    for (const path of paths()) {
      for (const query of ['', '?_format=', '?_format=json']) {
        const response = await repository.get(path + query, 'admin');
        expect({ path, query, status: response.status }).toEqual({ path, query, status: 200 });
        expect(response.headers.get('Content-Type')).toBe('application/json');
      }
    }
  });

  it('returns 406 with the available formats for any other value', async () => {
    for (const path of paths()) {
      for (const format of ['foo', 'xml', 'JSON', 'json ']) {
        const response = await repository.get(`${path}?_format=${encodeURIComponent(format)}`, 'admin');
        expect({ path, format, status: response.status }).toEqual({ path, format, status: 406 });
        const { message } = (await response.json()) as EntityJson;
        expect(message).toMatch(
          /^This address does not support the requested format\. Supported formats: (?:jsonld, )?json(?:, oai_dc, mods, datacite)?\.$/,
        );
        expect(response.headers.get('Link')).toContain(
          `${path}?_format=json>; rel="alternate"; type="application/json"`,
        );
      }
    }
  });

  it('takes precedence over Accept, which refuses nothing', async () => {
    for (const accept of ['text/html', 'application/xml', 'image/png;q=0', '*/*', '"']) {
      const response = await repository.get(`/node/${node}?_format=json`, undefined, { Accept: accept });
      expect(response.status).toBe(200);
      expect(response.headers.get('Content-Type')).toBe('application/json');
    }
  });

  it('may be missing in writes, and returns 406 for another format', async () => {
    expect((await repository.post('/node', { type: 'page', title: [{ value: 'x' }] }, 'admin')).status).toBe(201);
    const refused = await repository.post('/node?_format=jsonld', { type: 'page', title: [{ value: 'x' }] }, 'admin');
    expect(refused.status).toBe(406);
    expect(((await refused.json()) as EntityJson).message).toEndWith('Supported formats: json.');
    expect((await repository.delete(`/node/${node}?_format=xml`, 'admin')).status).toBe(406);
  });
});
