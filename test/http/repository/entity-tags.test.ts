import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { createLinkedSite, type LinkedSite } from '../../support/linked-site.ts';
import { PNG } from '../../support/repository-routes.ts';
import type { Picture } from '../../support/site-builder.ts';
import type { As, EntityJson } from '../../support/test-repository.ts';

const ORIGINAL = 'http://pcdm.org/use#OriginalFile';
const SETTING = '/admin/config/islandora/core?_format=json';
const STALE = { message: 'The content has changed since the ETag in If-Match was returned. Read it again.' };
const FORMATS = ['json', 'jsonld', 'html'] as const;

let site: LinkedSite;
let node: number;
let genre: number;
let picture: Picture;
beforeAll(async () => {
  site = await createLinkedSite();
  genre = await site.term('genre', 'Photographs');
  node = await site.node({ field_genre: [genre] });
  picture = await site.picture(node, ORIGINAL);
});
afterAll(async () => {
  expect(site.repository.failures()).toEqual([]);
  await site.stop();
});

const get = (path: string, as?: As, headers: Record<string, string> = {}) => site.repository.get(path, as, headers);

async function etagOf(path: string, as?: As, headers: Record<string, string> = {}): Promise<string> {
  const response = await get(path, as, headers);
  expect({ path, as, status: response.status }).toEqual({ path, as, status: 200 });
  return response.headers.get('ETag') ?? '';
}

/** The tag of each form of an entity. */
const etagsOf = (path: string, as?: As) =>
  Promise.all(FORMATS.map((format) => etagOf(`${path}?_format=${format}`, as)));

async function turn(value: boolean): Promise<void> {
  const response = await site.repository.patch(SETTING, { allow_header_links: [{ value }] }, 'admin');
  expect(response.status).toBe(200);
}

const entities = () => [`/node/${node}`, `/media/${picture.id}`, `/taxonomy/term/${genre}`];

