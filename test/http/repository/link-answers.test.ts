import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { linkLines, linksIn } from '../../support/link-lines.ts';
import { createLinkedSite, type LinkedSite } from '../../support/linked-site.ts';
import { speak } from '../../support/raw-http.ts';
import { PNG } from '../../support/repository-routes.ts';
import type { Picture } from '../../support/site-builder.ts';
import { basic } from '../../support/test-repository.ts';

const ORIGINAL = 'http://pcdm.org/use#OriginalFile';
const type = 'islandora_object';

let site: LinkedSite;
let node: number;
let picture: Picture;
let unpublished: Picture;
let tag: number;
beforeAll(async () => {
  site = await createLinkedSite();
  node = await site.node();
  picture = await site.picture(node, ORIGINAL);
  unpublished = await site.picture(await site.node(), ORIGINAL);
  await site.changeMedia(unpublished.id, { status: [false] });
  tag = await site.term('tags', 'A tag');
});
afterAll(async () => {
  expect(site.repository.failures()).toEqual([]);
  await site.stop();
});

/** The entity of each kind, by its path. */
const entities = () => [
  `/node/${node}`,
  `/media/${picture.id}`,
  `/media/${picture.id}/edit`,
  `/taxonomy/term/${tag}`,
  `/entity/file/${picture.file}`,
  '/user/1',
];

const formats = (path: string) =>
  path.startsWith('/user') ? ['json'] : path.startsWith('/entity') ? ['json', 'jsonld'] : ['json', 'jsonld', 'html'];

describe('a response with links', () => {
  it('has them all in one header', async () => {
    for (const path of entities()) {
      const lines = [`GET ${path}?_format=json HTTP/1.1`, 'Host: localhost', `Authorization: ${basic('admin')}`];
      const { port } = site.repository.running.url;
      const { text } = await speak(Number(port), [[...lines, 'Connection: close', '', ''].join('\r\n')]);
      const head = text.slice(0, text.indexOf('\r\n\r\n')).split('\r\n');
      expect(head[0]).toBe('HTTP/1.1 200 OK');
      expect(head.filter((line) => /^link:/i.test(line))).toHaveLength(1);
    }
  });

  it('has the same headers for HEAD as for GET in every format', async () => {
    for (const path of entities()) {
      for (const format of formats(path)) {
        // The page at that address is a form.
        if (format === 'html' && path.endsWith('/edit')) continue;
        const address = `${path}?_format=${format}`;
        const got = await site.repository.get(address, 'admin');
        const head = await site.repository.fetch(address, { method: 'HEAD', as: 'admin' });
        const [first, second] = [got, head].map(({ headers }) => {
          const { date: _date, ...rest } = Object.fromEntries(headers);
          return rest;
        });
        expect({ address, second }).toEqual({ address, second: first });
        expect(linksIn(head).length).toBeGreaterThan(2);
        expect(await head.text()).toBe('');
      }
    }
  });

  it('has the same links with 304', async () => {
    for (const path of entities()) {
      const first = await site.repository.get(`${path}?_format=json`, 'admin');
      const headers = { 'If-None-Match': first.headers.get('etag') as string };
      const second = await site.repository.get(`${path}?_format=json`, 'admin', headers);
      expect({ path, status: second.status }).toEqual({ path, status: 304 });
      expect(second.headers.get('link')).toBe(first.headers.get('link') as string);
    }
  });

  it('uses the requested host in its links', async () => {
    const response = await site.repository.get(`/node/${node}?_format=json`, 'admin', { Host: 'repo.example:8080' });
    for (const { href, rel } of linksIn(response))
      if (rel !== 'tag' && rel !== 'type') expect(href).toStartWith(`http://repo.example:8080/`);
    expect(linkLines(response, 'http://repo.example:8080')).toEqual(
      await site.lines(`/node/${node}?_format=json`, 'admin'),
    );
  });
});

