import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { addressesIn, elementsOf, RUNNING_SCRIPT } from '../../support/page.ts';
import { SiteBuilder } from '../../support/site-builder.ts';
import { createTestRepository, type TestRepository } from '../../support/test-repository.ts';

const BROWSER = { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
const SUGGESTIONS = 'application/x-suggestions+json';

let repository: TestRepository;
let collection: number;
let subject: number;
let image: number;
const read = (path: string, as?: string) => repository.get(path, as, BROWSER);
const pageAt = async (path: string, as?: string) => (await read(path, as)).text();

beforeAll(async () => {
  repository = await createTestRepository({ siteName: 'Town & <Harbour> Archive of the North' });
  const build = new SiteBuilder(repository);
  subject = await build.term('subject', 'Ferries');
  collection = await build.node('collection', 'Waterfront');
  const about = { field_member_of: [collection], field_subject: [subject] };
  image = await build.node('image', 'Ferry at the quay', { ...about, field_description: ['The ferry in a storm.'] });
  await build.node('image', 'Ferry in winter', { ...about, field_edtf_date_created: ['1921'] });
});
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await repository.stop();
});

describe('the page of a search', () => {
  it('is HTML for browsers and JSON for programs', async () => {
    for (const [path, accept, type] of [
      ['/search?q=ferry', BROWSER.Accept, 'text/html; charset=utf-8'],
      ['/search?q=ferry', '*/*', 'text/html; charset=utf-8'],
      ['/search?q=ferry', 'application/json', 'application/json'],
      ['/search?q=ferry&_format=json', BROWSER.Accept, 'application/json'],
    ] as const) {
      const response = await repository.get(path, undefined, { Accept: accept });
      expect(response.status).toBe(200);
      expect(response.headers.get('Content-Type')).toBe(type);
    }
    const response = await read('/search?q=ferry&_format=jsonld');
    expect(response.status).toBe(406);
    expect(response.headers.get('Link')).toContain('/search?_format=json>; rel="alternate"');
  });

  it('shows marked results and facets, without inline or foreign resources', async () => {
    const response = await read('/search?q=ferry');
    const html = await response.text();
    expect(elementsOf(html, 'h1')[0]?.text).toBe('2 items');
    expect(elementsOf(html, 'title')[0]?.text).toBe('ferry · Search · Town & <Harbour> Archive of the North');
    expect(
      elementsOf(html, '.hit h2')
        .map(({ text }) => text)
        .sort(),
    ).toEqual(['Ferry at the quay', 'Ferry in winter']);
    expect(elementsOf(html, '.snippet mark').map(({ text }) => text.toLowerCase())).toContain('ferry');
    expect(elementsOf(html, '.facet h2').map(({ text }) => text)).toEqual(['Collection', 'Model', 'Subject', 'Decade']);
    expect(elementsOf(html, '.decades a').map(({ text }) => text)).toEqual(['1920s: 1 item']);
    expect(elementsOf(html, RUNNING_SCRIPT)).toEqual([]);
    expect(elementsOf(html, 'style, [style]')).toEqual([]);
    expect(
      addressesIn(html).filter((address) => /^https?:/.test(address) && !address.startsWith(repository.url)),
    ).toEqual([]);
    expect(response.headers.get('Content-Security-Policy')).toContain("script-src 'self';");
  });

  it('supports HEAD, OPTIONS, 304 and 405 like other pages', async () => {
    const first = await read('/search?q=ferry');
    const etag = first.headers.get('ETag') ?? '';
    for (const [name, value] of [
      ['Cache-Control', 'public, max-age=0, s-maxage=60'],
      ['Vary', 'Accept, Authorization, JWT-Authorization, Cookie'],
    ] as const)
      expect(first.headers.get(name)).toStartWith(value);
    const again = await repository.get('/search?q=ferry', undefined, { ...BROWSER, 'If-None-Match': etag });
    expect({ status: again.status, body: await again.text() }).toEqual({ status: 304, body: '' });
    const head = await repository.fetch('/search?q=ferry', { method: 'HEAD', headers: BROWSER });
    expect({ status: head.status, etag: head.headers.get('ETag'), body: await head.text() }).toEqual({
      status: 200,
      etag,
      body: '',
    });
    const options = await repository.fetch('/search', { method: 'OPTIONS' });
    expect({ status: options.status, allow: options.headers.get('Allow') }).toEqual({ status: 200, allow: 'GET' });
    for (const path of ['/search', '/search/suggest', '/opensearch.xml'])
      expect((await repository.post(path, {}, 'admin')).status).toBe(405);
  });

  it('shows each chosen value as a labelled filter, even without results', async () => {
    const query = `f.collection=${collection}&f.subject=${subject}&from=1900&to=1930`;
    const html = await pageAt(`/search?${query}`);
    expect(elementsOf(html, '.chip').map(({ text }) => text.replace('Remove the filter ', ''))).toEqual([
      ...['Collection: Waterfront', 'Subject: Ferries', 'Years: 1900 to 1930'],
    ]);
    expect(elementsOf(html, '.hit h2').map(({ text }) => text)).toEqual(['Ferry in winter']);
    const none = await pageAt(`/search?q=nothing&${query}`);
    expect(elementsOf(none, '.chip').map(({ text }) => text)).toContain('Remove the filter Subject: Ferries');
    expect(elementsOf(none, '.advice li').length).toBeGreaterThan(2);
  });

  it('suggests a similar search if it finds nothing', async () => {
    const html = await pageAt('/search?q=ferrry');
    expect(elementsOf(html, '.did-you-mean a').map(({ text }) => text)).toEqual(['ferry']);
  });

  it('contains only working links', async () => {
    const html = await pageAt('/search?q=ferry&view=grid&size=1&page=1');
    const links = elementsOf(html, 'main a').map(({ attributes }) => attributes.href ?? '');
    for (const href of links.filter((each) => each.startsWith('/'))) expect((await read(href)).status).toBe(200);
    expect(links.length).toBeGreaterThan(4);
  });

  it('contains only buttons that lead to a page, at the usual address of its search', async () => {
    const html = await pageAt('/search?q=ferry&view=grid&size=1&page=1');
    const buttons = elementsOf(html, 'main button[name][form]').map(({ attributes }) => attributes);
    for (const { form, name = '', value = '' } of buttons) {
      const kept = elementsOf(html, `#${form} [type=hidden]`).map(({ attributes }) => attributes);
      const sent = [...kept, { name, value }].map((each) => [each.name ?? '', each.value ?? '']);
      const first = await read(`/search?${new URLSearchParams(sent)}`);
      const moved = first.headers.get('Location')?.replace(repository.url, '');
      expect((moved === undefined ? first : await read(moved)).status).toBe(200);
    }
    expect(buttons.length).toBeGreaterThan(7);
  });

  it('shows the name of a signed-in caller', async () => {
    expect(elementsOf(await pageAt('/search', 'admin'), '.user-name')[0]?.text).toBe('Signed in as admin');
  });
});