describe('an ETag', () => {
  it('is strong, and stable while nothing changes', async () => {
    const others = [`/entity/file/${picture.file}`, '/user/1', SETTING, `/node/${node}/linkset`];
    for (const path of [...entities().flatMap((path) => FORMATS.map((each) => `${path}?_format=${each}`)), ...others]) {
      const etag = await etagOf(path, 'admin');
      expect({ path, etag }).toEqual({ path, etag: expect.stringMatching(/^"[\x21\x23-\x7e]+"$/) });
      for (const headers of [{}, { Accept: 'application/json' }, { 'User-Agent': 'x' }] as Record<string, string>[])
        if (path.includes('_format'))
          expect({ path, etag: await etagOf(path, 'admin', headers) }).toEqual({ path, etag });
      const head = await site.repository.fetch(path, { method: 'HEAD', as: 'admin' });
      expect(head.headers.get('ETag')).toBe(etag);
    }
  });

  it('differs between the formats of an entity and between entities', async () => {
    const file = `/entity/file/${picture.file}`;
    const tags = [
      ...(await Promise.all(entities().map((path) => etagsOf(path, 'admin')))).flat(),
      ...(await Promise.all(['json', 'jsonld'].map((format) => etagOf(`${file}?_format=${format}`, 'admin')))),
      ...(await Promise.all(
        ['json', 'linkset'].map((format) => etagOf(`/node/${node}/linkset?_format=${format}`, 'admin')),
      )),
    ];
    expect(new Set(tags).size).toBe(13);
  });

  it('is the same for each way to request the format', async () => {
    const [path] = entities() as [string];
    const [json, graph, page] = await etagsOf(path, 'reader');
    expect(await etagOf(path, 'reader')).toBe(json as string);
    expect(await etagOf(path, 'reader', { Accept: 'application/ld+json' })).toBe(graph as string);
    expect(await etagOf(path, 'reader', { Accept: 'text/html' })).toBe(page as string);
  });

  it('differs between callers only if their responses differ', async () => {
    const bare = `/node/${await site.node()}`;
    const both = async (path: string, ...callers: [As, As]) =>
      new Set(await Promise.all(callers.map((as) => etagOf(path, as)))).size;
    const hiding = `/node/${await site.node()}`;
    const { id } = await site.picture(Number(hiding.split('/').at(-1)), ORIGINAL);
    await site.changeMedia(id, { status: [false] });
    // Who may change a node sees the log message, users see their name on a page, and links only to what they may view.
    expect(await both(`${bare}?_format=json`, undefined, 'reader')).toBe(1);
    expect(await both(`${bare}?_format=json`, undefined, 'admin')).toBe(2);
    expect(await both(`${bare}?_format=jsonld`, undefined, 'reader')).toBe(1);
    // An administrator gets the core links, too.
    expect(await both(`${bare}?_format=jsonld`, undefined, 'admin')).toBe(2);
    expect(await both(`${bare}?_format=html`, undefined, 'reader')).toBe(2);
    expect(await both(`/node/${node}?_format=json`, undefined, 'reader')).toBe(1);
    expect(await both(`${bare}?_format=json`, 'reader', 'editor')).toBe(1);
    expect(await both(`${hiding}?_format=json`, undefined, 'reader')).toBe(1);
    expect(await both(`${hiding}?_format=json`, 'reader', 'editor')).toBe(2);
    expect(await both(`/node/${node}?_format=json`, 'loader', 'admin')).toBe(1);
    expect(await both(`/taxonomy/term/${genre}?_format=json`, undefined, 'reader')).toBe(1);
    expect(await both(`/entity/file/${picture.file}?_format=json`, undefined, 'reader')).toBe(1);
    expect(await both(`/entity/file/${picture.file}?_format=json`, undefined, 'admin')).toBe(2);
    expect(await both(`/user/${site.loader}`, 'loader', 'admin')).toBe(2);
  });

  it('differs between the names of a site only in responses with addresses', async () => {
    const both = async (path: string) => {
      const hosts = ['one.example', 'two.example'];
      return new Set(await Promise.all(hosts.map((Host) => etagOf(path, 'admin', { Host })))).size;
    };
    for (const path of [...entities(), `/entity/file/${picture.file}`])
      for (const format of path.includes('file') ? ['json', 'jsonld'] : FORMATS)
        expect({ path, format, tags: await both(`${path}?_format=${format}`) }).toEqual({ path, format, tags: 2 });
    expect(await both('/user/1')).toBe(2);
    expect(await both(SETTING)).toBe(1);
  });

  it('changes while the links are switched off, and then returns', async () => {
    const paths = [...entities().slice(0, 2), `/entity/file/${picture.file}`];
    const tags = () => Promise.all(paths.map((path) => etagOf(`${path}?_format=json`, 'admin')));
    const term = `/taxonomy/term/${genre}?_format=html`;
    const [before, page] = [await tags(), await etagOf(term)];
    await turn(false);
    const off = await tags();
    for (const [index, etag] of off.entries()) expect(etag).not.toBe(before[index] as string);
    expect(await etagOf(term)).not.toBe(page);
    await turn(true);
    expect({ tags: await tags(), term: await etagOf(term) }).toEqual({ tags: before, term: page });
  });

  it('changes with every value that is shown, even if the entity is unchanged', async () => {
    const item = await site.node({ field_genre: [genre] });
    const path = `/node/${item}`;
    const steps: [does: string, change: () => Promise<unknown>, differs: readonly boolean[]][] = [
      ['a media is added', () => site.picture(item, ORIGINAL), [true, true, true]],
      ['a term is renamed', () => site.changeTerm(genre, 'genre', { name: ['Prints'] }), [true, true, true]],
      ['a term is hidden', () => site.changeTerm(genre, 'genre', { status: [false] }), [true, true, true]],
      ['a term is shown again', () => site.changeTerm(genre, 'genre', { status: [true] }), [true, true, true]],
      ['another node is made', () => site.node(), [false, false, false]],
    ];
    let before = await etagsOf(path, 'reader');
    const seen = new Set(before);
    for (const [does, change, differs] of steps) {
      await change();
      const after = await etagsOf(path, 'reader');
      expect({ does, differs: after.map((etag, index) => etag !== before[index]) }).toEqual({
        does,
        differs: [...differs],
      });
      // All of them stand for the same state of the node.
      for (const etag of after) expect(etag.split('.')[0]).toBe(before[0]?.split('.')[0] as string);
      for (const etag of after) seen.add(etag);
      before = after;
    }
    // What is as it was has the tag that it had then.
    expect(seen.size).toBe(12);
  });
});

