import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { createLog } from '../../../src/base/log.ts';
import { issueTokenFor } from '../../../src/cli/token.ts';
import { DEFAULT_SERVER_CONFIG } from '../../../src/config/server-config.ts';
import { createFindAccount } from '../../../src/repository/users/find-account.ts';
import { setBlocked, setPassword, setRoles } from '../../../src/repository/users/manage-users.ts';
import { createSessions } from '../../../src/repository/users/sessions.ts';
import { loadKeys } from '../../../src/server/load-keys.ts';
import { type CommandRepository, openRepositoryForCommand } from '../../../src/server/open-repository-for-command.ts';
import { signToken } from '../../support/key-server.ts';
import { tokenOf } from '../../support/repository-routes.ts';
import { basic, createTestRepository, othersFollow, type TestRepository } from '../../support/test-repository.ts';

let repository: TestRepository;
/** The operations of `repo user`, with a database connection of their own, like another process. */
let opened: CommandRepository;
const administration = {
  changePassword: async (name: string, password: string) =>
    setPassword(opened.services, await opened.findUser(name), password),
  async changeRoles(name: string, change: (roles: readonly string[]) => readonly string[]) {
    const user = await opened.findUser(name);
    await setRoles(opened.services, user, change(user.roles));
  },
  addRole: (name: string, role: string) => administration.changeRoles(name, (roles) => [...roles, role]),
  removeRole: (name: string, role: string) =>
    administration.changeRoles(name, (roles) => roles.filter((each) => each !== role)),
  setBlocked: async (name: string, isBlocked: boolean) =>
    setBlocked(opened.services, await opened.findUser(name), isBlocked),
  issueToken: (name: string, expirySeconds?: number) => issueTokenFor(opened, name, expirySeconds),
};

beforeAll(async () => {
  repository = await createTestRepository();
  const config = { ...DEFAULT_SERVER_CONFIG, ...repository.config };
  opened = await openRepositoryForCommand(config, createLog({ level: 'silent', format: 'json' }));
});
afterAll(async () => {
  await opened.close();
  await repository.stop();
});

const OUTDATED = 'The password, status or roles of the user changed after this token was issued.';
const GONE = 'The user of this token does not exist, or is blocked.';

const ask = (token: string) =>
  repository.get('/user/login_status?_format=json', undefined, { Authorization: `Bearer ${token}` });

async function messageOf(response: Response): Promise<unknown> {
  return ((await response.json()) as { message?: unknown }).message;
}

async function expectRefused(token: string, message: string): Promise<void> {
  const response = await ask(token);
  expect({ status: response.status, message: await messageOf(response) }).toEqual({ status: 401, message });
  expect(response.headers.get('www-authenticate')).toBe('Bearer error="invalid_token"');
}

async function newToken(name: string, password: string): Promise<string> {
  const response = await repository.get('/jwt/token', undefined, { Authorization: basic(name, password) });
  return ((await response.json()) as { token: string }).token;
}

describe('a token', () => {
  const changes: [string, (name: string) => Promise<unknown>, password: string][] = [
    ['password', (name) => administration.changePassword(name, 'another password'), 'another password'],
    ['roles, with one more', (name) => administration.addRole(name, 'administrator'), ''],
    ['roles, with one less', (name) => administration.removeRole(name, 'content_editor'), ''],
    [
      'status, to blocked and back',
      async (name) => {
        await administration.setBlocked(name, true);
        await administration.setBlocked(name, false);
      },
      '',
    ],
  ];

  it.each(changes)('is refused right after a change of the %s', async (what, change, password) => {
    const name = `user of ${what}`.slice(0, 60);
    await repository.user(name, 'content_editor');
    const token = await tokenOf(repository, name);
    expect((await ask(token)).status).toBe(200);
    await change(name);
    await othersFollow();
    await expectRefused(token, OUTDATED);
    expect((await ask(await newToken(name, password || name))).status).toBe(200);
  });

  it('is refused after a change, but a later one is valid within the same second', async () => {
    await repository.user('quick');
    let password = 'quick';
    // Two changes take much less than a second: a comparison of seconds would fail for one of them.
    for (const next of ['first password', 'second password', 'third password']) {
      const before = await newToken('quick', password);
      await administration.changePassword('quick', next);
      await othersFollow();
      password = next;
      await expectRefused(before, OUTDATED);
      expect((await ask(await newToken('quick', password))).status).toBe(200);
    }
  });

  it('is refused while its user is blocked, and after its user is deleted', async () => {
    const id = await repository.user('leaver');
    const token = await tokenOf(repository, 'leaver');
    await administration.setBlocked('leaver', true);
    await othersFollow();
    await expectRefused(token, GONE);
    await administration.setBlocked('leaver', false);
    const later = await administration.issueToken('leaver');
    await othersFollow();
    expect((await ask(later)).status).toBe(200);
    await repository.running.services.database.write([{ sql: 'DELETE FROM user WHERE id = ?', args: [id] }]);
    await expectRefused(later, GONE);
  });

  it('stays valid after a change without effect or a change of another user', async () => {
    await repository.user('steady', 'content_editor');
    await repository.user('other');
    const token = await tokenOf(repository, 'steady');
    await administration.addRole('steady', 'content_editor');
    await administration.changePassword('other', 'another password');
    await othersFollow();
    expect((await ask(token)).status).toBe(200);
    await repository.restart();
    expect((await ask(token)).status).toBe(200);
  });

  it('of the command line is refused after a change, but a later one is valid', async () => {
    await repository.user('script');
    const before = await administration.issueToken('script', 3600);
    expect((await ask(before)).status).toBe(200);
    await administration.addRole('script', 'content_editor');
    await othersFollow();
    await expectRefused(before, OUTDATED);
    expect((await ask(await administration.issueToken('script', 3600))).status).toBe(200);
  });

  it('of an earlier version is checked by its issue time in seconds', async () => {
    const id = await repository.user('early');
    const { database } = repository.running.services;
    const { signingKey } = await loadKeys(database, repository.dataFolder);
    const seconds = Math.floor(Date.now() / 1000);
    const signed = (iat: number) =>
      signToken(
        { kid: signingKey.kid, privateKey: signingKey.privateKey, publicKey: signingKey.publicKey },
        { webid: String(id), sub: 'early', roles: [], iss: 'http://a', iat, exp: seconds + 600 },
      );
    expect((await ask(await signed(seconds - 60))).status).toBe(200);
    const sql = 'UPDATE user SET roles = ? WHERE id = ?';
    await database.write([{ sql, args: ['["administrator"]', id] }]);
    await expectRefused(await signed(seconds), OUTDATED);
    expect((await ask(await signed(seconds + 60))).status).toBe(200);
  });
});

describe('a session', () => {
  it('does not begin if the password changes during its check', async () => {
    const id = await repository.user('racer');
    const { database, now } = repository.running.services;
    const sessions = createSessions(database, now);
    const account = await createFindAccount(database).byId(id);
    if (account === undefined) throw new Error('the user was not made');
    expect(await sessions.begin('hash one', account, now() + 60)).toBe(true);
    await administration.changePassword('racer', 'another password');
    expect(await sessions.begin('hash two', account, now() + 60)).toBe(false);
    const { rows } = await database.client.execute('SELECT 1 FROM session WHERE user_id = ?', [id]);
    expect(rows).toEqual([]);
  });
});
