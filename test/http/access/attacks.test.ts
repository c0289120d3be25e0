import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { createTestRepository, type TestRepository } from '../../support/test-repository.ts';

const networks = new Map([['campus', ['192.0.2.0/24', '2001:db8:7::/48']]]);
const CAMPUS = [{ level: 'closed', networks: ['campus'] }];

const statusWith = async (
  repository: TestRepository,
  id: number,
  forwarded: string | undefined,
  header = 'X-Forwarded-For',
) => {
  const headers = forwarded === undefined ? {} : { [header]: forwarded };
  return (await repository.get(`/node/${id}?_format=json`, undefined, headers)).status;
};

describe('an item that is open on campus', () => {
  let [behindProxy, alone]: TestRepository[] = [];
  let [id, other] = [0, 0];
  beforeAll(async () => {
    behindProxy = await createTestRepository({ networks, trustedProxies: ['127.0.0.1', '10.0.0.0/8'] });
    alone = await createTestRepository({ networks });
    id = (await behindProxy.build.item({ access_rule: CAMPUS })).nid[0].value;
    other = (await alone.build.item({ access_rule: CAMPUS })).nid[0].value;
  });
  afterAll(async () => {
    for (const each of [behindProxy, alone]) {
      expect(each?.failures()).toEqual([]);
      await each?.stop();
    }
  });

  it.each([
    ['192.0.2.7', 200],
    ['::ffff:192.0.2.7', 200],
    ['0:0:0:0:0:ffff:c000:0207', 200],
    ['2001:db8:7::1', 200],
    ['[2001:db8:7::1]:443', 200],
    ['192.0.2.7:1234', 200],
    ['192.0.2.7, 10.1.1.1', 200],
    [undefined, 401],
    ['203.0.113.9', 401],
    ['2001:db8:8::1', 401],
    // What stands before the first address that no proxy of ours has written may be forged.
    ['192.0.2.7, 203.0.113.9', 401],
    ['192.0.2.7, 203.0.113.9, 10.1.1.1', 401],
    ['192.0.2.7, unknown', 401],
    ['192.0.2.7,', 401],
    ['192.0.2.7, 127.0.0.1.', 401],
    ['0xc0.0.2.7', 401],
    ['192.0.2.007', 401],
    ['3221225991', 401],
    ['campus', 401],
  ])('behind a proxy that says %p is answered with %p', async (forwarded, status) => {
    expect(await statusWith(behindProxy as TestRepository, id, forwarded)).toBe(status);
  });

  it.each([
    ['X-Forwarded-For', '192.0.2.7'],
    ['X-Forwarded-For', '127.0.0.1, 192.0.2.7'],
    ['Forwarded', 'for=192.0.2.7'],
    ['X-Real-IP', '192.0.2.7'],
    ['CF-Connecting-IP', '192.0.2.7'],
  ])('does not believe %s without a trusted proxy', async (header, value) => {
    expect(await statusWith(alone as TestRepository, other, value, header)).toBe(401);
  });
});

describe('a rule of an attacker', () => {
  let repository: TestRepository;
  beforeAll(async () => {
    repository = await createTestRepository();
    await repository.user('reader');
    await repository.user('member', 'content_editor');
  });
  afterAll(async () => {
    expect(repository.failures()).toEqual([]);
    await repository.stop();
  });
  const statusOf = async (id: number, as?: string) => (await repository.get(`/node/${id}?_format=json`, as)).status;
  const change = (id: number, fields: object) =>
    repository.build.change(`/node/${id}`, { type: 'islandora_object', ...fields });

  it.each(['9999-12-31'])('may end on %s', async (until) => {
    const { nid } = await repository.build.item({ access_rule: [{ level: 'closed', until }] });
    expect(await statusOf(nid[0].value)).toBe(401);
  });

  it.each([
    ...['10000-01-01', '+010000-01-01', '-0044-03-15', '0000-01-01', '2027-02-30', '2027-13-01', '2027-2-3', '2027'],
    ...['2027-05-01T00:00:00Z', '20270501', '２０２７-05-01', '2027-05-01\n', ' 2027-05-01', '2100-02-29', 'Infinity'],
  ])('may not end on %j', async (until) => {
    const body = { type: 'islandora_object', title: ['x'], access_rule: [{ level: 'closed', until }] };
    expect((await repository.post('/node?_format=json', body, 'admin')).status).toBe(422);
  });

  it('may have 10,000 access terms', async () => {
    const [first] = [
      await repository.build.term('islandora_access', 'Members', {
        field_access_level: ['closed'],
        field_access_roles: [{ target_id: 'content_editor' }],
      }),
    ];
    const { database } = repository.running.services;
    await database.write([
      {
        sql: `WITH RECURSIVE number(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM number WHERE value < 9999)
          INSERT INTO taxonomy_term (id, uuid, revision_id, bundle, label, owner_id, status, changed, version, layout, is_dangling, document)
          SELECT 100000 + number.value, 'uuid-' || number.value, revision_id, bundle, 'Term ' || number.value, owner_id, status,
            changed, version, layout, is_dangling, replace(document, 'content_editor', 'fedoraadmin')
          FROM number, taxonomy_term WHERE id = ?`,
        args: [first],
      },
    ]);
    const terms = [...Array.from({ length: 9_999 }, (_, at) => 100_001 + at), first];
    const { nid } = await repository.build.item();
    await change(nid[0].value, { field_access_terms: terms });
    expect(
      await Promise.all([statusOf(nid[0].value), statusOf(nid[0].value, 'reader'), statusOf(nid[0].value, 'member')]),
    ).toEqual([401, 403, 200]);
  });

  it('holds in a circle of collections, and all pages of these answer', async () => {
    const [one, two, three] = [
      await repository.build.item(),
      await repository.build.item(),
      await repository.build.item(),
    ].map(({ nid }) => nid[0].value);
    await change(one, { field_member_of: [three] });
    await change(two, { field_member_of: [one] });
    await change(three, { field_member_of: [two] });
    const { nid } = await repository.build.item({ field_member_of: [three] });
    const all = [one, two, three, nid[0].value];
    const statuses = async () => Promise.all(all.map((each) => statusOf(each)));
    expect(await statuses()).toEqual([200, 200, 200, 200]);
    await change(one, { access_rule: [{ preset: 'closed' }] });
    expect(await statuses()).toEqual([401, 401, 401, 401]);
    for (const id of all)
      for (const path of ['', '/manifest', '/linkset', '/members', '/edit'])
        expect((await repository.get(`/node/${id}${path}`, 'admin', { Accept: 'text/html' })).status).toBeLessThan(500);
    await change(one, { access_rule: [] });
    expect(await statuses()).toEqual([200, 200, 200, 200]);
  });
});
