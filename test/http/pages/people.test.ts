import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { createFindUser, type User } from '../../../src/repository/users/find-user.ts';
import { known } from '../../../src/repository/users/manage-users.ts';
import { errorsOf, type FormBrowser, formBrowser, type OpenPage, signedIn } from '../../support/form-call.ts';
import { signIn } from '../../support/repository-routes.ts';
import { ADMIN_PASSWORD, createTestRepository, type TestRepository } from '../../support/test-repository.ts';

const MODEL = `
roles:
  account_keeper:
    label: Keeper of accounts
    permissions: [access content, administer users, view media, access content overview]
  plain_reader:
    label: Plain reader
    permissions: [access content overview]
`;
let repository: TestRepository;
let admin: FormBrowser;
let keeper: FormBrowser;
const ids: Record<string, number> = {};
beforeAll(async () => {
  repository = await createTestRepository({}, { model: MODEL });
  for (const [name, ...roles] of [
    ['keeper', 'account_keeper'],
    ['editor', 'repository_editor'],
    ['reader', 'plain_reader'],
    ['jane'],
  ] as [string, ...string[]][])
    ids[name] = await repository.user(name, ...roles);
  admin = await signedIn(repository, 'admin');
  keeper = await signedIn(repository, 'keeper');
});
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await repository.stop();
});

async function find(name: string): Promise<User> {
  return known(await createFindUser(repository.running.services.database).byName(name), name);
}
const page = (name: string, of: string) => `/user/${ids[of]}/${name}`;
const roleBoxes = (form: OpenPage) => form.elements('input[name=roles]').map(({ attributes }) => attributes.value);

describe('the pages of accounts', () => {
  const PAGES = ['edit', 'cancel', 'sessions', 'reset-link'];

  it.each(PAGES)('/user/…/%s is only for administrators of accounts', async (name) => {
    expect((await admin.open(page(name, 'jane'))).status).toBe(200);
    expect((await formBrowser(repository).open(page(name, 'jane'))).status).toBe(401);
    const editor = await signedIn(repository, 'editor');
    expect((await editor.open(page(name, 'jane'))).status).toBe(403);
    expect((await editor.post(page(name, 'jane'), new URLSearchParams({ form_token: 'x' }))).status).toBe(403);
    // A form without the token of the session.
    expect((await admin.post(page(name, 'jane'), new URLSearchParams({ form_token: 'x' }))).status).toBe(403);
    for (const id of ['999', '0']) expect((await admin.open(`/user/${id}/${name}`)).status).toBe(404);
    const anonymous = await formBrowser(repository).open(`/user/999/${name}`);
    expect(anonymous.status).toBe(401);
  });

  it.each(PAGES)('/user/…/%s is rejected for an account with more permissions', async (name) => {
    expect((await keeper.open(`/user/1/${name}`)).status).toBe(403);
    expect((await keeper.open(page(name, 'editor'))).status).toBe(403);
    expect((await keeper.open(page(name, 'reader'))).status).toBe(200);
  });

  it.each(['/admin/people', '/admin/people/create'])('%s is only for administrators of accounts', async (path) => {
    expect((await keeper.open(path)).status).toBe(200);
    expect((await (await signedIn(repository, 'editor')).open(path)).status).toBe(403);
    expect((await formBrowser(repository).open(path)).status).toBe(401);
  });

  it('are linked from the page of the account', async () => {
    const links = async (browser: FormBrowser, id: number | undefined) =>
      (await browser.open(`/user/${id}`)).elements('.account-links a').map(({ text }) => text);
    expect(await links(admin, ids.jane)).toEqual([
      'Edit the account',
      'Create a link to a new password',
      'Sessions',
      'Block or delete the account',
    ]);
    expect(await links(admin, 1)).toEqual([
      'Edit the account',
      'Change the password',
      'Sessions',
      'Cancel the account',
    ]);
    expect(await links(await signedIn(repository, 'jane'), ids.jane)).toEqual([
      'Edit the account',
      'Change the password',
      'Sessions',
    ]);
    expect(await links(keeper, 1)).toEqual([]);
  });
});