describe('a response that is not the entity', () => {
  const made = () => ({ type, title: ['New'], field_model: [site.image] });

  it.each<[string, number, () => Promise<Response>]>([
    ['of a POST', 201, () => site.repository.post('/node?_format=json', made(), 'admin')],
    ['of a PATCH', 200, () => site.repository.patch(`/node/${node}?_format=json`, { type, title: ['Other'] }, 'admin')],
    ['of a PATCH that changes nothing', 200, () => site.repository.patch(`/node/${node}`, { type }, 'admin')],
    [
      'of a PATCH of a media',
      200,
      () => site.repository.patch(`/media/${picture.id}`, { bundle: 'image', name: ['x'] }, 'admin'),
    ],
    [
      'of a PUT',
      204,
      () => site.repository.put(`/media/${picture.id}/source`, PNG, { 'Content-Type': 'image/png' }, 'admin'),
    ],
    ['with the media of a node', 200, () => site.repository.get(`/node/${node}/media?_format=json`, 'admin')],
    ['with the members of a node', 200, () => site.repository.get(`/node/${node}/members?_format=json`, 'admin')],
    ['with revisions', 200, () => site.repository.get(`/node/${node}/revisions?_format=json`, 'admin')],
    ['with terms', 200, () => site.repository.get('/vocabulary/tags?_format=json', 'admin')],
    ['with the settings', 200, () => site.repository.get('/admin/config/islandora/core?_format=json', 'admin')],
    ['with bytes', 200, () => site.repository.get(picture.path, 'admin')],
    ['with a link set', 200, () => site.repository.get(`/node/${node}/linkset`, 'admin')],
    ['for OPTIONS', 200, () => site.repository.fetch(`/node/${node}`, { method: 'OPTIONS' })],
    ['for an anonymous caller', 401, () => site.repository.get(`/media/${unpublished.id}?_format=json`)],
    ['for wrong credentials', 401, () => site.repository.get(`/node/${node}?_format=json`, 'stranger')],
    ['for another user', 403, () => site.repository.patch(`/node/${node}`, { type, title: ['x'] }, 'reader')],
    ['for missing content', 404, () => site.repository.get('/node/99999?_format=json', 'admin')],
    ['for another method', 405, () => site.repository.put(`/node/${node}`, '{}', {}, 'admin')],
    [
      'for an outdated ETag',
      412,
      () => site.repository.get(`/node/${node}?_format=json`, 'admin', { 'If-Match': '"another"' }),
    ],
    ['for an invalid body', 400, () => site.repository.patch(`/node/${node}`, '{', 'admin')],
    ['for an invalid value', 422, () => site.repository.patch(`/node/${node}`, { type, field_weight: ['x'] }, 'admin')],
    ['of a DELETE', 204, async () => site.repository.delete(`/node/${await site.node()}?_format=json`, 'admin')],
  ])('has no links: %s', async (_name, status, ask) => {
    const response = await ask();
    expect({ status: response.status, link: response.headers.get('link') }).toEqual({ status, link: null });
  });

  it('has links to the available formats if the requested one does not exist', async () => {
    const response = await site.repository.get(`/node/${node}?_format=xml`, 'admin');
    expect(response.status).toBe(406);
    expect(linkLines(response, site.repository.url)).toEqual([
      `alternate /node/${node}?_format=jsonld application/ld+json`,
      `alternate /node/${node}?_format=json application/json`,
      `alternate /node/${node}?_format=oai_dc application/xml`,
      `alternate /node/${node}?_format=mods application/mods+xml`,
      `alternate /node/${node}?_format=datacite application/vnd.datacite.datacite+xml`,
    ]);
  });
});

describe('a path alias', () => {
  const path = [{ alias: '/briefe/an,"die";<Gräfin>\\100%' }];
  const encoded = '/briefe/an,%22die%22;%3CGr%C3%A4fin%3E%5C100%25';

  async function linesWithout(address: string): Promise<string[]> {
    const lines = await site.lines(`${address}?_format=json`, 'admin');
    // With another alias comes another revision, which media name.
    return lines.map((line) => line.replace(/\/revision\/\d+\//, '/revision/N/'));
  }

  it.each<[string, () => Promise<string>]>([
    ['node', async () => `/node/${await site.node({ field_member_of: [node] })}`],
    ['media', async () => `/media/${(await site.picture(await site.node(), ORIGINAL)).id}`],
    ['term', async () => `/taxonomy/term/${await site.term('tags', 'Letters')}`],
  ])('replaces the path of a %s only in canonical and revision links', async (name, make) => {
    const address = await make();
    const before = await linesWithout(address);
    const bundle = { node: { type }, media: { bundle: 'image' }, term: { vid: 'tags' } }[name];
    await site.change(address, { ...bundle, path });
    const expected = before.map((line) =>
      line === `canonical ${address}` || line === `*revision ${address}` ? line.replace(address, encoded) : line,
    );
    expect(expected).not.toEqual(before);
    expect(await linesWithout(address)).toEqual(expected);
    expect(await linesWithout(encoded)).toEqual(expected);
    await site.change(address, { ...bundle, path: [{ alias: null, pid: null, langcode: 'en' }] });
    expect(await linesWithout(address)).toEqual(before);
  });

  it('with invalid text is refused', async () => {
    const body = `{"type":"${type}","path":[{"alias":"/\\ud800"}]}`;
    expect((await site.repository.patch(`/node/${node}?_format=json`, body, 'admin')).status).toBe(422);
    expect(await site.lines(`/node/${node}?_format=json`)).toContain(`canonical /node/${node}`);
  });

  it('is not used in links from other entities', async () => {
    const parent = await site.node();
    const child = await site.node({ field_member_of: [parent] });
    const lines = await site.lines(`/node/${child}?_format=json`);
    await site.changeNode(parent, { path: [{ alias: '/parent' }] });
    expect(await site.lines(`/node/${child}?_format=json`)).toEqual(lines);
    expect(lines).toContain(`related /node/${parent} "Member of"`);
  });
});
