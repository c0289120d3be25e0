import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { createFindUser } from '../../../../src/repository/users/find-user.ts';
import { createUser, known, setRoles } from '../../../../src/repository/users/manage-users.ts';
import { basic, createTestRepository, type TestRepository } from '../../../support/test-repository.ts';

let repository: TestRepository;
beforeAll(async () => {
  repository = await createTestRepository();
});
afterAll(() => repository.stop());

const make = (name: string, roles: string[] = []) => createUser(repository.running.services, { name, roles });
const find = (name: string) => createFindUser(repository.running.services.database).byName(name);

describe('a user name', () => {
  it.each([
    ['', 'A user name must not be empty or begin or end with white space.'],
    [' x', 'A user name must not be empty or begin or end with white space.'],
    ['x ', 'A user name must not be empty or begin or end with white space.'],
    ['x'.repeat(61), 'A user name must not be longer than 60 characters.'],
    ['a:b', 'A user name must not contain a colon or control characters.'],
    ['a\nb', 'A user name must not contain a colon or control characters.'],
    ['a\u0000b', 'A user name must not contain a colon or control characters.'],
    ['admin', 'The user name admin is already in use.'],
    ['ADMIN', 'The user name ADMIN is already in use.'],
  ])('%p is refused', async (name, message) => {
    await expect(make(name)).rejects.toThrow(message);
  });

  it('is the same with composed and decomposed accents', async () => {
    const id = await make('Jose\u0301');
    expect((await find('Jos\u00e9'))?.row.id).toBe(id);
    expect((await find('Jose\u0301'))?.row.id).toBe(id);
    await expect(make('Jos\u00e9')).rejects.toThrow('The user name José is already in use.');
  });

  it('may have sixty characters beyond the basic plane', async () => {
    const name = '😀'.repeat(60);
    const id = await make(name);
    expect(known(await find(name), name).row.id).toBe(id);
  });

  it('that is unknown is named in the error', () => {
    expect(() => known(undefined, 'nobody')).toThrow('Unknown user nobody.');
  });
});

describe('an account without a password', () => {
  it('cannot be used to sign in, even with an empty password', async () => {
    await make('keyless');
    for (const password of ['', 'x', 'null']) {
      const response = await repository.get('/jwt/token', undefined, { Authorization: basic('keyless', password) });
      expect(response.status).toBe(401);
    }
  });
});

describe('a role', () => {
  it.each([
    ['administrators', 'The role administrators cannot be granted. Did you mean administrator?'],
    ['anonymous', 'The role anonymous cannot be granted'],
    ['authenticated', 'The role authenticated cannot be granted'],
    ['__proto__', 'The role __proto__ cannot be granted'],
  ])('that cannot be granted is refused: %s', async (role, message) => {
    await expect(make(`of ${role}`, [role])).rejects.toThrow(message);
    expect(await find(`of ${role}`)).toBeUndefined();
    const admin = known(await find('admin'), 'admin');
    await expect(setRoles(repository.running.services, admin, [role])).rejects.toThrow(message);
    expect((await find('admin'))?.roles).toEqual(['administrator']);
  });
});