describe('the list of users', () => {
  const names = (list: OpenPage) => list.elements('tbody th').map(({ text }) => text);

  it('offers the roles that accounts are given as filters', async () => {
    const list = await admin.open('/admin/people');
    const roles = list.elements('select[name=role] option').map(({ attributes }) => attributes.value);
    expect(roles).toContain('plain_reader');
    expect(roles).not.toContain('anonymous');
    expect(roles).not.toContain('authenticated');
  });

  it('shows all accounts, and can be filtered', async () => {
    expect(names(await admin.open('/admin/people'))).toEqual(expect.arrayContaining(['admin', 'editor', 'jane']));
    expect(names(await admin.open('/admin/people?role=repository_editor&q=EDI&status=active'))).toEqual(['editor']);
    const empty = await admin.open('/admin/people?q=%3Cscript%3E');
    expect(names(empty)).toEqual([]);
    expect(empty.html).toContain('No account matches.');
  });

  it.each(['?status=gone', '?sort=mail', '?page=-1', '?page=x', `?q=${'x'.repeat(300)}`])(
    'rejects %s',
    async (query) => {
      expect((await admin.open(`/admin/people${query}`)).status).toBe(400);
    },
  );
});

describe('the form for a new account', () => {
  const add = async (browser: FormBrowser, values: Record<string, string | string[]>) =>
    (await browser.open('/admin/people/create')).submit(values);

  it('shows a link once that lets the user set a password', async () => {
    const made = await add(admin, { name: 'newcomer', mail: 'new@example.org', roles: ['repository_editor'] });
    expect(made.status).toBe(200);
    const { row, roles } = await find('newcomer');
    expect({ mail: row.mail, passwordHash: row.passwordHash, roles }).toEqual({
      mail: 'new@example.org',
      passwordHash: null,
      roles: ['repository_editor'],
    });
    const link = made.elements('#made-link')[0]?.text ?? '';
    const form = await formBrowser(repository).open(new URL(link).pathname);
    expect((await form.submit({ pass_new: 'words of a newcomer', pass_again: 'words of a newcomer' })).status).toBe(
      303,
    );
    expect((await signIn(repository, 'newcomer', 'words of a newcomer')).cookie).not.toBe('');
  });

  it('accepts a password', async () => {
    const made = await add(admin, { name: 'typed', invitation: 'password', pass_new: 'typed by admin' });
    expect(made.status).toBe(303);
    expect((await signIn(repository, 'typed', 'typed by admin')).cookie).not.toBe('');
  });

  it.each<[Record<string, string | string[]>, string]>([
    [{ name: '' }, 'A user name must not be empty'],
    [{ name: 'JANE' }, 'The user name JANE is already in use.'],
    [{ name: 'a', mail: 'nobody' }, 'nobody is not a valid mail address.'],
    [{ name: 'a', roles: ['anonymous'] }, 'You may not grant the role anonymous.'],
    [{ name: 'a', roles: ['<b>'] }, 'You may not grant the role <b>.'],
    [{ name: 'a', invitation: 'mail' }, 'Enter the mail address'],
    [{ name: 'a', invitation: 'mail', mail: 'a@example.org' }, 'Choose how the user gets a password.'],
    [{ name: 'a', invitation: 'password' }, 'The password must not be empty.'],
    [{ name: 'a', invitation: 'password', pass_new: 'nine char' }, 'The password must have at least 10 characters.'],
    [{ name: 'a', invitation: 'password', pass_new: '1q2w3e4r5t6y' }, 'The password is one of the most common'],
    [
      { name: 'A long name', invitation: 'password', pass_new: 'a long name' },
      'The password must differ from the user',
    ],
    [{ name: 'a', invitation: 'x' }, 'Choose how the user gets a password.'],
  ])('reports the problem of %p, and keeps the typed values', async (values, message) => {
    const form = await add(admin, values);
    expect(form.status).toBe(422);
    expect(errorsOf(form)[0]).toContain(message);
    expect(form.elements('#name')[0]?.attributes.value).toBe(values.name as string);
  });

  it('grants only roles with no more permissions than those of the caller', async () => {
    expect(roleBoxes(await keeper.open('/admin/people/create'))).toEqual(
      expect.not.arrayContaining(['administrator', 'repository_editor', 'content_editor']),
    );
    const form = await add(keeper, { name: 'climber', roles: ['administrator'] });
    expect(form.status).toBe(422);
    expect(errorsOf(form)).toEqual(['You may not grant the role administrator.']);
    expect((await add(keeper, { name: 'fellow', roles: ['account_keeper', 'plain_reader'] })).status).toBe(200);
  });
});