describe('If-None-Match', () => {
  it('returns 304 only for the tag of the same response', async () => {
    const all = [
      ...entities().flatMap((path) => FORMATS.map((format) => `${path}?_format=${format}`)),
      ...['json', 'jsonld'].map((format) => `/entity/file/${picture.file}?_format=${format}`),
      ...['json', 'linkset'].map((format) => `/media/${picture.id}/linkset?_format=${format}`),
      '/user/1',
      SETTING,
    ];
    const tags = await Promise.all(all.map((path) => etagOf(path, 'admin')));
    for (const [index, path] of all.entries()) {
      const own = tags[index] as string;
      const same = await get(path, 'admin', { 'If-None-Match': own });
      expect({ path, status: same.status, body: await same.text(), etag: same.headers.get('ETag') }).toEqual({
        path,
        status: 304,
        body: '',
        etag: own,
      });
      const others = tags.filter((etag) => etag !== own).join(', ');
      expect({ path, status: (await get(path, 'admin', { 'If-None-Match': others })).status }).toEqual({
        path,
        status: 200,
      });
      expect((await get(path, 'admin', { 'If-None-Match': `${others}, W/${own}` })).status).toBe(304);
    }
  });

  it('returns 200 after only a link has changed', async () => {
    const path = `/node/${node}?_format=json`;
    const etag = await etagOf(path, 'reader');
    await site.changeTerm(genre, 'genre', { name: ['Another name'] });
    const response = await get(path, 'reader', { 'If-None-Match': etag });
    expect(response.status).toBe(200);
    expect(response.headers.get('Link')).toContain('Another name');
  });
});

