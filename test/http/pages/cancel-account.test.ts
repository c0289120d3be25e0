import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { createKinds } from '../../../src/repository/content/kinds.ts';
import { createFindUser, type User } from '../../../src/repository/users/find-user.ts';
import { known } from '../../../src/repository/users/manage-users.ts';
import { verifyDatabase } from '../../../src/upkeep/integrity/verify-database.ts';
import { errorsOf, type FormBrowser, signedIn } from '../../support/form-call.ts';
import { tokenOf } from '../../support/repository-routes.ts';
import { ADMIN_PASSWORD, createTestRepository, type TestRepository } from '../../support/test-repository.ts';

const MODEL = `
roles:
  account_keeper:
    label: Keeper of accounts
    permissions: [access content, administer users, view media, access content overview]
  leaver:
    label: May leave
    permissions: [access content, cancel account]
`;
let repository: TestRepository;
let admin: FormBrowser;
const ids: Record<string, number> = {};
beforeAll(async () => {
  repository = await createTestRepository({}, { model: MODEL });
  admin = await signedIn(repository, 'admin');
});
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await repository.stop();
});

async function find(name: string): Promise<User> {
  return known(await createFindUser(repository.running.services.database).byName(name), name);
}
const page = (name: string, of: string) => `/user/${ids[of]}/${name}`;
async function add(name: string, ...roles: string[]): Promise<FormBrowser> {
  ids[name] = await repository.user(name, ...roles);
  return signedIn(repository, name);
}
const linksOf = async (browser: FormBrowser, id: number | undefined) => {
  const { headers, elements } = await browser.open(`/user/${id}`);
  const own = elements('.account-links a').map(
    ({ attributes }) => new URL(attributes.href ?? '', repository.url).pathname,
  );
  const core = [...(headers.get('link') ?? '').matchAll(/<([^>]+)>/g)].map(([, href = '']) => new URL(href));
  return [...own, ...core.map(({ pathname, search }) => pathname + search)];
};

describe('the links on the page of an account', () => {
  it('lead only to pages that the caller may open', async () => {
    const plain = await add('plain', 'repository_editor');
    const keeper = await add('keeper', 'account_keeper');
    const going = await add('going', 'leaver');
    for (const browser of [plain, keeper, going, admin])
      for (const id of [0, 1, ids.plain, ids.keeper, ids.going])
        for (const link of await linksOf(browser, id))
          expect({ link, status: (await browser.open(link)).status }).toEqual({ link, status: 200 });
    expect(await linksOf(plain, ids.plain)).not.toContain(page('cancel', 'plain'));
    expect(await linksOf(keeper, ids.plain)).not.toContain(page('cancel', 'plain'));
    expect(await linksOf(going, ids.going)).toContain(page('cancel', 'going'));
    expect(await linksOf(admin, ids.plain)).toContain(page('cancel', 'plain'));
    expect((await plain.open(page('cancel', 'plain'))).status).toBe(403);
    expect((await going.open(page('cancel', 'plain'))).status).toBe(403);
  });
});

describe("cancelling one's own account", () => {
  it('requires the password, and ends all sessions', async () => {
    const own = await add('own', 'leaver');
    const elsewhere = await signedIn(repository, 'own');
    const token = await tokenOf(repository, 'own');
    const form = await own.open(page('cancel', 'own'));
    expect(form.html).toContain('Cancel your account');
    const tries: [Record<string, string>, string][] = [
      [{}, 'Enter your current password.'],
      [{ pass: 'x' }, 'This is not your current password.'],
    ];
    for (const [typed, message] of tries) {
      const refused = await form.submit(typed);
      expect({ status: refused.status, errors: errorsOf(refused) }).toEqual({ status: 422, errors: [message] });
    }
    for (const status of ['active', 'deleted', 'x', ''])
      expect({ sent: status, status: (await form.submit({ status, pass: 'own' })).status }).toEqual({
        sent: status,
        status: 400,
      });
    expect((await find('own')).row.status).toBe(true);
    const left = await form.submit({ pass: 'own' });
    expect(left.status).toBe(303);
    expect(left.headers.get('location')).toBe(`${repository.url}/`);
    const { row } = await find('own');
    expect({ status: row.status, deletedAt: row.deletedAt }).toEqual({ status: false, deletedAt: null });
    for (const browser of [own, elsewhere]) expect((await browser.open(page('sessions', 'own'))).status).toBe(401);
    const answer = await repository.get('/?_format=json', undefined, { Authorization: `Bearer ${token}` });
    expect(answer.status).toBe(401);
  });

  it('is rejected for the last administrator', async () => {
    const form = await admin.open('/user/1/cancel');
    expect(form.status).toBe(200);
    expect(form.html).toContain('Cancel your account');
    const second = await add('second', 'administrator');
    const own = await second.open(page('cancel', 'second'));
    expect((await own.submit({ pass: 'second' })).status).toBe(303);
    const refused = await form.submit({ pass: ADMIN_PASSWORD });
    expect(refused.status).toBe(422);
    expect(errorsOf(refused)).toEqual(['At least one active administrator must remain.']);
    expect((await find('admin')).row.status).toBe(true);
  });
});

