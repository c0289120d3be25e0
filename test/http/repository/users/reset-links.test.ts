import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { newSessionId, storedSessionKey } from '../../../../src/auth/session-token.ts';
import { changeAccount } from '../../../../src/repository/users/change-account.ts';
import { createFindUser, type User } from '../../../../src/repository/users/find-user.ts';
import { known, setBlocked, setPassword } from '../../../../src/repository/users/manage-users.ts';
import {
  changePassword,
  createResetLink,
  findResetUser,
  setPasswordByLink,
} from '../../../../src/repository/users/reset-links.ts';
import { createSessions } from '../../../../src/repository/users/sessions.ts';
import { failure } from '../../../support/rejection.ts';
import { basic, createTestRepository, type TestRepository } from '../../../support/test-repository.ts';

let repository: TestRepository;
beforeAll(async () => {
  repository = await createTestRepository();
});
afterAll(() => repository.stop());

const services = () => repository.running.services;
async function find(name: string): Promise<User> {
  return known(await createFindUser(services().database).byName(name), name);
}
const session = () => ({ idHash: storedSessionKey(newSessionId()), expires: services().now() + 1_000 });
const signsIn = async (name: string, password: string) =>
  (await repository.get('/jwt/token', undefined, { Authorization: basic(name, password) })).status === 200;

describe('a reset link', () => {
  it('sets a password once, even for an account without one', async () => {
    await repository.user('invited');
    await services().database.write(["UPDATE user SET password_hash = NULL WHERE name = 'invited'"]);
    const { token } = await createResetLink(services(), await find('invited'));
    expect((await findResetUser(services(), token))?.name).toBe('invited');
    expect((await findResetUser(services(), token))?.name).toBe('invited');
    await setPasswordByLink(services(), token, 'a new password', session());
    expect(await signsIn('invited', 'a new password')).toBe(true);
    expect(await findResetUser(services(), token)).toBeUndefined();
    expect(await setPasswordByLink(services(), token, 'another', session())).toBeUndefined();
    expect(await signsIn('invited', 'another')).toBe(false);
  });

  it('works for one of two requests at the same time', async () => {
    await repository.user('hurried');
    const { token } = await createResetLink(services(), await find('hurried'));
    const results = await Promise.all(
      ['one', 'two'].map((password) => setPasswordByLink(services(), token, password, session())),
    );
    expect(results.filter((id) => id === undefined)).toHaveLength(1);
  });

  it('ends all sessions and begins a new one', async () => {
    const id = await repository.user('elsewhere');
    const sessions = createSessions(services().database, services().now);
    const { passwordHash } = (await find('elsewhere')).row;
    const account = { id, passwordHash: passwordHash ?? undefined };
    expect(await sessions.begin('other browser', account, services().now() + 1_000)).toBe(true);
    const { token } = await createResetLink(services(), await find('elsewhere'));
    const begun = { ...session(), address: '192.0.2.7', userAgent: 'x'.repeat(1_000) };
    await setPasswordByLink(services(), token, 'new', begun);
    const times = { created: expect.any(Number), used: expect.any(Number) };
    expect(await sessions.list(id)).toEqual([{ ...begun, ...times, userAgent: 'x'.repeat(400) }]);
  });

  it.each<[string, (user: User) => Promise<unknown>]>([
    ['a later link', (user) => createResetLink(services(), user)],
    ['a new password', (user) => setPassword(services(), user, 'new')],
    ['a block', (user) => setBlocked(services(), user, true)],
    ['a new mail address', (user) => changeAccount(services(), user, { mail: 'new@example.org' })],
    ['its end', () => services().database.write(['UPDATE password_reset SET expires = 1'])],
  ])('is invalid after %s', async (what, work) => {
    await repository.user(`after ${what}`);
    const user = await find(`after ${what}`);
    const { token } = await createResetLink(services(), user);
    expect(await findResetUser(services(), token)).toBeDefined();
    await work(user);
    expect(await findResetUser(services(), token)).toBeUndefined();
    expect(await setPasswordByLink(services(), token, 'x', session())).toBeUndefined();
  });

  it('is refused to a blocked user', async () => {
    await repository.user('blocked');
    await setBlocked(services(), await find('blocked'), true);
    expect((await failure(createResetLink(services(), await find('blocked')))).message).toContain(
      'blocked is blocked.',
    );
  });

  it('is stored as a digest only', async () => {
    await repository.user('secret');
    const { token } = await createResetLink(services(), await find('secret'));
    const { rows } = await services().database.client.execute('SELECT * FROM password_reset');
    expect(JSON.stringify(rows)).not.toContain(token);
    expect(JSON.stringify(rows)).toContain(storedSessionKey(token));
  });
});

describe('a change of the password', () => {
  it('is refused if the password changed since it was checked', async () => {
    const id = await repository.user('racing');
    const account = { id, name: 'racing', passwordHash: 'an earlier hash' };
    expect((await failure(changePassword(services(), account, 'mine', session()))).message).toContain(
      'changed meanwhile',
    );
    expect(await signsIn('racing', 'racing')).toBe(true);
  });
});