describe('If-Match', () => {
  const writes: [string, (path: string, bundle: object, etag: string) => Promise<Response>, number][] = [
    [
      'PATCH',
      (path, bundle, etag) => {
        const label = Bun.randomUUIDv7();
        const body = { ...bundle, ...('type' in bundle ? { title: [label] } : { name: [label] }) };
        return site.repository.patch(path, body, 'admin', { 'If-Match': etag });
      },
      200,
    ],
    ['DELETE', (path, _bundle, etag) => site.repository.delete(path, 'admin', { 'If-Match': etag }), 204],
  ];

  /** A new entity of each kind: where it is, and its bundle. The media comes before its node: without that it is hidden. */
  async function fresh(): Promise<[path: string, bundle: object][]> {
    const item = await site.node();
    const { id } = await site.picture(item, ORIGINAL);
    return [
      [`/media/${id}`, { bundle: 'image' }],
      [`/node/${item}`, { type: 'islandora_object' }],
      [`/taxonomy/term/${await site.term('tags', `Tag ${Bun.randomUUIDv7()}`)}`, { vid: 'tags' }],
    ];
  }

  it.each(writes)(
    'of %s accepts the tag of the current state in any format, for any caller',
    async (_method, write, status) => {
      const sources: [string, As, Record<string, string>][] = [
        ['?_format=json', 'admin', {}],
        ['?_format=jsonld', 'admin', {}],
        ['?_format=html', 'admin', {}],
        ['?_format=html', 'reader', {}],
        ['?_format=json', 'reader', {}],
        ['?_format=jsonld', 'reader', { Host: 'other.example' }],
        ['/linkset?_format=linkset', 'reader', {}],
      ];
      for (const [suffix, as, headers] of sources) {
        for (const [path, bundle] of await fresh()) {
          if (suffix.startsWith('/') && 'vid' in bundle) continue;
          const etag = await etagOf(`${path}${suffix}`, as, headers);
          const response = await write(path, bundle, `"x", ${etag}`);
          expect({ path, suffix, as, status: response.status }).toEqual({ path, suffix, as, status });
        }
      }
    },
  );

  it.each(writes)('of %s refuses the tag of an earlier state in any format', async (_method, write) => {
    for (const [path, bundle] of await fresh()) {
      const tags = [...(await etagsOf(path, 'admin')), ...(await etagsOf(path, 'reader'))];
      expect((await write(path, bundle, 'x')).status).toBe(412);
      const change = 'type' in bundle ? { title: ['Changed'] } : { name: [`Changed ${path}`] };
      const changed = await (
        await site.repository.patch(`${path}?_format=json`, { ...bundle, ...change }, 'admin')
      ).text();
      for (const etag of tags) {
        const response = await write(path, bundle, etag);
        expect({ path, status: response.status, body: await response.json() }).toEqual({
          path,
          status: 412,
          body: STALE,
        });
      }
      expect((await write(path, bundle, tags.join(', '))).status).toBe(412);
      expect(await (await get(`${path}?_format=json`, 'admin')).text()).toBe(changed);
    }
  });

  it('of a write ignores changes of related content and of the link setting', async () => {
    const tag = await site.term('genre', 'Before');
    const item = await site.node({ field_genre: [tag] });
    const path = `/node/${item}?_format=json`;
    const etag = await etagOf(path, 'admin');
    await site.picture(item, ORIGINAL);
    await site.changeTerm(tag, 'genre', { name: ['After'] });
    await turn(false);
    const change = (value: string, tag: string) =>
      site.repository.patch(path, { type: 'islandora_object', title: [value] }, 'admin', { 'If-Match': tag });
    const first = await change('One', etag);
    await turn(true);
    expect(first.status).toBe(200);
    // A read compares the whole answer.
    expect((await get(path, 'admin', { 'If-Match': etag })).status).toBe(412);
    expect((await change('Two', etag)).status).toBe(412);
    expect((await change('Two', first.headers.get('ETag') ?? '')).status).toBe(200);
  });

  it('of a PUT of bytes accepts the tag of the media in any format', async () => {
    for (const format of FORMATS) {
      const etag = await etagOf(`/media/${picture.id}?_format=${format}`, 'admin');
      const put = (tag: string) =>
        site.repository.put(
          `/media/${picture.id}/source`,
          PNG,
          { 'Content-Type': 'image/png', 'If-Match': tag },
          'admin',
        );
      expect((await put(etag)).status).toBe(204);
      expect((await put(etag)).status).toBe(412);
    }
  });

  it('of a file deletion accepts the tag of its JSON or JSON-LD', async () => {
    for (const format of ['json', 'jsonld']) {
      const { file } = await site.picture(await site.node(), ORIGINAL);
      const path = `/entity/file/${file}`;
      const remove = (tag: string) => site.repository.delete(path, 'admin', { 'If-Match': tag });
      expect((await remove('"x"')).status).toBe(412);
      expect((await remove(await etagOf(`${path}?_format=${format}`, undefined))).status).toBe(204);
    }
  });

  it('of a setting accepts the tag of GET until the setting changes', async () => {
    const etag = await etagOf(SETTING, 'admin');
    const change = (value: boolean) =>
      site.repository.patch(SETTING, { allow_header_links: [{ value }] }, 'admin', { 'If-Match': etag });
    expect((await change(false)).status).toBe(200);
    expect((await change(true)).status).toBe(412);
    await turn(true);
    expect((await change(true)).status).toBe(200);
  });
});