describe('the form of an account', () => {
  it('changes name, mail address, roles and status', async () => {
    ids.old = await repository.user('old');
    const other = await signedIn(repository, 'old');
    const form = await admin.open(page('edit', 'old'));
    const answer = await form.submit({
      ...{ name: 'renamed', mail: 'r@example.org', roles: ['content_editor', 'plain_reader'], status: 'blocked' },
    });
    expect(answer.status).toBe(303);
    const { row, roles } = await find('renamed');
    expect({ mail: row.mail, roles, status: row.status }).toEqual({
      mail: 'r@example.org',
      roles: ['content_editor', 'plain_reader'],
      status: false,
    });
    expect((await other.open('/user/password')).elements('form[action="/user/password"]')).toEqual([]);
  });

  it('rejects a change that would overwrite another one', async () => {
    ids.shared = await repository.user('shared', 'content_editor');
    const form = await admin.open(page('edit', 'shared'));
    await (await admin.open(page('edit', 'shared'))).submit({ roles: [] });
    const late = await form.submit({ mail: 'late@example.org' });
    expect(late.status).toBe(422);
    expect(errorsOf(late)[0]).toContain('was changed since you opened');
    expect((await find('shared')).roles).toEqual([]);
  });

  it("neither demotes the last administrator nor blocks one's own account", async () => {
    const form = await admin.open('/user/1/edit');
    expect(form.elements('[name=status]')).toEqual([]);
    const refused = await form.submit({ roles: [], status: 'blocked' });
    expect(refused.status).toBe(422);
    expect(errorsOf(refused)).toEqual(['At least one active administrator must remain.']);
    expect((await find('admin')).row.status).toBe(true);
  });

  it('lets owners change only their mail address, with their password', async () => {
    const jane = await signedIn(repository, 'jane');
    const form = await jane.open(page('edit', 'jane'));
    expect(form.elements('main input:not([type=hidden], [hidden])').map(({ attributes }) => attributes.name)).toEqual([
      'mail',
      'pass',
    ]);
    const typed = { mail: 'jane@example.org', name: 'root', roles: ['administrator'], status: 'blocked' };
    expect(errorsOf(await form.submit(typed))).toEqual(['Enter your current password.']);
    expect(errorsOf(await form.submit({ ...typed, pass: 'x' }))).toEqual(['This is not your current password.']);
    expect((await form.submit({ ...typed, pass: 'jane' })).status).toBe(303);
    const { row, roles } = await find('jane');
    expect({ mail: row.mail, roles, status: row.status }).toEqual({
      mail: 'jane@example.org',
      roles: [],
      status: true,
    });
  });
});