describe('the search box', () => {
  it.each(['/collections', '/search', '/node/999999'])('is in the header at %s, with the description', async (path) => {
    const html = await pageAt(path);
    expect(elementsOf(html, 'header.site search form').map(({ attributes }) => attributes.action)).toEqual(['/search']);
    expect(elementsOf(html, 'link[rel=search]')[0]?.attributes).toMatchObject({
      type: 'application/opensearchdescription+xml',
      href: '/opensearch.xml',
    });
  });

  it('is below the introduction of the first page, only once', async () => {
    const html = await pageAt('/');
    expect(elementsOf(html, 'search').length).toBe(1);
    expect(elementsOf(html, '.hero search').length).toBe(1);
    expect(elementsOf(html, '.more').map(({ attributes }) => attributes.href)).toContain('/search');
  });

  it.each([
    ['a collection', () => `/node/${collection}`, 'Search in this collection', 'f.collection', () => collection],
    ['a term', () => `/taxonomy/term/${subject}`, 'Search in these items', 'f.subject', () => subject],
  ] as const)('searches in %s on its page', async (_, path, label, name, value) => {
    const html = await pageAt(path());
    const names = elementsOf(html, 'search').map(({ attributes }) => attributes['aria-label']);
    expect(names).toEqual(['Search this site', label]);
    expect(elementsOf(html, 'main search [type=hidden]').map(({ attributes }) => attributes)).toEqual([
      expect.objectContaining({ name, value: String(value()) }),
    ]);
    expect(elementsOf(await pageAt(`/search?${name}=${value()}`), 'h1')[0]?.text).toBe('2 items');
    expect(elementsOf(await pageAt(`/node/${image}`), 'main search')).toEqual([]);
  });
});