describe('the account of another user', () => {
  it('is blocked and unblocked, and a repeated form changes nothing', async () => {
    const leaver = await add('leaver', 'repository_editor');
    await repository.node({}, 'leaver');
    const form = await admin.open(page('cancel', 'leaver'));
    expect(form.html).toContain('1 item');
    expect(form.elements('input[name=status][checked]').map(({ attributes }) => attributes.value)).toEqual(['blocked']);
    for (let count = 0; count < 2; count++) expect((await form.submit()).status).toBe(303);
    expect((await find('leaver')).row.status).toBe(false);
    expect((await leaver.open(page('sessions', 'leaver'))).status).toBe(401);
    const back = await admin.open(page('cancel', 'leaver'));
    expect((await back.submit()).status).toBe(303);
    expect((await find('leaver')).row.status).toBe(true);
    expect((await back.submit({ status: 'x' })).status).toBe(400);
  });

  it('is deleted immediately with its data, once its name is typed', async () => {
    const former = await add('former', 'repository_editor');
    const token = await tokenOf(repository, 'former');
    const { nid } = await repository.node({}, 'former');
    const path = `/node/${nid[0].value}`;
    await repository.patch(
      `${path}?_format=json`,
      { type: [{ target_id: 'islandora_object' }], title: [{ value: 'New' }] },
      'former',
    );
    const jsonNow = async () => (await repository.get(`${path}?_format=json`, 'admin')).json();
    const before = await jsonNow();
    await (await admin.open(page('edit', 'former'))).submit({ mail: 'former@example.org' });
    const form = await admin.open(page('cancel', 'former'));
    for (const name of ['', 'someone']) {
      const refused = await form.submit({ status: 'deleted', name });
      expect(refused.status).toBe(422);
      expect(errorsOf(refused)).toEqual(['Enter the user name former to confirm the deletion.']);
      expect(refused.elements('input[name=status][checked]')[0]?.attributes.value).toBe('deleted');
    }
    expect((await find('former')).row.status).toBe(true);
    const done = await form.submit({ status: 'deleted', name: 'former' });
    expect(done.status).toBe(303);
    expect(done.headers.get('location')).toBe(`${repository.url}/admin/people`);

    expect((await former.open(page('sessions', 'former'))).status).toBe(401);
    expect((await repository.get('/?_format=json', undefined, { Authorization: `Bearer ${token}` })).status).toBe(401);
    const { database } = repository.running.services;
    const erased = await createFindUser(database).byId(ids.former ?? 0);
    expect(erased?.row).toMatchObject({
      ...{ mail: null, init: null, passwordHash: null, status: false, roles: '[]', access: 0, login: 0, fields: '{}' },
    });
    expect(JSON.stringify(erased)).not.toContain('former');
    // Neither content nor its history changed, and both name the number.
    expect(await jsonNow()).toEqual(before);
    const history = await admin.open(`${path}/revisions`);
    expect(history.html).toContain(`Deleted user ${ids.former}`);
    const found: unknown[] = [];
    const { services } = repository.running;
    await verifyDatabase(database, createKinds(services.model), {
      onProblem: (problem) => void found.push(problem),
      onProgress: () => {},
      signal: new AbortController().signal,
    });
    expect(found).toEqual([]);
  });

  it('has no pages once it is deleted, and frees its name', async () => {
    await add('gone');
    const late = await admin.open(page('edit', 'gone'));
    await (await admin.open(page('cancel', 'gone'))).submit({ status: 'deleted', name: 'gone' });
    for (const name of ['edit', 'cancel', 'sessions', 'reset-link'])
      expect({ name, status: (await admin.open(page(name, 'gone'))).status }).toEqual({ name, status: 404 });
    expect((await late.submit({ status: 'active' })).status).toBe(404);
    expect((await admin.open('/admin/people?q=deleted')).html).toContain('No account matches.');
    expect(await linksOf(admin, ids.gone)).toEqual([`/user/${ids.gone}`, `/admin/people?user=${ids.gone}`]);
    expect(find(`Deleted user ${ids.gone}`)).rejects.toThrow('Unknown user');
    // The name is free again, and that of a deleted account is not.
    const again = await (await admin.open('/admin/people/create')).submit({ name: 'gone' });
    expect(again.status).toBe(200);
    const reserved = await (await admin.open('/admin/people/create')).submit({ name: 'deleted User 999' });
    expect(errorsOf(reserved)).toEqual([expect.stringContaining('reserved for deleted accounts')]);
  });

  it('is not deleted if its new name is already in use', async () => {
    await add('blocked-by-name');
    const id = await repository.user('taker');
    const name = `Deleted user ${ids['blocked-by-name']}`;
    await repository.running.services.database.write([
      { sql: 'UPDATE user SET name = ? WHERE id = ?', args: [name, id] },
    ]);
    const form = await admin.open(page('cancel', 'blocked-by-name'));
    const refused = await form.submit({ status: 'deleted', name: 'blocked-by-name' });
    expect(refused.status).toBe(422);
    expect(errorsOf(refused)).toEqual([`The user name ${name} is already in use.`]);
    expect((await find('blocked-by-name')).row.status).toBe(true);
  });

  it('is not deleted by an administrator who is blocked by then', async () => {
    const other = await add('other', 'administrator');
    const form = await other.open('/user/1/cancel');
    await repository.running.services.database.write([
      { sql: "UPDATE user SET status = 0 WHERE name = 'other'", args: [] },
    ]);
    expect((await form.submit({ status: 'deleted', name: 'admin' })).status).not.toBe(303);
    expect((await find('admin')).row.status).toBe(true);
  });
});