describe('the own account of an administrator', () => {
  it('keeps its mail address without the present password', async () => {
    ids.second = await repository.user('second', 'account_keeper');
    const second = await signedIn(repository, 'second');
    const form = await second.open(page('edit', 'second'));
    const typed = { mail: 'second@example.org' };
    expect(errorsOf(await form.submit(typed))).toEqual(['Enter your current password.']);
    expect(errorsOf(await form.submit({ ...typed, pass: 'x' }))).toEqual(['This is not your current password.']);
    expect((await find('second')).row.mail).toBeNull();
    // Other values, and accounts of others, do not need it.
    expect((await form.submit({ roles: ['account_keeper', 'plain_reader'] })).status).toBe(303);
    expect((await (await second.open(page('edit', 'jane'))).submit(typed)).status).toBe(303);
    const again = await second.open(page('edit', 'second'));
    expect((await again.submit({ ...typed, pass: 'second' })).status).toBe(303);
    expect((await find('second')).row.mail).toBe('second@example.org');
  });

  it('gets no link to a new password without the present one', async () => {
    const form = await admin.open('/user/1/reset-link');
    const show = { button: ['by', 'page'] } as const;
    const refused = await form.submit({}, show);
    expect({ status: refused.status, errors: errorsOf(refused) }).toEqual({
      status: 422,
      errors: ['Enter your current password.'],
    });
    const wrong = await form.submit({ pass: 'x' }, show);
    expect({ status: wrong.status, errors: errorsOf(wrong) }).toEqual({
      status: 422,
      errors: ['This is not your current password.'],
    });
    const { rows } = await repository.running.services.database.client.execute(
      'SELECT * FROM password_reset WHERE user_id = 1',
    );
    expect(rows).toEqual([]);
    const made = await form.submit({ pass: ADMIN_PASSWORD }, show);
    expect(made.elements('#made-link')).toHaveLength(1);
    expect((await admin.open(page('reset-link', 'jane'))).elements('[name=pass]')).toEqual([]);
  });

  it('limits attempts to enter the present password', async () => {
    ids.third = await repository.user('third', 'account_keeper');
    const form = await (await signedIn(repository, 'third')).open(page('reset-link', 'third'));
    for (let count = 0; count < 5; count++) await form.submit({ pass: 'x' });
    expect((await form.submit({ pass: 'y' })).status).toBe(429);
  });
});

describe('the list of sessions', () => {
  it("shows where each began, and ends one, the others, or one's own", async () => {
    ids.busy = await repository.user('busy');
    const [own, second, third, fourth] = [
      await signedIn(repository, 'busy'),
      await signedIn(repository, 'busy'),
      await signedIn(repository, 'busy'),
      await signedIn(repository, 'busy'),
    ];
    const path = page('sessions', 'busy');
    const list = await own.open(path);
    expect(list.elements('.session-list > li')).toHaveLength(4);
    expect(list.elements('.session-list > li').filter(({ text }) => text.includes('this session'))).toHaveLength(1);
    expect(list.html).toContain('from 127.0.0.1');
    // The address of a session is no secret of it.
    expect(list.html).not.toContain(own.session?.cookie.split('=')[1] as string);
    const others = list.elements('button[name=end]').map(({ attributes }) => attributes.value ?? '');
    const thirdOwn = (await third.open(path)).html.match(/value="([\w-]{43})"[^>]*>Sign out here/)?.[1] ?? '';
    expect(others).toContain(thirdOwn);
    expect((await own.post(path, withEnd(list, thirdOwn))).status).toBe(303);
    expect((await third.open(path)).status).toBe(401);
    const gone = await own.post(path, withEnd(list, thirdOwn));
    expect(gone.status).toBe(422);
    expect(errorsOf(gone)).toEqual(['This session has ended already. Choose one of the list.']);
    expect((await own.post(path, withEnd(list, 'others'))).status).toBe(303);
    expect({ second: (await second.open(path)).status, fourth: (await fourth.open(path)).status }).toEqual({
      second: 401,
      fourth: 401,
    });
    const ownId = (await own.open(path)).html.match(/value="([\w-]{43})"[^>]*>Sign out here/)?.[1] ?? '';
    const out = await own.post(path, withEnd(list, ownId));
    expect(out.status).toBe(303);
    expect(out.headers.get('location')).toBe(`${repository.url}/`);
    expect((await own.open(path)).status).toBe(401);
  });

  it('cannot end a session of another user', async () => {
    const jane = await signedIn(repository, 'jane');
    const list = await admin.open('/user/1/sessions');
    const [session] = list.elements('button[name=end]').map(({ attributes }) => attributes.value ?? '');
    const own = await jane.open(page('sessions', 'jane'));
    expect((await jane.post(page('sessions', 'jane'), withEnd(own, session ?? ''))).status).toBe(422);
    expect((await admin.open('/user/1/sessions')).status).toBe(200);
  });

  function withEnd(list: OpenPage, end: string): URLSearchParams {
    const fields = list.fields();
    fields.set('end', end);
    return fields;
  }
});
