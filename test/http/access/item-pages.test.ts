import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { elementsOf } from '../../support/page.ts';
import { PNG } from '../../support/repository-routes.ts';
import { type As, createTestRepository, type TestRepository } from '../../support/test-repository.ts';

let repository: TestRepository;
let owner: number;

beforeAll(async () => {
  repository = await createTestRepository({ networks: new Map([['campus', ['192.0.2.0/24']]]) });
  owner = await repository.user('jane', 'repository_editor');
  await repository.user('reader');
});
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await repository.stop();
});

const item = async (fields: object = {}): Promise<number> =>
  (await repository.build.item({ title: ['Letters'], ...fields })).nid[0].value;
async function itemWithFile(fields: object = {}): Promise<number> {
  const id = await item(fields);
  await repository.build.pictureOf(owner, id, { use: 'original', uri: `public://original-${id}.png`, bytes: PNG });
  return id;
}
async function page(path: string, as?: As): Promise<{ status: number; html: string; headers: Headers }> {
  const answer = await repository.get(path, as, { Accept: 'text/html' });
  return { status: answer.status, html: await answer.text(), headers: answer.headers };
}
const memberOf = (target_id: number) => ({ field_member_of: [{ target_id }] });
const EMBARGO = {
  ...{ preset: 'embargo', until: '2999-05-01' },
  ...{ reason: 'By contract with the publisher', contact: 'archive@example.org' },
};

describe('the page of an item with closed files', () => {
  it('says to strangers that files exist, why they are closed, until when, and whom to ask', async () => {
    const id = await itemWithFile({ access_rule: [EMBARGO] });
    for (const as of [undefined, 'reader'] as const) {
      const { html } = await page(`/node/${id}`, as);
      expect(html).toContain('This item has files that are closed. They open on 1 May 2999.');
      expect(html).toContain('By contract with the publisher');
      expect(html).toContain('<a href="mailto:archive@example.org">archive@example.org</a>');
      const form = elementsOf(html, '.access-notice a.button')[0]?.attributes.href ?? '';
      expect((await page(form, as)).html).toContain('name="purpose"');
    }
    expect((await page(`/node/${id}`, 'jane')).html).not.toContain('access-notice');
  });

  it('says nothing of files to strangers if there are none', async () => {
    const id = await item({ access_rule: [EMBARGO] });
    expect((await page(`/node/${id}`)).html).not.toContain('access-notice');
  });

  it('is marked in lists', async () => {
    const collection = await item({ title: ['Papers'] });
    await itemWithFile({ ...memberOf(collection), access_rule: [EMBARGO] });
    await item({ ...memberOf(collection), title: ['Open letter'] });
    const { html } = await page(`/node/${collection}`);
    expect(html.match(/restricted/g)).toHaveLength(1);
  });
});

describe('a closed item', () => {
  it('has the page of a draft, and is in no list', async () => {
    const collection = await item({ title: ['Papers'] });
    const id = await item({ ...memberOf(collection), title: ['Zanzibar'], access_rule: [{ preset: 'closed' }] });
    expect((await page(`/node/${id}`)).status).toBe(401);
    const refused = await page(`/node/${id}`, 'reader');
    expect([refused.status, refused.html.includes('Zanzibar')]).toEqual([403, false]);
    expect((await page(`/node/${collection}`)).html).not.toContain('Zanzibar');
  });
});

describe('the line "Who can see this"', () => {
  it('tells editors alone', async () => {
    const id = await item();
    expect((await page(`/node/${id}`, 'jane')).html).toContain('Everyone sees the item and its files.');
    for (const as of [undefined, 'reader'] as const)
      expect((await page(`/node/${id}`, as)).html).not.toContain('Who can see this');
  });

  it('has the own rule of the item with its dates', async () => {
    const id = await item({ access_rule: [{ preset: 'closed', until: '2999-05-01', roles: ['repository_editor'] }] });
    const { html } = await page(`/node/${id}`, 'jane');
    expect(html).toContain(
      'Only users with the role Repository editor, the owner and editors see the item, until it opens on 1 May 2999.',
    );
    expect(html).toContain('its own rule “Closed”');
  });

  it('names the collection from which a rule comes', async () => {
    const collection = await item({ title: ['Papers'], access_rule: [{ preset: 'campus_only' }] });
    const book = await item(memberOf(collection));
    const id = await item(memberOf(book));
    const { html } = await page(`/node/${id}`, 'jane');
    expect(html).toContain('only callers on the network campus, the owner and editors see all files');
    expect(html).toContain(`rule “Campus only” of <a href="/node/${collection}"><bdi>Papers</bdi></a>`);
  });
});

describe('the view as a stranger', () => {
  it('shows the page as anonymous callers see it, with the way back', async () => {
    const id = await itemWithFile({ access_rule: [EMBARGO] });
    const { status, html, headers } = await page(`/node/${id}/view-as`, 'jane');
    expect([status, headers.get('cache-control'), headers.get('set-cookie')]).toEqual([200, 'no-store, private', null]);
    expect(html).toContain('This is the page as a stranger sees it.');
    expect(html).toContain(`href="/node/${id}">`);
    expect(html).toContain('This item has files that are closed.');
    expect(html).not.toContain('Who can see this');
    expect(html).not.toContain(`original-${id}.png`);
  });

  it('says of a closed item that strangers do not see it', async () => {
    const id = await item({ access_rule: [{ preset: 'closed' }] });
    expect((await page(`/node/${id}/view-as`, 'jane')).html).toContain('Hidden from a stranger');
  });

  it('opens what a network opens', async () => {
    const id = await itemWithFile({ access_rule: [{ preset: 'campus_only' }] });
    const { html } = await page(`/node/${id}/view-as?network=campus`, 'jane');
    expect(html).toContain('as a stranger on the network campus sees it');
    expect(html).toContain(`original-${id}.png`);
    expect((await page(`/node/${id}/view-as?network=moon`, 'jane')).status).toBe(404);
  });

  it('is for those alone who may edit the item', async () => {
    const id = await itemWithFile({ access_rule: [{ preset: 'campus_only' }] });
    expect((await page(`/node/${id}/view-as?network=campus`)).status).toBe(401);
    expect((await page(`/node/${id}/view-as?network=campus`, 'reader')).status).toBe(403);
  });

  it('never shows more than the editor sees', async () => {
    const collection = await item();
    const rule = { access_rule: [{ level: 'closed', networks: ['campus'] }] };
    const article = { type: 'article', title: ['Zanzibar'], ...rule };
    expect((await repository.post('/node?_format=json', article, 'admin')).status).toBe(201);
    expect((await page(`/node/${collection}/view-as?network=campus`, 'jane')).status).toBe(403);
    expect((await page(`/node/${collection}/view-as?network=campus`, 'admin')).status).toBe(200);
  });
});
