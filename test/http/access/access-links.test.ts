import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { type FormBrowser, formBrowser, signedIn } from '../../support/form-call.ts';
import { PNG } from '../../support/repository-routes.ts';
import { MODEL } from '../../support/site-builder.ts';
import { createTestRepository, type TestRepository } from '../../support/test-repository.ts';

let repository: TestRepository;
let owner: number;
let editor: FormBrowser;

beforeAll(async () => {
  repository = await createTestRepository({});
  owner = await repository.user('loader', 'workbench_user');
  await repository.user('reader');
  await repository.user('editor', 'repository_editor');
  editor = await signedIn(repository, 'editor');
});
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await repository.stop();
});

const DAY_MS = 86_400_000;
const day = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10);

async function item(fields: object = {}): Promise<number> {
  return (await repository.build.item({ title: ['Secret thing'], ...fields })).nid[0].value;
}
let pictures = 0;
async function picture(node: number) {
  pictures += 1;
  return repository.build.pictureOf(owner, node, { use: 'original', uri: `public://p${pictures}.png`, bytes: PNG });
}
const uuidOf = async (media: number): Promise<string> =>
  (await (await repository.get(`/media/${media}?_format=json`, 'admin')).json()).uuid[0].value;
/** The item's ways to its description and its files. */
async function waysTo(node: number): Promise<string[]> {
  const { id, path } = await picture(node);
  return [
    `/node/${node}?_format=json`,
    `/node/${node}`,
    `/media/${id}?_format=json`,
    path,
    `/iiif/3/${await uuidOf(id)}/info.json`,
  ];
}

/** Makes a link on the page of an item, and returns its path. */
async function makeLink(node: number, lastDay = day(3), browser = editor): Promise<string> {
  const page = await browser.open(`/node/${node}/access-links`);
  const made = await page.submit({ label: 'Dr Reviewer', last_day: lastDay });
  return new URL(made.elements('#made-link')[0]?.text ?? '').pathname;
}
/** Opens a link as a browser does, and returns the cookie that it gets. */
async function follow(path: string, cookie?: string): Promise<string> {
  const { headers, status } = await formBrowser(repository).open(path, cookie === undefined ? {} : { Cookie: cookie });
  expect(status).toBe(303);
  return headers.get('set-cookie')?.split(';', 1)[0] ?? '';
}
const statusesOf = (paths: readonly string[], cookie?: string) =>
  Promise.all(
    paths.map(
      async (path) => (await repository.get(path, undefined, cookie === undefined ? {} : { Cookie: cookie })).status,
    ),
  );

const CLOSED = { access_rule: [{ preset: 'closed' }] };
const FILES_CLOSED = { access_rule: [{ preset: 'only_description' }] };
const OPEN = [200, 200, 200, 200, 200];

