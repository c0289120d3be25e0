import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import LinkHeader from 'http-link-header';
import { linksIn, type ReadLink } from '../../support/link-lines.ts';
import { createLinkedSite, type LinkedSite } from '../../support/linked-site.ts';
import type { Picture } from '../../support/site-builder.ts';
import type { As, EntityJson } from '../../support/test-repository.ts';

const ORIGINAL = 'http://pcdm.org/use#OriginalFile';
const THUMBNAIL = 'http://pcdm.org/use#ThumbnailImage';
const MODEL = 'http://purl.org/coar/resource_type/c_c513';
const ABOUT = 'https://schema.org/AboutPage';
const LICENCE = 'https://creativecommons.org/licenses/by/4.0/';
const AUTHOR = 'https://viaf.org/viaf/44396128';

interface Target {
  href: string;
  type?: string;
  title?: string;
}
/** The links of one anchor by relation. */
type Anchored = { anchor: string } & Record<string, Target[]>;

let site: LinkedSite;
let url: string;
let node: number;
let collection: number;
let hidden: number;
let original: Picture;
let thumbnail: Picture;
let ofHidden: Picture;
beforeAll(async () => {
  site = await createLinkedSite();
  url = site.repository.url;
  const authority = { field_authority_link: [{ uri: AUTHOR, source: 'viaf' }] };
  const photographer = await site.term('person', 'Ansel Adams', authority);
  const genre = await site.term('genre', 'Ölbild, „groß“ "x"');
  collection = await site.node({ title: ['Views'] });
  hidden = await site.node();
  await site.changeNode(hidden, { status: [false] });
  node = await site.node({
    field_genre: [genre],
    field_linked_agent: [{ target_id: photographer, rel_type: 'relators:pht' }],
    field_member_of: [collection, hidden],
    field_pid: ['10.1234/moon'],
    field_rights: [{ value: LICENCE, format: 'basic_html' }],
  });
  original = await site.picture(node, ORIGINAL);
  thumbnail = await site.picture(node, THUMBNAIL, { scheme: 'private' });
  ofHidden = await site.picture(hidden, ORIGINAL);
});
afterAll(async () => {
  expect(site.repository.failures()).toEqual([]);
  await site.stop();
});

const get = (path: string, as?: As, headers?: Record<string, string>) => site.repository.get(path, as, headers);

async function inJson(path: string, as?: As): Promise<Anchored[]> {
  const response = await get(`${path}/linkset`, as);
  expect({ path, as, status: response.status }).toEqual({ path, as, status: 200 });
  const { linkset, ...rest } = (await response.json()) as { linkset: Anchored[] };
  expect(rest).toEqual({});
  return linkset;
}

/** The links of a text, put together as JSON has them. */
async function inText(path: string, as?: As): Promise<Anchored[]> {
  const response = await get(`${path}/linkset?_format=linkset`, as);
  expect({ path, as, status: response.status }).toEqual({ path, as, status: 200 });
  const anchors = new Map<string, Anchored>();
  const { refs } = LinkHeader.parse(await response.text());
  for (const { uri, rel, title, 'title*': extended, type, anchor = '', ...others } of refs) {
    const known: Anchored = anchors.get(anchor) ?? ({ anchor } as Anchored);
    anchors.set(anchor, known);
    const words = extended?.value ?? title;
    const target = {
      ...{ href: uri, ...(type !== undefined && { type }), ...(words !== undefined && { title: words }) },
      ...('profile' in others && { profile: [String(others.profile)] }),
    };
    known[rel] = [...(known[rel] ?? []), target];
  }
  return [...anchors.values()];
}

const hrefs = (targets: Target[] = []) => targets.map(({ href }) => href);
/** The type of links from the graph of an entity to the entity. */
const ofGraph = (path: string) => ({
  anchor: `${url}${path}?_format=jsonld`,
  describes: [{ href: `${url}${path}`, type: 'text/html' }],
});
const to = (links: readonly ReadLink[], rel: string) => links.filter((link) => link.rel === rel);

