import { afterAll, afterEach, beforeAll, describe, expect, it, spyOn } from 'bun:test';
import { basic, createTestRepository, type TestRepository } from '../../support/test-repository.ts';

let repository: TestRepository;
let path: string;
beforeAll(async () => {
  repository = await createTestRepository();
  path = `/node/${(await repository.node()).nid[0].value}?_format=html`;
});
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await repository.stop();
});

const { verify } = Bun.password;
const check = spyOn(Bun.password, 'verify');
afterEach(() => check.mockRestore());

/** Holds the next check of a password, from when it has begun, until it is let go. */
function holdCheck() {
  const begun = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  check.mockImplementationOnce(async (password, hash) => {
    begun.resolve();
    await held.promise;
    return verify(password, hash);
  });
  return { begun: begun.promise, letGo: held.resolve };
}

/** Returns the status of a page and the name of the signed-in user on it. */
async function nameOnPage(name: string): Promise<[status: number, name: string | undefined]> {
  const response = await repository.fetch(path, { headers: { Authorization: basic(name, 'secret') } });
  return [response.status, /Signed in as <\/span><bdi>([^<]*)/.exec(await response.text())?.[1]];
}

describe('a user who is renamed during the first password check', () => {
  it('has the new name on every later page', async () => {
    const { write } = repository.running.services.database;
    const id = await repository.user('secret');
    const rename = (name: string) => write([{ sql: 'UPDATE user SET name = ? WHERE id = ?', args: [name, id] }]);
    await rename('mary');
    const { begun, letGo } = holdCheck();
    const first = nameOnPage('mary');
    await begun;
    await rename('maria');
    letGo();
    // A user keeps the name of the sign-in for that request.
    expect(await first).toEqual([200, 'mary']);
    for (let time = 0; time < 3; time++) expect(await nameOnPage('maria')).toEqual([200, 'maria']);
    expect((await nameOnPage('mary'))[0]).toBe(401);
  });
});