describe('a link to an item', () => {
  it('opens exactly this item with its files', async () => {
    const collection = await item(CLOSED);
    const [id, other] = await Promise.all([0, 1].map(() => item({ field_member_of: [{ target_id: collection }] })));
    const [ways, otherWays] = [await waysTo(id as number), await waysTo(other as number)];
    const before = await statusesOf(ways);
    expect(before).not.toContain(200);
    const cookie = await follow(await makeLink(id as number));
    expect(await statusesOf(ways, cookie)).toEqual(OPEN);
    expect(await statusesOf(ways)).toEqual(before);
    expect(await statusesOf(otherWays, cookie)).toEqual(before);
    expect((await repository.get(`/node/${collection}?_format=json`, undefined, { Cookie: cookie })).status).toBe(401);
  });

  it('opens the pages of a book', async () => {
    const book = await item(CLOSED);
    const page = await item({ field_member_of: [{ target_id: book }] });
    const ways = await waysTo(page);
    expect(await statusesOf(ways, await follow(await makeLink(book)))).toEqual(OPEN);
  });

  it('opens parts of files, and the answers are private', async () => {
    const id = await item(FILES_CLOSED);
    const { path } = await picture(id);
    const cookie = await follow(await makeLink(id));
    const part = await repository.get(path, undefined, { Cookie: cookie, Range: 'bytes=0-3' });
    expect(part.status).toBe(206);
    expect(part.headers.get('cache-control')).toContain('private');
    const page = await repository.get(`/node/${id}?_format=json`, undefined, { Cookie: cookie });
    expect(page.headers.get('cache-control')).toContain('private');
    expect((await repository.get(path, undefined, { Range: 'bytes=0-3' })).status).toBe(401);
  });

  it('opens the item to users whom its rule does not let in', async () => {
    const id = await item(CLOSED);
    const cookie = await follow(await makeLink(id));
    const path = `/node/${id}?_format=json`;
    expect((await repository.get(path, 'reader')).status).toBe(403);
    expect((await repository.get(path, 'reader', { Cookie: cookie })).status).toBe(200);
  });

  it('allows no change', async () => {
    const id = await item(CLOSED);
    const cookie = await follow(await makeLink(id));
    const body = { type: 'islandora_object', title: ['Changed'] };
    expect((await repository.patch(`/node/${id}?_format=json`, body, undefined, { Cookie: cookie })).status).toBe(401);
  });

  it('is kept beside other links', async () => {
    const [one, other] = [await item(CLOSED), await item(CLOSED)];
    const first = await follow(await makeLink(one));
    const both = await follow(await makeLink(other), first);
    expect(await statusesOf([`/node/${one}?_format=json`, `/node/${other}?_format=json`], both)).toEqual([200, 200]);
  });

  it('opens nothing after a restart that it did not open before, and what it did', async () => {
    const [id, other] = [await item(CLOSED), await item(CLOSED)];
    const [ways, otherWays] = [await waysTo(id), await waysTo(other)];
    const cookie = await follow(await makeLink(id));
    await repository.restart();
    expect(await statusesOf(otherWays, cookie)).not.toContain(200);
    expect(await statusesOf(ways, cookie)).toEqual(OPEN);
    expect(await statusesOf(ways)).not.toContain(200);
  });
});

describe('a link that is no longer valid', () => {
  it.each([
    ['revoked', 'UPDATE access_link SET revoked = 1 WHERE node_id = ?'],
    ['expired', "UPDATE access_link SET last_day = '2020-01-01' WHERE node_id = ?"],
    ['removed', 'DELETE FROM access_link WHERE node_id = ?'],
  ])('opens nothing from the next request on: %s', async (_, sql) => {
    const id = await item(CLOSED);
    const path = await makeLink(id);
    const cookie = await follow(path);
    const page = `/node/${id}?_format=json`;
    expect(await statusesOf([page], cookie)).toEqual([200]);
    await repository.running.services.database.write([{ sql, args: [id] }]);
    expect(await statusesOf([page], cookie)).toEqual([401]);
    expect((await formBrowser(repository).open(path)).status).toBe(404);
  });

  it('is revoked with the button of its page', async () => {
    const id = await item(CLOSED);
    const cookie = await follow(await makeLink(id));
    const page = await editor.open(`/node/${id}/access-links`);
    expect(page.html).toContain('Dr Reviewer');
    const fields = page.fields();
    const link = page.elements('input[name=revoke]')[0]?.attributes.value ?? '';
    fields.set('revoke', link);
    // Of another item, the id revokes nothing.
    const other = await item(CLOSED);
    await editor.post(`/node/${other}/access-links`, fields);
    expect(await statusesOf([`/node/${id}?_format=json`], cookie)).toEqual([200]);
    expect((await editor.post(`/node/${id}/access-links`, fields)).status).toBe(303);
    expect(await statusesOf([`/node/${id}?_format=json`], cookie)).toEqual([401]);
    expect((await editor.open(`/node/${id}/access-links`)).html).toContain('Revoked');
  });

  it.each([
    ['a changed character', (path: string) => path.slice(0, -1) + (path.endsWith('A') ? 'B' : 'A')],
    ['a shorter token', (path: string) => path.slice(0, -1)],
    ['another token', () => `/access/link/${'A'.repeat(43)}`],
    ['its digest', (path: string) => `/access/link/${digestOf(path)}`],
    ['no token', () => "/access/link/'%20OR%201=1"],
  ])('is forged: %s', async (_, forge) => {
    const id = await item(CLOSED);
    const path = await makeLink(id);
    const forged = forge(path);
    expect((await formBrowser(repository).open(forged)).status).toBe(404);
    const name = (await follow(path)).split('=', 1)[0];
    const cookie = `${name}=${forged.split('/').at(-1)}`;
    expect(await statusesOf([`/node/${id}?_format=json`], cookie)).toEqual([401]);
  });
});