describe('a link set', () => {
  it('is JSON, or text on request', async () => {
    for (const [query, accept, type] of [
      ['', undefined, 'application/linkset+json'],
      ['', '*/*', 'application/linkset+json'],
      ['', 'application/json', 'application/linkset+json'],
      ['', 'text/html', 'application/linkset+json'],
      ['', 'application/linkset+json', 'application/linkset+json'],
      ['', 'application/linkset', 'application/linkset'],
      ['', 'application/linkset;q=0.5, application/linkset+json;q=0.1', 'application/linkset'],
      ['?_format=json', 'application/linkset', 'application/linkset+json'],
      ['?_format=linkset', 'application/linkset+json', 'application/linkset'],
    ] as const) {
      for (const path of [`/node/${node}`, `/media/${original.id}`]) {
        const response = await get(`${path}/linkset${query}`, 'reader', accept && { Accept: accept });
        expect({ path, query, accept, contentType: response.headers.get('Content-Type') }).toEqual({
          path,
          query,
          accept,
          contentType: type,
        });
        const isNegotiated = query === '';
        expect(response.headers.get('Vary')).toBe(
          `${isNegotiated ? 'Accept, ' : ''}Authorization, JWT-Authorization, Cookie, Accept-Encoding`,
        );
      }
    }
  });

  it.each([undefined, 'reader', 'loader', 'admin'])('has the same links in both formats for %p', async (as) => {
    for (const path of [`/node/${node}`, `/media/${original.id}`])
      expect(await inText(path, as)).toEqual(await inJson(path, as));
  });

  it('has the links of the page, with the address of the node as anchor', async () => {
    const page = linksIn(await get(`/node/${node}?_format=html`, 'loader'));
    const [own, ...others] = await inJson(`/node/${node}`, 'loader');
    const { anchor, ...relations } = own as Anchored;
    expect(anchor).toBe(`${url}/node/${node}`);
    expect(others).toHaveLength(6);
    expect(new Set(Object.keys(relations))).toEqual(new Set(page.map(({ rel }) => rel)));
    for (const [rel, targets] of Object.entries(relations)) {
      const expected = to(page, rel).map(({ href, title, type }) => ({ href, title, type }));
      const shown = (targets as Target[]).map(({ href, title, type }) => ({ href, title, type }));
      expect({ rel, targets: JSON.parse(JSON.stringify(shown)) }).toEqual({
        rel,
        targets: expected.map((each) => JSON.parse(JSON.stringify(each))),
      });
    }
    expect(relations.tag).toContainEqual(expect.objectContaining({ title: 'Ölbild, „groß“ "x"' }));
  });

  it('leads from graph and files to the node, and to descriptions of files', async () => {
    const [, graph, , , , ...files] = await inJson(`/node/${node}`, 'admin');
    expect(graph as unknown).toEqual(ofGraph(`/node/${node}`));
    expect(files as unknown[]).toEqual(
      [original, thumbnail].map(({ id, path }) => ({
        anchor: `${url}${path}`,
        collection: [{ href: `${url}/node/${node}`, type: 'text/html' }],
        describedby: [{ href: `${url}/media/${id}?_format=jsonld`, type: 'application/ld+json' }],
      })),
    );
  });

  it('has the graph at the address that the node links to', async () => {
    for (const path of [`/node/${node}`, `/media/${original.id}`]) {
      const [own, ...others] = await inJson(path, 'reader');
      const described = others.filter(({ describes }) => describes !== undefined);
      expect(described.map(({ anchor }) => anchor)).toEqual(hrefs(own?.describedby));
    }
  });

  it('of a media contains its own file', async () => {
    const [own, ...others] = await inJson(`/media/${original.id}`, 'reader');
    expect(own?.anchor).toBe(`${url}/media/${original.id}`);
    expect(hrefs(own?.describes)).toEqual([`${url}${original.path}`]);
    expect(others as unknown[]).toEqual([
      ofGraph(`/media/${original.id}`),
      {
        anchor: `${url}${original.path}`,
        collection: [{ href: `${url}/media/${original.id}`, type: 'text/html' }],
        describedby: [{ href: `${url}/media/${original.id}?_format=jsonld`, type: 'application/ld+json' }],
      },
    ]);
  });

  it('contains only entities that the caller may view', async () => {
    const linkset = await inJson(`/node/${node}`);
    const files = [`${url}${original.path}`, `${url}${thumbnail.path}`];
    expect(linkset.map(({ anchor }) => anchor)).toEqual([
      `${url}/node/${node}`,
      ...['jsonld', 'oai_dc', 'mods', 'datacite'].map((format) => `${url}/node/${node}?_format=${format}`),
      ...files,
    ]);
    expect(hrefs(linkset[0]?.item)).toEqual(files);
    expect(hrefs(linkset[0]?.collection)).toEqual([`${url}/node/${collection}`]);
    expect(hrefs(linkset[0]?.related)).toEqual([
      `${url}/node/${collection}`,
      ...[original, thumbnail].map(({ id }) => `${url}/media/${id}`),
    ]);
    const owned = await inJson(`/node/${node}`, 'loader');
    expect(hrefs(owned[0]?.collection)).toEqual([`${url}/node/${collection}`, `${url}/node/${hidden}`]);
    expect(hrefs(owned[0]?.item)).toEqual(files);
    // No entry names the file of a hidden media.
    const item = await site.node();
    const { id } = await site.picture(item, ORIGINAL);
    await site.changeMedia(id, { status: [false] });
    for (const as of [undefined, 'reader']) {
      const shown = await inJson(`/node/${item}`, as);
      expect(shown).toHaveLength(5);
      expect(shown[0]?.item).toBeUndefined();
    }
    expect(await inJson(`/node/${item}`, 'loader')).toHaveLength(6);
  });

  it('reflects each change', async () => {
    const item = await site.node();
    const tag = await site.term('genre', 'First');
    const count = async () => (await inJson(`/node/${item}`, 'reader')).length;
    expect(await count()).toBe(5);
    const { id } = await site.picture(item, ORIGINAL);
    expect(await count()).toBe(6);
    await site.remove(`/media/${id}`);
    expect(await count()).toBe(5);
    await site.changeNode(item, { field_genre: [tag] });
    await site.changeTerm(tag, 'genre', { name: ['Second'] });
    const [own] = await inJson(`/node/${item}`);
    expect(own?.tag?.map(({ title }) => title)).toEqual(['Second', 'Image']);
  });
});

