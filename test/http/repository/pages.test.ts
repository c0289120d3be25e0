import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { linksIn } from '../../support/link-lines.ts';
import { createLinkedSite, type LinkedSite } from '../../support/linked-site.ts';
import { addressesIn, detail, elementsOf } from '../../support/page.ts';
import { dangersOf, policyOf } from '../../support/page-safety.ts';
import { signIn, tokenOf } from '../../support/repository-routes.ts';
import type { Picture } from '../../support/site-builder.ts';
import { ADMIN_PASSWORD, type As } from '../../support/test-repository.ts';

const ORIGINAL = 'http://pcdm.org/use#OriginalFile';
const THUMBNAIL = 'http://pcdm.org/use#ThumbnailImage';
/** The headers of a browser that follows a link. */
const BROWSER = {
  Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8',
  'Accept-Language': 'en-GB,en;q=0.5',
  'Upgrade-Insecure-Requests': '1',
};
const PAGE = 'text/html; charset=utf-8';
const SIGNPOSTS = 'cite-as author type license item collection describedby linkset alternate'.split(' ');
const SCRIPT = `<script>document.title='ran'</script><svg/onload="document.title='ran'">`;

let site: LinkedSite;
let url: string;
let node: number;
let hidden: number;
let term: number;
let picture: Picture;
let unpublished: Picture;
let ofHidden: Picture;
beforeAll(async () => {
  site = await createLinkedSite();
  url = site.repository.url;
  term = await site.term('genre', 'Photographs & "prints"');
  node = await site.node({
    title: ['Moon & <i>Half</i> Dome'],
    field_abstract: [{ value: `<p>Black &amp; <strong>white</strong></p>${SCRIPT}`, format: 'basic_html' }],
    field_description: [SCRIPT],
    field_genre: [term],
    field_alt_title: [SCRIPT, '"onmouseover="x()'],
    field_identifier: ['javascript:document.title="ran"', 'https://example.org/"><script>x()</script>'],
  });
  hidden = await site.node({ title: ['Secret'] });
  await site.changeNode(hidden, { status: [false] });
  picture = await site.picture(node, ORIGINAL);
  unpublished = await site.picture(node, THUMBNAIL);
  await site.changeMedia(unpublished.id, { status: [false] });
  ofHidden = await site.picture(hidden, ORIGINAL);
});
afterAll(async () => {
  expect(site.repository.failures()).toEqual([]);
  await site.stop();
});

const visit = (path: string, as?: As, headers: Record<string, string> = {}) =>
  site.repository.get(path, as, { ...BROWSER, ...headers });
const pages = () => [`/node/${node}`, `/media/${picture.id}`, `/taxonomy/term/${term}`];

/** The addresses of the pictures and downloads in a page, each once. */
function filesIn(html: string): (string | undefined)[] {
  const files = elementsOf(html, 'img, .downloads a[download]').map(
    ({ attributes }) => attributes.src ?? attributes.href,
  );
  return [...new Set(files)];
}

