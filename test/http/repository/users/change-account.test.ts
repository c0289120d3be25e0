import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { type AccountChange, changeAccount } from '../../../../src/repository/users/change-account.ts';
import { findPeople, type PeopleFilter } from '../../../../src/repository/users/find-people.ts';
import { createFindUser, type User } from '../../../../src/repository/users/find-user.ts';
import { known } from '../../../../src/repository/users/manage-users.ts';
import { requestReset } from '../../../../src/repository/users/request-reset.ts';
import { failure } from '../../../support/rejection.ts';
import { createTestRepository, type TestRepository } from '../../../support/test-repository.ts';

let repository: TestRepository;
beforeAll(async () => {
  repository = await createTestRepository();
});
afterAll(() => repository.stop());

const services = () => repository.running.services;
async function find(name: string): Promise<User> {
  return known(await createFindUser(services().database).byName(name), name);
}
const change = async (name: string, wanted: AccountChange) => changeAccount(services(), await find(name), wanted);

describe('a change of an account', () => {
  it('sets name, mail, roles and status together', async () => {
    await repository.user('old');
    await change('old', { name: 'new', mail: 'new@example.org', roles: ['content_editor'], isBlocked: true });
    const { row, roles } = await find('new');
    expect({ mail: row.mail, roles, status: row.status }).toEqual({
      mail: 'new@example.org',
      roles: ['content_editor'],
      status: false,
    });
  });

  it.each<[AccountChange, string]>([
    [{ name: 'admin' }, 'The user name admin is already in use.'],
    [{ name: 'a:b' }, 'A user name must not contain a colon'],
    [{ mail: 'nobody' }, 'nobody is not a valid mail address'],
    [{ mail: 'a@b.org, c@d.org' }, 'is not a valid mail address'],
    [{ mail: 'a@b.org\r\nBcc: c@d.org' }, 'is not a valid mail address'],
    [{ mail: '<a@b.org>' }, 'is not a valid mail address'],
    [{ roles: ['anonymous'] }, 'The role anonymous cannot be granted'],
  ])('to %p is refused', async (wanted, message) => {
    const id = await repository.user(`refused ${Bun.randomUUIDv7()}`);
    const user = await createFindUser(services().database).byId(id);
    expect((await failure(changeAccount(services(), known(user, 'it'), wanted))).message).toContain(message);
  });

  it('is refused if the account changed since it was read', async () => {
    await repository.user('shared', 'content_editor');
    const asRead = await find('shared');
    await change('shared', { roles: [] });
    expect((await failure(changeAccount(services(), asRead, { mail: 'a@example.org' }))).message).toContain(
      'changed meanwhile',
    );
    expect((await find('shared')).roles).toEqual([]);
  });

  it('never leaves the repository without an active administrator', async () => {
    const message = 'At least one active administrator must remain.';
    expect((await failure(change('admin', { isBlocked: true }))).message).toContain(message);
    expect((await failure(change('admin', { roles: [] }))).message).toContain(message);
    await repository.user('second', 'administrator');
    await change('second', { isBlocked: true });
    // A blocked administrator does not count.
    expect((await failure(change('admin', { roles: [] }))).message).toContain(message);
    await change('second', { isBlocked: false });
    const both = [await find('admin'), await find('second')];
    const results = await Promise.allSettled(both.map((user) => changeAccount(services(), user, { roles: [] })));
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });
});

describe('a list of accounts', () => {
  const list = async (filter: Partial<PeopleFilter>) =>
    (await findPeople(services().database, { sort: 'name', page: 0, ...filter })).people.map(({ name }) => name);

  it('is filtered by a part of name or mail address, role and status, and sorted', async () => {
    await repository.user('Zoe 100%', 'workbench_user');
    await repository.user('anna', 'workbench_user');
    await change('anna', { mail: 'Librarian@example.org' });
    expect(await list({ role: 'workbench_user' })).toEqual(['anna', 'Zoe 100%']);
    expect(await list({ role: 'workbench_user', sort: 'created' })).toHaveLength(2);
    expect(await list({ text: 'ZOE' })).toEqual(['Zoe 100%']);
    expect(await list({ text: '%' })).toEqual(['Zoe 100%']);
    expect(await list({ text: 'librarian@' })).toEqual(['anna']);
    await change('anna', { isBlocked: true });
    expect(await list({ role: 'workbench_user', status: 'active' })).toEqual(['Zoe 100%']);
    expect(await list({ role: 'workbench_user', status: 'blocked' })).toEqual(['anna']);
    expect(await list({ page: 1 })).toEqual([]);
    expect(await list({ text: 'Anonymous' })).toEqual([]);
  });
});

describe('a request for a reset link', () => {
  const request = async (text: string, address: string) =>
    (await requestReset(services(), text, address)).map(({ row }) => row.name);

  it('finds active users by name or mail address', async () => {
    await repository.user('forgetful');
    await change('forgetful', { mail: 'forgetful@example.org' });
    expect(await request(' Forgetful ', '192.0.2.1')).toEqual(['forgetful']);
    expect(await request('FORGETFUL@example.org', '192.0.2.1')).toEqual(['forgetful']);
    expect(await request('nobody', '192.0.2.1')).toEqual([]);
    await repository.user('without mail');
    expect(await request('without mail', '192.0.2.1')).toEqual([]);
    await change('forgetful', { isBlocked: true });
    expect(await request('forgetful', '192.0.2.1')).toEqual([]);
  });

  it('is ignored after three for an account in an hour, by any of its names', async () => {
    await repository.user('flooded');
    await change('flooded', { mail: 'flooded@example.org' });
    const names = ['flooded', 'flooded@example.org', 'flooded', 'flooded', 'flooded@example.org'];
    const found: string[] = [];
    for (const name of names) found.push(...(await request(name, '192.0.2.2')));
    expect(found).toHaveLength(3);
  });

  it('is refused after twenty from an address in an hour', async () => {
    for (let count = 0; count < 20; count++) await request(`user ${count}`, '192.0.2.3');
    expect(await failure(request('one more', '192.0.2.3'))).toMatchObject({ kind: 'too-many-requests' });
    expect(await request('one more', '192.0.2.4')).toEqual([]);
  });
});
