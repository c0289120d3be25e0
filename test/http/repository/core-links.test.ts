import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { linksIn } from '../../support/link-lines.ts';
import { createLinkedSite, type LinkedSite } from '../../support/linked-site.ts';
import type { Picture } from '../../support/site-builder.ts';

const ORIGINAL = 'http://pcdm.org/use#OriginalFile';
const CALLERS = [undefined, 'reader', 'writer', 'loader', 'editor', 'admin'] as const;
const OWN = 'https://drupal.org/link-relations/';

let site: LinkedSite;
let entities: Record<'node' | 'article' | 'unpublished' | 'media' | 'term' | 'user' | 'file', string>;
let picture: Picture;
let article: number;

beforeAll(async () => {
  site = await createLinkedSite();
  const { repository } = site;
  const writer = await repository.user('writer', 'content_editor');
  const term = await site.term('tags', 'Käthe');
  const node = await site.node({ field_subject: [await site.term('subject', 'Birds')] });
  picture = await site.picture(node, ORIGINAL);
  const made = await repository.post('/node', { type: 'article', title: ['An article'], path: ['/named'] }, 'writer');
  article = ((await made.json()) as { nid: { value: number }[] }).nid[0]?.value ?? 0;
  const unpublished = await site.node({ status: [false] }, 'admin');
  entities = {
    node: `/node/${node}`,
    article: `/node/${article}`,
    unpublished: `/node/${unpublished}`,
    media: `/media/${picture.id}`,
    term: `/taxonomy/term/${term}`,
    user: `/user/${writer}`,
    file: `/entity/file/${picture.file}`,
  };
});
afterAll(async () => {
  expect(site.repository.failures()).toEqual([]);
  await site.stop();
});

/** The links of an entity that lead to this site, by relation. */
async function linksOf(path: string, caller: string | undefined, format = 'json') {
  const response = await site.repository.get(`${path}?_format=${format}`, caller);
  if (response.status !== 200) return [];
  const own = linksIn(response).filter(({ href }) => href.startsWith(site.repository.url));
  return own.map(({ rel, href }) => ({ rel: rel.replace(OWN, ''), path: href.slice(site.repository.url.length) }));
}

const coreOf = async (path: string, caller: string | undefined) => {
  const rels = new Set<string>();
  // The collection that something is in is another one, of Signposting.
  for (const link of await linksOf(path, caller))
    if (link.rel !== 'collection' || link.path.startsWith('/admin/')) rels.add(link.rel);
  const others = ['related', 'tag', 'alternate', 'edit-media', 'describes', 'cite-as', 'author', 'type', 'item'];
  for (const rel of [...others, 'describedby', 'linkset', 'license']) rels.delete(rel);
  return [...rels].sort();
};

describe('a link', () => {
  it.each(CALLERS.map((caller) => [caller ?? 'anonymous', caller] as const))(
    'leads %s only to existing addresses',
    async (_name, caller) => {
      const asked = new Set<string>();
      for (const entity of Object.values(entities))
        for (const format of ['json', 'jsonld', 'html'])
          for (const { rel, path } of await linksOf(entity, caller, format)) {
            if (asked.has(`${rel} ${path}`)) continue;
            asked.add(`${rel} ${path}`);
            for (const accept of ['text/html', 'application/json', '*/*']) {
              const { status } = await site.repository.get(path, caller, { Accept: accept });
              // What is there for POST and PUT alone says so.
              const isForWrites = rel === 'edit-media' || (rel === 'create' && path.startsWith('/entity/'));
              // The list of nodes leads browsers to the search.
              const found = rel === 'create' && path.startsWith('/node?') && accept === 'text/html' ? 303 : 200;
              const expected = isForWrites ? 405 : found;
              expect(`${status} ${rel} ${path}`).toBe(`${expected} ${rel} ${path}`);
            }
          }
      expect(asked.size).toBeGreaterThan(10);
    },
    30_000,
  );

  it('of a 406 leads to an available format', async () => {
    const response = await site.repository.get(`${entities.node}/edit?_format=json`, 'admin');
    expect(response.status).toBe(406);
    expect(linksIn(response).map(({ href }) => href)).toEqual([
      `${site.repository.url}${entities.node}/edit?_format=html`,
    ]);
  });
});