describe('a browser', () => {
  it('gets a page with a strict content policy and no injected scripts', async () => {
    for (const path of pages()) {
      const response = await visit(path, 'loader');
      expect({ path, status: response.status }).toEqual({ path, status: 200 });
      expect(response.headers.get('Content-Type')).toBe(PAGE);
      const html = await response.text();
      expect(html).toStartWith('<!DOCTYPE html>\n<html lang="en">');
      expect(dangersOf(html)).toEqual([]);
      expect(policyOf(response)).toEqual({
        'default-src': "'none'",
        'script-src': "'self'",
        'style-src': "'self'",
        'img-src': "'self'",
        'media-src': "'self'",
        'font-src': "'self'",
        'connect-src': "'self'",
        'base-uri': "'none'",
        'form-action': "'self'",
        'frame-ancestors': "'self'",
      });
      expect(response.headers.get('X-Content-Type-Options')).toBe('nosniff');
      expect(response.headers.get('Referrer-Policy')).toBe('same-origin');
      expect(response.headers.get('Cache-Control')).toBe('must-revalidate, no-cache, private');
    }
  });

  it('sees stored text as text, and markup without scripts', async () => {
    const html = await (await visit(`/node/${node}`)).text();
    expect(elementsOf(html, 'h1').map(({ text }) => text)).toEqual(['Moon & <i>Half</i> Dome']);
    expect(elementsOf(html, 'title').map(({ text }) => text)).toEqual(['Moon & <i>Half</i> Dome · Repository']);
    expect(elementsOf(html, '.description strong').map(({ text }) => text)).toEqual(['white']);
    expect(elementsOf(html, '.description .lines').map(({ text }) => text)).toEqual([SCRIPT]);
    expect(detail(html, 'Other titles')).toEqual([SCRIPT, '"onmouseover="x()']);
    expect(detail(html, 'Genre')).toEqual(['Photographs & "prints"']);
    expect(elementsOf(html, 'a').map(({ attributes }) => attributes.href)).not.toContain(
      'javascript:document.title="ran"',
    );
  });

  it.each([undefined, 'reader', 'loader', 'admin'])('sees exactly the content visible to %p', async (as) => {
    const html = await (await visit(`/node/${node}`, as)).text();
    const maySeeHidden = as === 'loader' || as === 'admin';
    const shown = maySeeHidden ? [picture, unpublished] : [picture];
    expect(filesIn(html)).toEqual(shown.map(({ path }) => path));
    expect(html).toContain(`/media/${picture.id}`);
    expect(html.includes(`/media/${unpublished.id}`)).toBe(maySeeHidden);
    const isNamed = elementsOf(html, 'header.site').map(({ text }) => text.includes(`Signed in as ${as}`));
    expect(isNamed).toEqual([as !== undefined]);
  });

  it('finds the signposts of the Link header in the head', async () => {
    for (const path of pages()) {
      const response = await visit(path, 'loader');
      const links = linksIn(response).filter(({ rel }) => SIGNPOSTS.includes(rel));
      const [canonical, ...elements] = elementsOf(
        await response.text(),
        'head link:not([rel=stylesheet], [rel=icon], [rel=search], [rel=expect], [rel^=schema])',
      ).map(({ attributes }) => attributes);
      expect(canonical).toEqual({ rel: 'canonical', href: `${url}${path}` });
      expect(elements.map(({ rel, href, type, title }) => ({ href, rel, title, type }) as unknown)).toEqual(links);
      expect(links.map(({ rel }) => rel)).toContain('describedby');
    }
  });

  it('gets 200 from each internal address in a page', async () => {
    for (const path of pages()) {
      const addresses = new Set(addressesIn(await (await visit(path, 'loader')).text()));
      // Forms for people are named for the services that know them; there are none yet.
      const own = [...addresses]
        .map((address) => address.replace(url, ''))
        .filter((address) => address.startsWith('/') && !address.startsWith('/admin/content/media'));
      expect(own.length).toBeGreaterThan(4);
      for (const address of own)
        expect({ address, status: (await visit(address, 'loader')).status }).toEqual({ address, status: 200 });
    }
  });

  it('gets the same headers by HEAD', async () => {
    for (const path of pages()) {
      const { headers } = await visit(path, 'loader');
      const head = await site.repository.fetch(path, { method: 'HEAD', as: 'loader', headers: BROWSER });
      expect({ status: head.status, body: await head.text() }).toEqual({ status: 200, body: '' });
      for (const [name, value] of headers)
        if (!['date', 'content-length', 'connection'].includes(name))
          expect({ path, name, value: head.headers.get(name) }).toEqual({ path, name, value });
    }
  });

  it('gets 304 with the policy for a page that it has', async () => {
    for (const path of pages()) {
      const first = await visit(path, 'loader');
      const again = await visit(path, 'loader', { 'If-None-Match': first.headers.get('ETag') ?? '' });
      expect({ status: again.status, body: await again.text() }).toEqual({ status: 304, body: '' });
      expect(policyOf(again)).toEqual(policyOf(first));
    }
  });
});

describe('a user who signs in', () => {
  it.each<[string, () => Promise<Record<string, string>>]>([
    ['a name and password', async () => ({ Authorization: `Basic ${btoa(`admin:${ADMIN_PASSWORD}`)}` })],
    ['a token', async () => ({ Authorization: `Bearer ${await tokenOf(site.repository, 'admin')}` })],
    ['a session', async () => ({ Cookie: (await signIn(site.repository, 'admin', ADMIN_PASSWORD)).cookie })],
  ])('with %s sees hidden pages', async (_means, credentials) => {
    const headers = await credentials();
    const response = await visit(`/node/${hidden}`, undefined, headers);
    const html = await response.text();
    expect(response.status).toBe(200);
    expect(elementsOf(html, 'h1').map(({ text }) => text)).toEqual(['Secret']);
    expect(elementsOf(html, '.mark').map(({ text }) => text)).toEqual(['Not published']);
    expect(elementsOf(html, 'meta[name=robots]').map(({ attributes }) => attributes.content)).toEqual(['noindex']);
    expect((await visit(`/media/${picture.id}`, undefined, headers)).status).toBe(200);
  });
});