describe('suggestions', () => {
  it('contain titles, collections and terms with their pages', async () => {
    const ask = async (q: string) => (await repository.get(`/search/suggest?q=${q}`)).json();
    expect(await ask('wat')).toEqual({
      query: 'wat',
      suggestions: [{ text: 'Waterfront', kind: 'collection', url: `${repository.url}/node/${collection}` }],
    });
    const { suggestions } = (await ask('ferr')) as { suggestions: { kind: string; url: string }[] };
    expect(suggestions.map(({ kind }) => kind).sort()).toEqual(['term', 'title', 'title']);
    for (const { url } of suggestions) expect((await fetch(url)).status).toBe(200);
    for (const q of ['', 'zzz', '%00', '%F0%9F%99%82', '"', '*'])
      expect(((await ask(q)) as { suggestions: unknown[] }).suggestions).toEqual([]);
  });

  it('have the OpenSearch format for the address bar', async () => {
    const byFormat = await repository.get('/search/suggest?q=wat&_format=suggestions');
    expect(byFormat.headers.get('Content-Type')).toBe(SUGGESTIONS);
    expect(await byFormat.json()).toEqual([
      'wat',
      ['Waterfront'],
      ['collection'],
      [`${repository.url}/node/${collection}`],
    ]);
    const byAccept = await repository.get('/search/suggest?q=wat', undefined, { Accept: SUGGESTIONS });
    expect(byAccept.headers.get('Content-Type')).toBe(SUGGESTIONS);
    expect(byAccept.headers.get('Vary')).toContain('Accept');
    expect((await repository.get('/search/suggest?_format=html')).status).toBe(406);
  });
});

describe('/opensearch.xml', () => {
  it('describes the search to browsers, with working addresses', async () => {
    const response = await repository.get('/opensearch.xml');
    const xml = await response.text();
    expect(response.headers.get('Content-Type')).toBe('application/opensearchdescription+xml; charset=utf-8');
    expect(xml).toContain('<ShortName>Town &amp;…</ShortName>');
    expect(xml).toContain('<LongName>Town &amp; &lt;Harbour&gt; Archive of the North</LongName>');
    const urls = [...xml.matchAll(/<Url type="([^"]+)"[^>]*template="([^"]+)"/g)].map(
      ([, type = '', template = '']) => [type, template.replaceAll('&amp;', '&').replace('{searchTerms}', 'ferry')],
    );
    expect(urls.map(([type]) => type)).toEqual([
      ...['text/html', 'application/json', SUGGESTIONS, 'application/opensearchdescription+xml'],
    ]);
    for (const [type = '', url = ''] of urls) {
      const answer = await fetch(url);
      expect(answer.status).toBe(200);
      expect(answer.headers.get('Content-Type')?.split(';')[0]).toBe(type);
    }
    expect((await repository.get('/opensearch.xml', undefined, { 'If-None-Match': '*' })).status).toBe(304);
  });
});