describe('a request for a link set', () => {
  it('is refused like a request for the entity', async () => {
    const missing = (type: string, id: string) => ({
      message: `${type} ${/^\d/.test(id) ? id : JSON.stringify(id)} does not exist.`,
    });
    const nobody = { message: 'No authentication credentials provided.' };
    for (const format of ['json', 'linkset']) {
      const ask = async (path: string, as?: As) => {
        const response = await get(`${path}/linkset?_format=${format}`, as);
        expect(response.headers.get('Content-Type')).toBe('application/json');
        expect(response.headers.has('WWW-Authenticate')).toBe(response.status === 401);
        return [response.status, await response.json()];
      };
      expect(await ask(`/node/${hidden}`)).toEqual([401, nobody]);
      expect(await ask(`/node/${hidden}`, 'reader')).toEqual([403, { message: '' }]);
      expect(await ask(`/media/${ofHidden.id}`)).toEqual([401, nobody]);
      expect(await ask(`/media/${ofHidden.id}`, 'reader')).toEqual([
        403,
        { message: 'The media belongs to a node that you may not view.' },
      ]);
      for (const id of ['999999', 'x', '0', '-1']) {
        expect(await ask(`/node/${id}`)).toEqual([404, missing('Node', id)]);
        expect(await ask(`/media/${id}`, 'admin')).toEqual([404, missing('Media', id)]);
      }
    }
    expect((await get(`/node/${hidden}/linkset`, 'loader')).status).toBe(200);
    const wrong = await get(`/node/${node}/linkset`, undefined, { Authorization: 'Basic eDp5' });
    expect(wrong.status).toBe(401);
  });

  it.each(['jsonld', 'foo', 'JSON', 'application/linkset', 'linkset+json'])(
    'for the format %s returns 406',
    async (format) => {
      for (const path of [`/node/${node}/linkset`, `/media/${original.id}/linkset`]) {
        const response = await get(`${path}?_format=${encodeURIComponent(format)}`, 'admin');
        expect({ status: response.status, body: await response.json() }).toEqual({
          status: 406,
          body: { message: 'This address does not support the requested format. Supported formats: linkset, json.' },
        });
        expect(linksIn(response)).toEqual([
          { href: `${url}${path}?_format=linkset`, rel: 'alternate', title: undefined, type: 'application/linkset' },
          { href: `${url}${path}?_format=json`, rel: 'alternate', title: undefined, type: 'application/linkset+json' },
        ]);
      }
    },
  );

  it('returns 404 for terms and 405 for writes', async () => {
    const term = await get('/taxonomy/term/1/linkset', 'admin');
    expect({ status: term.status, body: await term.json() }).toEqual({
      status: 404,
      body: { message: `${url}/taxonomy/term/1/linkset does not exist.` },
    });
    const post = await site.repository.post(`/node/${node}/linkset`, {}, 'admin');
    expect({ status: post.status, allow: post.headers.get('Allow') }).toEqual({ status: 405, allow: 'GET, HEAD' });
  });

  it('returns the headers of GET for HEAD, and 304 for the matching ETag', async () => {
    const tags: string[] = [];
    for (const format of ['json', 'linkset']) {
      const path = `/node/${node}/linkset?_format=${format}`;
      const { headers } = await get(path, 'admin');
      const head = await site.repository.fetch(path, { method: 'HEAD', as: 'admin' });
      expect({ status: head.status, body: await head.text() }).toEqual({ status: 200, body: '' });
      for (const name of ['Content-Type', 'ETag', 'Vary', 'Cache-Control', 'Last-Modified'])
        expect({ name, value: head.headers.get(name) }).toEqual({ name, value: headers.get(name) });
      // Media and terms change it without a date: the date of the node causes no 304.
      const since = { 'If-Modified-Since': headers.get('Last-Modified') ?? '' };
      expect(headers.get('Last-Modified')).toEndWith('GMT');
      expect((await get(path, 'admin', since)).status).toBe(200);
      const etag = headers.get('ETag') ?? '';
      tags.push(etag);
      expect((await get(path, 'admin', { 'If-None-Match': etag })).status).toBe(304);
      expect((await get(path, 'reader', { 'If-None-Match': etag })).status).toBe(200);
    }
    expect(new Set(tags).size).toBe(2);
  });
});