const digestOf = (path: string) =>
  new Bun.CryptoHasher('sha256').update(path.split('/').at(-1) ?? '').digest('base64url');

describe('a file that strangers could read', () => {
  it('is closed by a later rule, also after a restart with other rules', async () => {
    await item(CLOSED);
    const id = await item();
    const { path } = await picture(id);
    await repository.restart();
    expect(await statusesOf([path])).toEqual([200]);
    await repository.build.change(`/node/${id}`, { type: 'islandora_object', ...FILES_CLOSED });
    expect(await statusesOf([path])).toEqual([401]);
  });
});

describe('the page of the links of an item', () => {
  it('is linked from the page of a restricted item, for its editors', async () => {
    const [id, free] = [await item(FILES_CLOSED), await item()];
    const path = `/node/${id}/access-links`;
    expect((await editor.open(`/node/${id}`)).html).toContain(path);
    expect((await editor.open(`/node/${free}`)).html).not.toContain('/access-links');
    expect((await formBrowser(repository).open(`/node/${id}`)).html).not.toContain(path);
  });

  it('counts who opened a link, and never shows or logs it again', async () => {
    const id = await item(CLOSED);
    const path = await makeLink(id);
    for (let at = 0; at < 3; at++) await follow(path);
    const { html } = await editor.open(`/node/${id}/access-links`);
    const token = path.split('/').at(-1) ?? '';
    expect(html).toContain('3, last ');
    expect(html).toContain('>editor<');
    expect(html).not.toContain(token);
    expect(JSON.stringify(repository.log)).not.toContain(token);
    const { rows } = await repository.running.services.database.client.execute('SELECT * FROM access_link');
    expect(JSON.stringify(rows)).not.toContain(token);
  });

  it.each([
    [{ label: 'x', last_day: '2020-01-01' }, 'must not have passed'],
    [{ label: 'x', last_day: 'tomorrow' }, 'Enter the last day'],
    [{ label: 'x', last_day: '2027-02-30' }, 'Enter the last day'],
    [{ label: ' ', last_day: day(1) }, 'Enter whom the link is for'],
  ])('refuses %j', async (fields, message) => {
    const page = await editor.open(`/node/${await item(CLOSED)}/access-links`);
    const answer = await page.submit(fields);
    expect(answer.status).toBe(422);
    expect(answer.html).toContain(message);
  });

  it('makes no link to a collection', async () => {
    const id = await item({ ...CLOSED, field_model: [await repository.build.termId(MODEL.collection)] });
    const answer = await (await editor.open(`/node/${id}/access-links`)).submit({ label: 'x', last_day: day(1) });
    expect(answer.status).toBe(422);
    expect(answer.html).toContain('not a collection');
  });

  it('is for editors of the item alone', async () => {
    const id = await item(FILES_CLOSED);
    const path = `/node/${id}/access-links`;
    expect((await formBrowser(repository).open(path)).status).toBe(401);
    expect((await (await signedIn(repository, 'reader')).open(path)).status).toBe(403);
  });

  it('lets owners past their own rules only', async () => {
    const loader = await signedIn(repository, 'loader');
    const collection = await item();
    const make = async (fields: object) =>
      (await repository.build.item({ title: ['Own'], ...fields }, 'loader')).nid[0].value;
    const [own, below] = [await make(CLOSED), await make({ field_member_of: [{ target_id: collection }] })];
    await repository.build.change(`/node/${collection}`, { type: 'islandora_object', ...CLOSED });
    const statuses = await Promise.all(
      [own, below].map(async (id) => (await loader.open(`/node/${id}/access-links`)).status),
    );
    expect(statuses).toEqual([200, 403]);
  });
});
