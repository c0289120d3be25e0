import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { dateInWords } from '../../../src/field-types/display/date-in-words.ts';
import { type As, createTestRepository, type TestRepository } from '../../support/test-repository.ts';

let repository: TestRepository;
const DAY_MS = 86_400_000;
/** The day in a month, on which a rule ends. */
const SOON = new Date(Date.now() + 30 * DAY_MS).toISOString().slice(0, 10);

beforeAll(async () => {
  repository = await createTestRepository();
  await repository.user('jane', 'repository_editor');
  await repository.user('reader');
  await item('Thesis', { preset: 'embargo', until: SOON, reason: '=1+1' });
  await item('Diary', { preset: 'embargo', until: '2060-01-01' });
  await item('Old thesis', { preset: 'embargo', until: '2020-01-01' });
  await item('Letters', { preset: 'closed' });
  await item('More letters', { preset: 'closed' });
});
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await repository.stop();
});

const item = async (title: string, rule: object): Promise<number> =>
  (await repository.build.item({ title: [title], access_rule: [rule] })).nid[0].value;
async function text(path: string, as: As = 'jane'): Promise<string> {
  const answer = await repository.get(path, as);
  expect([path, answer.status]).toEqual([path, 200]);
  return answer.text();
}

describe('the lists of access rules', () => {
  it('have the rules that end within 90 days', async () => {
    const html = await text('/admin/reports/access');
    expect(html).toContain('Thesis');
    expect(html).toContain(dateInWords(SOON));
    for (const other of ['Diary', 'Old thesis', 'Letters']) expect(html).not.toContain(other);
  });

  it('have all embargoes, the first to end before the others', async () => {
    const html = await text('/admin/reports/access?list=embargoes');
    expect(html.indexOf('Thesis')).toBeLessThan(html.indexOf('Diary'));
    expect(html).not.toContain('Old thesis');
  });

  it('have all restricted items by rule', async () => {
    const html = await text('/admin/reports/access?list=all');
    const link = /<a href="([^"]+)">2 items/.exec(html)?.[1]?.replaceAll('&amp;', '&') ?? '';
    const items = await text(link);
    expect(items).toContain('More letters');
    expect(items).not.toContain('Diary');
  });

  it('are a table', async () => {
    const [head, row, ...others] = (await text('/admin/reports/access/table?list=ending')).trim().split('\n');
    expect(head).toBe('node_id,title,url,rule,level,from,until,reason,contact,problem');
    expect(row).toMatch(/^\d+,Thesis,http[^,]+\/node\/\d+,Embargo until a day,files_closed,,/);
    expect(row?.endsWith(`,${SOON},'=1+1,,`)).toBe(true);
    expect(others).toEqual([]);
  });

  it('are for editors', async () => {
    for (const path of ['/admin/reports/access', '/admin/reports/access/table']) {
      expect((await repository.get(path)).status).toBe(401);
      expect((await repository.get(path, 'reader')).status).toBe(403);
    }
    expect((await repository.get('/admin/reports/access?list=none', 'jane')).status).toBe(400);
  });
});

describe('a broken rule', () => {
  it('is in its list and on the status page, and its item is closed', async () => {
    const id = await item('Lost', { level: 'files_closed', roles: ['content_editor'], reason: 'Once' });
    expect(await text('/admin/reports/access?list=broken')).toContain('No items have such a rule.');
    expect(await text('/admin/reports/status', 'admin')).not.toContain('Broken access rule');
    const broken = '{"level":"files_closed","roles":["lost_role"],"reason":"Once"}';
    await repository.running.services.database.write([
      { sql: "UPDATE access_rule SET rule = ? WHERE rule LIKE '%Once%'", args: [broken] },
    ]);
    await repository.build.item({
      title: ['Other'],
      access_rule: [{ preset: 'closed', reason: 'Makes servers read' }],
    });
    expect(await text('/admin/reports/access?list=broken')).toContain('There is no role &quot;lost_role&quot;.');
    const status = await text('/admin/reports/status', 'admin');
    expect(status).toContain('Broken access rule');
    expect(status).toContain('There is no role &quot;lost_role&quot;. 1 item with this rule and all below are closed.');
    expect((await repository.get(`/node/${id}?_format=json`)).status).toBe(401);
  });
});
