import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { DEFAULT_SERVER_CONFIG } from '../../../src/config/server-config.ts';
import { loadSite } from '../../../src/server/load-site.ts';
import { addressesIn, elementsOf } from '../../support/page.ts';
import { createTestRepository, type TestRepository } from '../../support/test-repository.ts';

const BROWSER = { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
const LOGO = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 200 50"><script>alert(1)</script></svg>';
const INTRODUCTION = 'Photographs & <b>maps</b>.\n\nFree to look at.';

let folder: string;
let repository: TestRepository;
let collection: number;
const read = (path: string, as?: string) => repository.get(path, as, BROWSER);
const pageAt = async (path: string, as?: string) => (await read(path, as)).text();
const titlesIn = (html: string) => elementsOf(html, '.card-title').map(({ text }) => text);

async function node(title: string, model: string, fields: object = {}): Promise<number> {
  const field_model = [{ target_id: await repository.termId(model) }];
  return (await repository.node({ title: [{ value: title }], field_model, ...fields })).nid[0].value;
}
const COLLECTION = 'http://purl.org/dc/dcmitype/Collection';
const IMAGE = 'http://purl.org/coar/resource_type/c_c513';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'repo-site-'));
  const logo = join(folder, 'logo.svg');
  await writeFile(logo, LOGO);
  repository = await createTestRepository({
    siteName: 'Town <Archive>',
    site: {
      ...DEFAULT_SERVER_CONFIG.site,
      introduction: INTRODUCTION,
      logo,
      accent: '#8a2b4f',
      footerLinks: [
        { label: 'Help & rights', href: '/node/1' },
        { label: 'Elsewhere', href: 'https://example.org/' },
      ],
      robots: 'User-agent: *\nDisallow: /\n',
    },
  });
});
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await repository.stop();
  await rm(folder, { recursive: true });
});

describe('the pages of an empty repository', () => {
  it.each(['/', '/collections'])('show at %s that there is no content yet', async (path) => {
    const html = await pageAt(path);
    expect(elementsOf(html, '.empty')[0]?.text).toContain('yet');
    expect(elementsOf(html, '.bar, .card')).toEqual([]);
  });
});

describe('the first page', () => {
  beforeAll(async () => {
    collection = await node('Boyle family', COLLECTION);
    await node('Part of the family', COLLECTION, { field_member_of: [{ target_id: collection }] });
    await node('Harbour', IMAGE, { field_member_of: [{ target_id: collection }] });
    await node('Hidden harbour', IMAGE, { status: [{ value: false }] });
    await node('Hidden collection', COLLECTION, { status: [{ value: false }] });
  });

  it('shows name, introduction, and the top collections and newest items for the caller', async () => {
    const html = await pageAt('/');
    expect(elementsOf(html, 'title')[0]?.text).toBe('Town <Archive>');
    expect(elementsOf(html, 'h1').map(({ text }) => text)).toEqual(['Town <Archive>']);
    expect(elementsOf(html, '.hero p').map(({ text }) => text)).toEqual([
      'Photographs & <b>maps</b>.',
      'Free to look at.',
    ]);
    expect(elementsOf(html, '.top-collections .card-title').map(({ text }) => text)).toEqual(['Boyle family']);
    expect(titlesIn(html)).toContain('Harbour');
    expect(html).not.toContain('Hidden');
    expect(titlesIn(await pageAt('/', 'admin'))).toContain('Hidden harbour');
  });

  it('reflects each change', async () => {
    const before = await read('/');
    const later = await node('A later one', IMAGE);
    const after = await read('/');
    expect(after.headers.get('ETag')).not.toBe(before.headers.get('ETag'));
    expect(titlesIn(await after.text())).toContain('A later one');
    await repository.delete(`/node/${later}?_format=json`, 'admin');
    expect(titlesIn(await pageAt('/'))).not.toContain('A later one');
  });

  it('returns 304 to a client that has it, and answers HEAD without a body', async () => {
    const etag = (await read('/')).headers.get('ETag') ?? '';
    const again = await repository.get('/', undefined, { ...BROWSER, 'If-None-Match': etag });
    expect({ status: again.status, body: await again.text() }).toEqual({ status: 304, body: '' });
    const head = await repository.fetch('/', { method: 'HEAD', headers: BROWSER });
    expect({ status: head.status, etag: head.headers.get('ETag'), body: await head.text() }).toEqual({
      status: 200,
      etag,
      body: '',
    });
  });

  it('is not sent to programs that prefer JSON', async () => {
    for (const [path, accept] of [
      ['/', 'application/json'],
      ['/?_format=json', '*/*'],
    ] as const) {
      const response = await repository.get(path, undefined, { Accept: accept });
      expect({ status: response.status, body: await response.json() }).toEqual({
        status: 404,
        body: { message: `${repository.url}/ does not exist.` },
      });
    }
    expect((await repository.get('/', undefined, { Accept: '*/*' })).headers.get('Content-Type')).toStartWith(
      'text/html',
    );
    expect((await repository.post('/', {}, 'admin')).status).toBe(405);
    for (const [path, begin] of [
      ['/', 'Accept, Authorization'],
      ['/?_format=html', 'Authorization'],
    ] as const)
      expect((await repository.get(path, undefined, BROWSER)).headers.get('Vary')).toStartWith(begin);
  });

  it('links only to existing addresses', async () => {
    for (const path of ['/', '/collections'])
      for (const address of addressesIn(await pageAt(path)).filter((each) => /^\/(?!\/)/.test(each)))
        expect({ address, status: (await read(address)).status }).toEqual({ address, status: 200 });
  });
});