describe('core links', () => {
  const whole = {
    node: ['canonical', 'revision'],
    media: ['canonical', 'revision'],
    term: ['canonical', 'revision'],
    user: ['canonical'],
    file: [],
  };

  it('are left out for a caller who may not open them', async () => {
    for (const caller of [undefined, 'reader'])
      for (const [name, rels] of Object.entries(whole)) {
        const { status } = await site.repository.get(`${entities[name as 'node']}?_format=json`, caller);
        expect({ name, caller, links: await coreOf(entities[name as 'node'], caller) }).toEqual({
          name,
          caller,
          links: status === 200 ? rels : [],
        });
      }
  });

  it('are complete for an administrator', async () => {
    const all = ['add-form', 'add-page', 'canonical', 'delete-form', 'delete-multiple-form', 'edit-form', 'revision'];
    expect(await coreOf(entities.node, 'admin')).toEqual([...all, 'create', 'version-history'].sort());
    expect(await coreOf(entities.media, 'admin')).toEqual([...all, 'collection', 'version-history'].sort());
    expect(await coreOf(entities.term, 'admin')).toEqual(
      ['canonical', 'create', 'delete-form', 'edit-form', 'revision', 'version-history'].sort(),
    );
    expect(await coreOf(entities.user, 'admin')).toEqual(['cancel-form', 'canonical', 'collection', 'edit-form']);
    expect(await coreOf(entities.file, 'admin')).toEqual(['delete-form']);
  });

  it('match the permissions of an editor', async () => {
    const own = ['add-form', 'add-page', 'canonical', 'create', 'delete-form', 'delete-multiple-form', 'edit-form'];
    expect(await coreOf(entities.article, 'writer')).toEqual([...own, 'revision', 'version-history'].sort());
    // Of someone else, and of a type that they may not create.
    expect(await coreOf(entities.node, 'writer')).toEqual(
      ['add-page', 'canonical', 'create', 'revision', 'version-history'].sort(),
    );
    expect(await coreOf(entities.term, 'writer')).toEqual(['canonical', 'create', 'edit-form', 'revision'].sort());
  });

  it('include edit-form only where the caller may edit', async () => {
    const path = `${entities.article}?_format=json`;
    const before = await site.repository.get(path, 'loader');
    expect(before.headers.get('link')).not.toContain('edit-form');
    await site.changeNode(Number(entities.node.split('/').at(-1)), {});
    expect(await coreOf(entities.node, 'loader')).toContain('edit-form');
  });

  it('appear in a linkset for the same callers', async () => {
    for (const caller of [undefined, 'admin']) {
      const response = await site.repository.get(`${entities.node}/linkset`, caller);
      const [first] = ((await response.json()) as { linkset: Record<string, unknown>[] }).linkset;
      expect(Object.hasOwn(first ?? {}, 'edit-form')).toBe(caller === 'admin');
    }
  });

  it('use the alias of an entity, but its id for forms', async () => {
    const links = await linksOf(entities.article, 'admin');
    const pathOf = (rel: string) => links.find((link) => link.rel === rel)?.path;
    expect(pathOf('canonical')).toBe('/named');
    expect(pathOf('revision')).toBe('/named');
    expect(pathOf('edit-form')).toBe(`/node/${article}/edit`);
    expect(pathOf('add-form')).toBe(`/node/add/article?node=${article}`);
  });
});

describe('links of a site with disabled routes', () => {
  it('omit the disabled routes', async () => {
    const other = await createLinkedSite(`
rest:
  node.revisions: null
  media.source: null
  entity.taxonomy_term: { POST: null }
`);
    try {
      const node = await other.node();
      const { id } = await other.picture(node, ORIGINAL);
      const relsOf = async (path: string) =>
        linksIn(await other.repository.get(`${path}?_format=json`, 'admin')).map(({ rel }) => rel.replace(OWN, ''));
      expect(await relsOf(`/node/${node}`)).not.toContain('version-history');
      expect(await relsOf(`/media/${id}`)).toContain('version-history');
      expect(await relsOf(`/media/${id}`)).not.toContain('edit-media');
      expect(await relsOf('/taxonomy/term/1')).not.toContain('create');
      expect(await relsOf('/taxonomy/term/1')).toContain('edit-form');
    } finally {
      await other.stop();
    }
  });
});

describe('the page of a core link', () => {
  it.each([
    ['edit', () => `${entities.node}/edit`, 'Save and view'],
    ['delete', () => `${entities.node}/delete`, 'cannot be undone'],
    ['several', () => `/admin/content/node/delete?node=${article}`, 'DELETE '],
    ['media delete', () => `${entities.media}/delete`, 'cannot be undone'],
    ['media several', () => `/media/delete?media=${picture.id}`, 'DELETE '],
    ['add', () => '/node/add', '/node/add/article'],
    ['add form', () => '/node/add/article', 'Save and view'],
    ['media add', () => '/media/add', '/media/add/image'],
    ['media add form', () => '/media/add/image', 'Choose a file'],
    ['media overview', () => '/admin/content/media', `/media/`],
    ['term edit', () => `${entities.term}/edit`, 'Save and view'],
    ['term delete', () => `${entities.term}/delete`, 'cannot be undone'],
    ['term history', () => `${entities.term}/revisions`, 'Revisions of Käthe'],
    ['user edit', () => `${entities.user}/edit`, 'Edit the account writer'],
    ['user cancel', () => `${entities.user}/cancel`, 'can no longer sign in'],
    ['people', () => '/admin/people', '/user/'],
    ['file delete', () => `/file/${picture.file}/delete`, 'DELETE '],
  ])('shows its content to permitted callers only: %s', async (_name, path, content) => {
    const response = await site.repository.get(path(), 'admin', { Accept: 'text/html' });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
    const page = await response.text();
    expect(page).toContain(content);
    for (const [, href = ''] of page.matchAll(/<a href="(http[^"]+)"/g)) {
      const target = await site.repository.get(href.slice(site.repository.url.length), 'admin');
      expect({ href, status: target.status }).toEqual({ href, status: 200 });
    }
    // A page with a form has its token.
    if (response.headers.get('cache-control') !== 'no-store, private') {
      const etag = String(response.headers.get('etag'));
      expect((await site.repository.get(path(), 'admin', { 'If-None-Match': etag })).status).toBe(304);
    }
    expect((await site.repository.get(path())).status).toBe(401);
    expect((await site.repository.get(path(), 'reader')).status).toBe(403);
  });

  it.each([
    ['/node/999/edit'],
    ['/node/x/delete'],
    ['/node/add/nothing'],
    ['/admin/content/node/delete'],
    ['/admin/content/node/delete?node=999'],
    ['/media/delete?media=x'],
    ['/user/999/edit'],
    ['/file/999/delete'],
    ['/taxonomy/term/999/revisions'],
  ])('returns 404 for %s', async (path) => {
    expect((await site.repository.get(path, 'admin')).status).toBe(404);
  });

  it('escapes markup in titles', async () => {
    const title = '<script>alert(1)</script>';
    const node = await site.node({ title: [title] });
    const page = await (await site.repository.get(`/node/${node}/edit`, 'admin')).text();
    expect(page).not.toContain('<script>');
    expect(page).toContain('&lt;script>');
  });
});