describe('the response to a PATCH', () => {
  it('has the tag that the next GET returns and the next PATCH accepts', async () => {
    for (const [path, bundle, label] of [
      [`/node/${node}`, { type: 'islandora_object' }, 'title'],
      [`/media/${picture.id}`, { bundle: 'image' }, 'name'],
      [`/taxonomy/term/${genre}`, { vid: 'genre' }, 'name'],
    ] as const) {
      let etag = await etagOf(`${path}?_format=json`, 'admin');
      for (const query of ['?_format=json', '']) {
        const body = { ...bundle, [label]: [`Changed ${Bun.randomUUIDv7()}`] };
        const changed = await site.repository.patch(`${path}${query}`, body, 'admin', { 'If-Match': etag });
        expect({ path, status: changed.status }).toEqual({ path, status: 200 });
        etag = changed.headers.get('ETag') ?? '';
        const next = await get(`${path}${query}`, 'admin');
        expect({ path, etag: next.headers.get('ETag'), body: await next.text() }).toEqual({
          path,
          etag,
          body: await changed.text(),
        });
      }
    }
    const setting = await site.repository.patch(SETTING, { allow_header_links: [{ value: true }] }, 'admin');
    expect(setting.headers.get('ETag')).toBe(await etagOf(SETTING, 'admin'));
  });
});

describe('Last-Modified', () => {
  it('is the time of the last change, and If-Modified-Since works for JSON', async () => {
    for (const path of [...entities(), `/entity/file/${picture.file}`, '/user/1']) {
      const response = await get(`${path}?_format=json`, 'admin');
      const { changed } = (await response.json()) as EntityJson;
      const date = response.headers.get('Last-Modified') ?? '';
      expect({ path, time: new Date(date).getTime() }).toEqual({ path, time: new Date(changed[0].value).getTime() });
      const ask = async (since: string) =>
        (await get(`${path}?_format=json`, 'admin', { 'If-Modified-Since': since })).status;
      const before = new Date(new Date(date).getTime() - 1000).toUTCString();
      expect({ path, same: await ask(date), earlier: await ask(before), invalid: await ask('yesterday') }).toEqual({
        path,
        same: 304,
        earlier: 200,
        invalid: 200,
      });
    }
  });

  const later = new Date(Date.now() + 86_400_000).toUTCString();

  it('never causes 304 for pages, graphs and link sets', async () => {
    const forms = entities().flatMap((each) => [`${each}?_format=html`, `${each}?_format=jsonld`]);
    for (const path of [...forms, `/node/${node}/linkset?_format=json`]) {
      const { headers } = await get(path, 'admin');
      const json = await get(path.replace(/(\/linkset)?\?.*/, '?_format=json'), 'admin');
      expect({ path, lastModified: headers.get('Last-Modified') }).toEqual({
        path,
        lastModified: json.headers.get('Last-Modified'),
      });
      expect({ path, status: (await get(path, 'admin', { 'If-Modified-Since': later })).status }).toEqual({
        path,
        status: 200,
      });
    }
  });

  it('is missing for settings', async () => {
    expect((await get(SETTING, 'admin')).headers.has('Last-Modified')).toBe(false);
    expect((await get(SETTING, 'admin', { 'If-Modified-Since': later })).status).toBe(200);
  });

  it('is ignored beside If-None-Match', async () => {
    const path = `/node/${node}?_format=json`;
    const { headers } = await get(path, 'admin');
    const date = headers.get('Last-Modified') ?? '';
    const ask = async (etag: string) =>
      (await get(path, 'admin', { 'If-None-Match': etag, 'If-Modified-Since': date })).status;
    expect(await ask('"x"')).toBe(200);
    expect(await ask(headers.get('ETag') ?? '')).toBe(304);
  });
});