describe('the list of collections', () => {
  it('lists and counts the collections that the caller may view', async () => {
    const html = await pageAt('/collections');
    expect(titlesIn(html)).toEqual(['Boyle family', 'Part of the family']);
    expect(elementsOf(html, '.list-head p')[0]?.text).toBe('2 collections');
    expect(titlesIn(await pageAt('/collections', 'admin'))).toContain('Hidden collection');
  });

  it('reports its last page, and rejects an invalid page number', async () => {
    expect(elementsOf(await pageAt('/collections?page=7'), '.empty')[0]?.text).toBe('This list ends at page 1.');
    for (const page of ['-1', 'x', '1e3', '99999999'])
      expect((await read(`/collections?page=${page}`)).status).toBe(400);
    expect((await repository.get('/collections?_format=json')).status).toBe(406);
  });
});

describe('the layout of a page', () => {
  it('contains the configured logo, links and accent colour', async () => {
    const html = await pageAt('/collections', 'admin');
    const [logo] = elementsOf(html, '.brand img');
    expect(logo?.attributes.alt).toBe('Town <Archive>');
    expect(logo?.attributes.width).toBe('200');
    expect(logo?.attributes.height).toBe('50');
    expect(elementsOf(html, '.brand')[0]?.attributes.href).toBe('/');
    expect(elementsOf(html, 'header nav a[aria-current=page]')[0]?.text).toBe('Collections');
    expect(elementsOf(html, 'footer nav a').map(({ text, attributes }) => [text, attributes.href])).toEqual([
      ['Help & rights', '/node/1'],
      ['Elsewhere', 'https://example.org/'],
    ]);
    expect(elementsOf(html, '.user-name')[0]?.text).toBe('Signed in as admin');
    const style = addressesIn(html).find((address) => address.endsWith('/accent.css')) ?? '';
    expect(await (await read(style)).text()).toMatch(
      /^@media screen\{:root\{--accent:#8a2b4f;--accent-ink:#ffffff\}\}\n@media screen and \(prefers-color-scheme:dark\)\{:root\{--accent:#[0-9a-f]{6};--accent-ink:#0d1a20\}\}$/,
    );
    const image = await read(logo?.attributes.src ?? '');
    expect(image.headers.get('Content-Type')).toBe('image/svg+xml');
    expect(image.headers.get('Content-Security-Policy')).toBe("default-src 'none'; style-src 'unsafe-inline'");
  });

  it('loads at most 60 KB of compressed styles and modules', async () => {
    const html = await pageAt('/');
    let bytes = 0;
    for (const address of addressesIn(html).filter((each) => /\.(?:css|js)$/.test(each))) {
      const init = { headers: { 'Accept-Encoding': 'br' }, decompress: false } as RequestInit;
      const response = await repository.fetch(address, init);
      bytes += (await response.arrayBuffer()).byteLength;
    }
    expect(bytes).toBeGreaterThan(1_000);
    expect(bytes).toBeLessThan(60_000);
  });
});

describe('an asset', () => {
  const styleOf = async () => addressesIn(await pageAt('/')).find((each) => each.endsWith('/frame.css')) ?? '';

  it('is cached for a year, and is the same when compressed', async () => {
    const plain = await repository.get(await styleOf(), undefined, { 'Accept-Encoding': 'identity' });
    expect(plain.headers.get('Content-Type')).toBe('text/css; charset=utf-8');
    expect(plain.headers.get('Cache-Control')).toBe('public, max-age=31536000, immutable');
    expect(plain.headers.get('Vary')).toBe('Accept-Encoding');
    const init = { headers: { 'Accept-Encoding': 'gzip, deflate, br, zstd' }, decompress: false } as RequestInit;
    const compressed = await repository.fetch(await styleOf(), init);
    expect(compressed.headers.get('Content-Encoding')).toBe('br');
    expect(brotliDecompressSync(await compressed.arrayBuffer()).toString()).toBe(await plain.text());
    const etag = compressed.headers.get('ETag') ?? '';
    const again = await repository.get(await styleOf(), undefined, { 'Accept-Encoding': 'br', 'If-None-Match': etag });
    expect({ status: again.status, etag: again.headers.get('ETag') }).toEqual({ status: 304, etag });
  });

  it.each(['/assets/0000000000000000/frame.css', '/assets/x/__proto__', '/assets/x/../package.json', '/assets/x'])(
    'does not exist at %s',
    async (path) => {
      expect((await repository.get(path)).status).toBe(404);
    },
  );
});

describe('the files at fixed addresses', () => {
  it('are the configured crawler rules, and an icon', async () => {
    const robots = await repository.get('/robots.txt');
    expect({ contentType: robots.headers.get('Content-Type'), body: await robots.text() }).toEqual({
      contentType: 'text/plain; charset=utf-8',
      body: `User-agent: *\nDisallow: /\nSitemap: ${repository.url}/sitemap.xml\n`,
    });
    const icon = await repository.get('/favicon.ico');
    expect(icon.status).toBe(200);
    expect(icon.headers.get('Content-Type')).toBe('image/x-icon');
  });
});

describe('an invalid logo', () => {
  it.each([
    ['missing.svg', undefined, /missing\.svg: site\.logo: no such file/],
    ['logo.gif', 'GIF89a', /a logo must be an SVG, PNG, WebP or JPEG file/],
    ['empty.png', 'text', /this is no image with a size/],
    ['large.jpg', 'x'.repeat(600_000), /at most 524288 bytes, found 600000/],
  ])('prevents the start: %s', async (name, text, message) => {
    const logo = join(folder, name);
    if (text !== undefined) await writeFile(logo, text);
    await expect(loadSite({ siteName: 'A', site: { ...DEFAULT_SERVER_CONFIG.site, logo } })).rejects.toThrow(message);
  });
});
