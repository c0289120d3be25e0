import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { linksIn } from '../../support/link-lines.ts';
import { metadataIn, recordOf } from '../../support/oai.ts';
import { MODEL, SiteBuilder } from '../../support/site-builder.ts';
import { createTestRepository, type TestRepository } from '../../support/test-repository.ts';

const OWN_FORMATS = `
harvest:
  formats:
    short:
      element: record
      namespace: https://example.org/short
      schema: https://example.org/short.xsd
      elements: { dcterms:title: title }
    html:
      element: page
      namespace: https://example.org/html
      schema: https://example.org/html.xsd
      elements: { dcterms:title: title }
`;
const TYPES = {
  oai_dc: 'application/xml',
  mods: 'application/mods+xml',
  datacite: 'application/vnd.datacite.datacite+xml',
  short: 'application/xml',
};

let repository: TestRepository;
let build: SiteBuilder;
let item: number;
let draft: number;

beforeAll(async () => {
  repository = await createTestRepository({}, { model: OWN_FORMATS });
  build = new SiteBuilder(repository);
  await repository.user('reader');
  const collection = await build.node('collection', 'Closed', { status: [false] });
  item = await build.node('image', 'Boats <& piers>', { field_member_of: [collection] });
  draft = await build.node('image', 'Draft', { status: [false] });
});
afterAll(() => repository.stop());

const read = (path: string, as?: string, headers: Record<string, string> = {}) => repository.get(path, as, headers);

describe.each(Object.entries(TYPES))('a node as %s', (prefix, type) => {
  const path = (id: number) => `/node/${id}?_format=${prefix}`;

  it('is the record that harvesters get', async () => {
    const response = await read(path(item));
    expect([response.status, response.headers.get('Content-Type')]).toEqual([200, type]);
    const text = await response.text();
    expect(text).toStartWith('<?xml version="1.0" encoding="UTF-8"?>\n<');
    expect(await metadataIn(text)).toEqual(await recordOf(repository, item, prefix));
  });

  it('has the access of the node', async () => {
    expect((await read(path(draft))).status).toBe(401);
    expect((await read(path(draft), 'reader')).status).toBe(403);
    expect(await (await read(path(draft), 'admin')).text()).toContain('Draft');
    expect((await read(path(999_999))).status).toBe(404);
  });

  it('has an ETag, a date and no body for HEAD', async () => {
    const response = await read(path(item));
    const [etag, date] = ['ETag', 'Last-Modified'].map((name) => response.headers.get(name) ?? '');
    expect(date).toEndWith('GMT');
    expect((await read(path(item), undefined, { 'If-None-Match': etag as string })).status).toBe(304);
    const head = await repository.fetch(path(item), { method: 'HEAD' });
    expect([head.status, head.headers.get('ETag'), await head.text()]).toEqual([200, etag as string, '']);
  });

  it('links to its page, and has the links of the node', async () => {
    const links = linksIn(await read(path(item)));
    const own = `${repository.url}/node/${item}`;
    expect(links).toContainEqual(expect.objectContaining({ rel: 'describes', href: own, type: 'text/html' }));
    const described = links.filter(({ rel }) => rel === 'describedby').map(({ href }) => href);
    expect(described).toContain(`${own}?_format=${prefix}`);
  });
});

it('shows a node with what its caller may view', async () => {
  expect(await (await read(`/node/${item}?_format=oai_dc`)).text()).not.toContain('Closed');
  expect(await (await read(`/node/${item}?_format=oai_dc`, 'admin')).text()).toContain('Closed');
});

it('follows a change of the node and of its terms', async () => {
  const subject = await build.term('subject', 'Harbours');
  await build.change(`/node/${item}`, { type: ['islandora_object'], field_subject: [subject] });
  expect(await (await read(`/node/${item}?_format=mods`)).text()).toContain('<topic>Harbours</topic>');
  await build.change(`/taxonomy/term/${subject}`, { vid: ['subject'], name: ['Ports'] });
  expect(await (await read(`/node/${item}?_format=mods`)).text()).toContain('<topic>Ports</topic>');
});

it('answers formats by Accept, at an alias, and keeps the page', async () => {
  const negotiated = await read(`/node/${item}`, undefined, { Accept: TYPES.mods });
  expect([negotiated.headers.get('Content-Type'), negotiated.headers.get('Vary')]).toEqual([
    TYPES.mods,
    expect.stringContaining('Accept'),
  ]);
  await build.make('/entity/path_alias', { path: [`/node/${item}`], alias: ['/boats'] });
  expect(await (await read('/boats?_format=mods')).text()).toContain('<title>Boats &lt;&amp; piers&gt;</title>');
  const page = await read(`/node/${item}?_format=html`);
  expect(page.headers.get('Content-Type')).toStartWith('text/html');
});

it('names all formats in the error for an unknown one', async () => {
  const response = await read(`/node/${item}?_format=marc`);
  expect([response.status, await response.json()]).toEqual([
    406,
    {
      message:
        'This address does not support the requested format. Supported formats: jsonld, json, oai_dc, mods, datacite, short.',
    },
  ]);
  expect(linksIn(response).map(({ href }) => href)).toContain(`${repository.url}/node/${item}?_format=short`);
});

it('offers no record of a term', async () => {
  const model = await build.termId(MODEL.image);
  expect((await read(`/taxonomy/term/${model}?_format=mods`)).status).toBe(406);
});
