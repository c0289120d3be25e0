import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import type { JsonObject } from '../../../src/base/json.ts';
import { removeTombstone } from '../../../src/repository/content/tombstones.ts';
import { deletedIn, oai } from '../../support/oai.ts';
import { elementsOf } from '../../support/page.ts';
import { SiteBuilder } from '../../support/site-builder.ts';
import { createTestRepository, type TestRepository } from '../../support/test-repository.ts';

const HTML = { Accept: 'text/html' };

let repository: TestRepository;
let build: SiteBuilder;

beforeAll(async () => {
  repository = await createTestRepository();
  build = new SiteBuilder(repository);
});
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await repository.stop();
});

const page = (path: string, as?: string) => repository.get(path, as, HTML);
const textOf = (html: string, selector: string) => elementsOf(html, selector).map(({ text }) => text.trim());

async function deleted(title: string, fields: JsonObject = {}): Promise<number> {
  const id = await build.node('image', title, fields);
  await build.remove(`/node/${id}`);
  return id;
}

describe('the page of a deleted item', () => {
  it('answers 410 with its title and citation', async () => {
    const author = await build.term('person', 'Boyle, Margaret');
    const id = await deleted('Ferry at the quay', {
      field_linked_agent: [{ target_id: author, rel_type: 'relators:pht' }],
      field_edtf_date_created: ['1929'],
    });
    const response = await page(`/node/${id}`);
    expect([response.status, response.headers.get('X-Robots-Tag')]).toEqual([410, 'noindex']);
    expect(response.headers.get('Content-Security-Policy')).toContain("default-src 'none'");
    const html = await response.text();
    expect(textOf(html, 'h1')).toEqual(['Ferry at the quay']);
    expect(textOf(html, '.citation')).toEqual([
      `Boyle, M. (1929). Ferry at the quay [Image]. Repository. ${repository.url}/node/${id}`,
    ]);
    expect(html).toContain('This item was deleted on ');
    expect(elementsOf(html, 'meta[name="robots"]')).toHaveLength(1);
    expect((await repository.fetch(`/node/${id}`, { method: 'HEAD', headers: HTML })).status).toBe(410);
  });

  it('answers 404 in JSON and in all other formats, and below its address', async () => {
    const id = await deleted('Only a page');
    const json = await repository.get(`/node/${id}?_format=json`, undefined, HTML);
    expect([json.status, await json.json()]).toEqual([404, { message: `Node ${id} does not exist.` }]);
    for (const path of ['?_format=jsonld', '?_format=mods', '/linkset', '/manifest', '/members', '/edit', '/cite'])
      expect([path, (await page(`/node/${id}${path}`, 'admin')).status]).toEqual([path, 404]);
    expect((await repository.delete(`/node/${id}?_format=json`, 'admin')).status).toBe(404);
  });

  it('shows a title with markup as text, and a long one', async () => {
    const title = `<script>alert(1)</script> & "x" ${'long '.repeat(40)}`.slice(0, 250).trim();
    const html = await (await page(`/node/${await deleted(title)}`)).text();
    expect(textOf(html, 'h1')).toEqual([title]);
    expect(html).not.toContain('<script>alert');
  });

  it('answers 404 for an item that was not public when it was deleted', async () => {
    const never = await deleted('Never public', { status: [false] });
    const withdrawn = await build.node('image', 'Withdrawn');
    await build.change(`/node/${withdrawn}`, { type: ['islandora_object'], status: [false] });
    await build.remove(`/node/${withdrawn}`);
    for (const id of [never, withdrawn, 999_999])
      for (const as of [undefined, 'admin']) {
        const response = await page(`/node/${id}`, as);
        expect([id, response.status]).toEqual([id, 404]);
        expect(await response.text()).not.toMatch(/Never public|Withdrawn/);
      }
  });

  it('is left by the form for deleting', async () => {
    const id = await build.node('image', 'By a form');
    const form = await (await page(`/node/${id}/delete`, 'admin')).text();
    const token = elementsOf(form, 'input[name="form_token"]')[0]?.attributes.value ?? '';
    const sent = await repository.fetch(`/node/${id}/delete`, {
      ...{ method: 'POST', as: 'admin', redirect: 'manual' },
      headers: { ...HTML, 'Content-Type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ form_token: token }),
    });
    expect(sent.status).toBe(303);
    expect((await page(`/node/${id}`)).status).toBe(410);
  });

  it('is a deleted record for harvesters, and in no sitemap and no search', async () => {
    const id = await deleted('Lighthouse keeper');
    expect(deletedIn(await oai(repository, { verb: 'ListIdentifiers', metadataPrefix: 'oai_dc' }))).toContain(id);
    expect(await (await repository.get('/sitemap.xml?part=1')).text()).not.toContain(`/node/${id}<`);
    const found = await (await repository.get('/search?q=lighthouse+keeper&_format=json')).json();
    expect(found.total).toBe(0);
  });
});

describe('a former alias of a deleted item', () => {
  async function withAliases(title: string, ...aliases: string[]): Promise<number> {
    const id = await build.node('image', title);
    for (const alias of aliases) await build.make('/entity/path_alias', { path: [`/node/${id}`], alias: [alias] });
    await build.remove(`/node/${id}`);
    return id;
  }

  it('answers as the item does', async () => {
    const id = await withAliases('Old Harbour', '/old-harbour', '/hafen/Größe');
    for (const path of ['/old-harbour', '/hafen/Gr%C3%B6%C3%9Fe']) {
      const response = await page(path);
      expect([path, response.status]).toEqual([path, 410]);
      expect(await response.text()).toContain('Old Harbour');
      expect((await repository.get(`${path}?_format=json`)).status).toBe(404);
    }
    await build.make('/entity/redirect', {
      redirect_source: [{ path: 'harbour-of-old' }],
      redirect_redirect: [{ uri: `internal:/node/${id}` }],
      status_code: [301],
    });
    const redirect = await repository.fetch('/harbour-of-old', { redirect: 'manual', headers: HTML });
    expect([redirect.status, redirect.headers.get('Location')]).toEqual([301, `${repository.url}/node/${id}`]);
  });

  it('can become an alias or a redirect again', async () => {
    await withAliases('First', '/again', '/moved');
    const next = await build.node('image', 'Second');
    await build.make('/entity/path_alias', { path: [`/node/${next}`], alias: ['/again'] });
    expect(await (await page('/again')).text()).toContain('Second');
    await build.make('/entity/redirect', {
      redirect_source: [{ path: 'moved' }],
      redirect_redirect: [{ uri: `internal:/node/${next}` }],
      status_code: [301],
    });
    const moved = await repository.fetch('/moved', { redirect: 'manual', headers: HTML });
    expect([moved.status, moved.headers.get('Location')]).toEqual([301, `${repository.url}/node/${next}`]);
  });

  it('answers 404, as the item does, once the tombstone is removed', async () => {
    const id = await withAliases('A person by name', '/a-person');
    expect(await removeTombstone(repository.running.services, id)).toBe(true);
    for (const path of [`/node/${id}`, '/a-person']) {
      const response = await page(path);
      expect([response.status, await response.text()]).toEqual([404, expect.not.stringContaining('A person')]);
    }
    expect(await removeTombstone(repository.running.services, id)).toBe(false);
  });
});

it('answers 404 for deleted items of a site without tombstones', async () => {
  const without = await createTestRepository({ tombstones: false });
  const own = new SiteBuilder(without);
  const id = await own.node('image', 'Not told');
  await own.remove(`/node/${id}`);
  const response = await without.get(`/node/${id}`, undefined, HTML);
  expect([response.status, await response.text()]).toEqual([404, expect.not.stringContaining('Not told')]);
  await without.stop();
});