describe('an unavailable page', () => {
  it.each<[string, () => string, As, Record<string, string>, number, string]>([
    ['of a hidden node without login', () => `/node/${hidden}`, undefined, {}, 401, 'Sign in'],
    ['of a hidden node for a reader', () => `/node/${hidden}`, 'reader', {}, 403, 'Access denied'],
    ['of an unpublished media without login', () => `/media/${unpublished.id}`, undefined, {}, 401, 'Sign in'],
    ['of a media of a hidden node without login', () => `/media/${ofHidden.id}`, undefined, {}, 401, 'Sign in'],
    ['of a media of a hidden node for a reader', () => `/media/${ofHidden.id}`, 'reader', {}, 403, 'Access denied'],
    ['of a missing node', () => '/node/999999', undefined, {}, 404, 'Page not found'],
    ['of a name instead of an id', () => '/node/about', 'admin', {}, 404, 'Page not found'],
    ['of an unknown address', () => '/nowhere', undefined, {}, 404, 'Page not found'],
    ['of a missing file', () => '/sites/default/files/none.png', undefined, {}, 404, 'Page not found'],
    ['with a wrong password', () => `/node/${node}`, undefined, { Authorization: 'Basic eDp5' }, 401, 'Sign in'],
    ['of an entity without pages', () => '/entity/file/1?_format=html', 'admin', {}, 406, 'Format not available'],
  ])('%s shows the error', async (_case, path, as, headers, status, heading) => {
    const response = await visit(path(), as, headers);
    expect(response.status).toBe(status);
    expect(response.headers.get('Content-Type')).toBe(PAGE);
    const html = await response.text();
    expect(elementsOf(html, 'h1').map(({ text }) => text)).toEqual([heading]);
    expect(html).not.toContain('Secret');
    expect(dangersOf(html)).toEqual([]);
    expect(policyOf(response)['default-src']).toBe("'none'");
    // No browser asks for a password before the page with the form for it; a wrong one is asked for again.
    const scheme = 'Authorization' in headers ? 'Basic' : 'Session';
    expect(response.headers.get('WWW-Authenticate')).toBe(status === 401 ? `${scheme} realm="Repository"` : null);
    expect(linksIn(response).filter(({ rel }) => rel !== 'alternate')).toEqual([]);
    const head = await site.repository.fetch(path(), { method: 'HEAD', as, headers: { ...BROWSER, ...headers } });
    expect(head.status).toBe(status);
    expect(head.headers.get('Content-Type')).toBe(PAGE);
    expect(await head.text()).toBe('');
  });

  it.each<[string, Record<string, string>]>([
    ['?_format=json', BROWSER],
    ['', { Accept: 'application/json' }],
    ['', { Accept: 'application/ld+json' }],
    ['', { Accept: 'application/json, */*;q=0.5' }],
  ])('is JSON for programs: %p %p', async (query, headers) => {
    for (const [path, status] of [
      [`/node/${hidden}`, 401],
      ['/node/999999', 404],
      ['/nowhere', 404],
    ] as const) {
      const response = await site.repository.get(`${path}${query}`, undefined, headers);
      expect(response.status).toBe(status);
      expect(response.headers.get('Content-Type')).toBe('application/json');
      expect(Object.keys((await response.json()) as object)).toEqual(['message']);
    }
  });

  it('does not quote the address or the referrer as markup', async () => {
    for (const path of [`/${encodeURIComponent(SCRIPT)}`, `/node/${encodeURIComponent(SCRIPT)}`]) {
      const html = await (await visit(path, undefined, { Referer: `http://x/${SCRIPT}` })).text();
      expect(dangersOf(html)).toEqual([]);
      expect(html).not.toContain('onload');
    }
  });
});

describe('a stored image with a script', () => {
  it('is shown as an image and is sandboxed when opened alone', async () => {
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>document.title='ran'</script></svg>`;
    const item = await site.node();
    const use = await site.repository.termId(ORIGINAL);
    const headers = { 'Content-Type': 'image/svg+xml', 'Content-Location': 'public://drawing.xml' };
    expect((await site.repository.put(`/node/${item}/media/file/${use}`, svg, headers, 'admin')).status).toBe(201);
    const html = await (await visit(`/node/${item}`, 'admin')).text();
    expect(dangersOf(html)).toEqual([]);
    expect(filesIn(html)).toEqual(['/sites/default/files/drawing.xml']);
    const file = await visit('/sites/default/files/drawing.xml');
    expect(file.headers.get('Content-Type')).toBe('image/svg+xml');
    expect(file.headers.get('Content-Security-Policy')).toStartWith('sandbox');
  });
});