describe('FAIR Signposting', () => {
  it('is in the Link header of a landing page without credentials', async () => {
    for (const [accept, method] of [
      ['text/html', 'HEAD'],
      ['*/*', 'GET'],
    ] as const) {
      const links = linksIn(await site.repository.fetch(`/node/${node}`, { method, headers: { Accept: accept } }));
      expect(to(links, 'cite-as').map(({ href }) => href)).toEqual(['https://doi.org/10.1234/moon']);
      expect(to(links, 'author').map(({ href }) => href)).toEqual([AUTHOR]);
      expect(to(links, 'type').map(({ href }) => href)).toEqual([ABOUT, MODEL]);
      expect(to(links, 'license').map(({ href }) => href)).toEqual([LICENCE]);
      expect(to(links, 'collection').map(({ href }) => href)).toEqual([`${url}/node/${collection}`]);
    }
  });

  it('cites a node without an identifier by its own address, once', async () => {
    const links = linksIn(await get(`/node/${collection}`));
    expect(to(links, 'cite-as').map(({ href }) => href)).toEqual([`${url}/node/${collection}`]);
  });

  it('leads to addresses that answer with the stated type', async () => {
    for (const path of [`/node/${node}`, `/media/${original.id}`]) {
      const links = linksIn(await get(path, 'loader', { Accept: 'text/html' }));
      for (const [rel, count] of Object.entries({
        item: path.startsWith('/node') ? 2 : 1,
        describedby: path.startsWith('/node') ? 4 : 1,
        linkset: 2,
      })) {
        expect({ rel, links: to(links, rel) }).toEqual({
          rel,
          links: Array(count).fill(expect.objectContaining({ rel })),
        });
        for (const { href, type } of to(links, rel)) {
          const response = await get(href.slice(url.length), 'loader');
          expect({ href, status: response.status, contentType: response.headers.get('Content-Type') }).toEqual({
            href,
            status: 200,
            contentType: type as string,
          });
        }
      }
    }
  });

  it('has the same links in the link set, plus those of the files', async () => {
    const [own, , , , , ...files] = await inJson(`/node/${node}`, 'loader');
    for (const rel of ['cite-as', 'author', 'type', 'license', 'item', 'collection', 'describedby', 'linkset']) {
      const links = to(linksIn(await get(`/node/${node}`, 'loader', { Accept: 'text/html' })), rel);
      expect({ rel, hrefs: hrefs(own?.[rel]) }).toEqual({ rel, hrefs: links.map(({ href }) => href) });
      expect(links.length).toBeGreaterThan(0);
    }
    expect(files.map(({ anchor }) => anchor)).toEqual(hrefs(own?.item));
    for (const file of files) expect(hrefs(file.collection)).toEqual([`${url}/node/${node}`]);
  });

  it('leaves only core links when an administrator switches it off', async () => {
    const setting = '/admin/config/islandora/core?_format=json';
    const before = await inJson(`/node/${node}`, 'admin');
    const turn = async (value: boolean) =>
      expect((await site.repository.patch(setting, { allow_header_links: [{ value }] }, 'admin')).status).toBe(200);
    await turn(false);
    const [own, ...others] = await inJson(`/node/${node}`, 'admin');
    expect(others).toEqual([]);
    const { anchor, ...relations } = own as Anchored;
    expect(anchor).toBe(`${url}/node/${node}`);
    expect(Object.keys(relations).filter((rel) => !rel.startsWith('https://drupal.org/link-relations/'))).toEqual([
      'canonical',
      'edit-form',
      'version-history',
    ]);
    await turn(true);
    expect(await inJson(`/node/${node}`, 'admin')).toEqual(before);
  });
});

describe('the targets of a link set', () => {
  it('contain one link for a file of two media, described by each', async () => {
    const item = await site.node();
    const first = await site.picture(item, ORIGINAL);
    const media = (await (await get(`/media/${first.id}?_format=json`, 'admin')).json()) as EntityJson;
    const { field_media_image, field_media_of, field_media_use } = media;
    const second = await site.repository.post(
      '/entity/media?_format=json',
      { bundle: 'image', name: ['Again'], field_media_image, field_media_of, field_media_use },
      'admin',
    );
    expect(second.status).toBe(201);
    const other = ((await second.json()) as EntityJson).mid[0].value;
    const linkset = await inJson(`/node/${item}`, 'admin');
    expect(hrefs(linkset[0]?.item)).toEqual([`${url}${first.path}`]);
    expect(linkset).toHaveLength(6);
    expect(hrefs(linkset[5]?.collection)).toEqual([`${url}/node/${item}`]);
    expect(hrefs(linkset[5]?.describedby)).toEqual([first.id, other].map((id) => `${url}/media/${id}?_format=jsonld`));
  });
});
