import { afterAll, afterEach, beforeAll, describe, expect, it, spyOn } from 'bun:test';
import { basic, createTestRepository, type TestRepository } from '../../support/test-repository.ts';

let repository: TestRepository;
let node: number;
beforeAll(async () => {
  repository = await createTestRepository();
  node = (await repository.node()).nid[0].value;
});
const verify = spyOn(Bun.password, 'verify');
const { password } = Bun;
afterEach(() => verify.mockReset());
afterAll(async () => {
  verify.mockRestore();
  expect(repository.failures()).toEqual([]);
  await repository.stop();
});

/** Holds the next check of a password until it is let go. */
function holdCheck() {
  const begun = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  verify.mockImplementationOnce(async (text, hash) => {
    begun.resolve();
    await held.promise;
    verify.mockRestore();
    return password.verify(text, hash);
  });
  return { begun: begun.promise, letGo: held.resolve };
}

/** Who a page says is signed in. */
async function nameOn(path: string, name: string, secret: string): Promise<[number, string | undefined]> {
  const response = await repository.fetch(path, { headers: { Authorization: basic(name, secret) } });
  return [response.status, /Signed in as <bdi>([^<]*)/.exec(await response.text())?.[1]];
}

describe('a user who is renamed while the password of their first request is checked', () => {
  it('is called by the new name on every page that they ask for afterwards', async () => {
    const id = await repository.user('mary');
    const path = `/node/${node}?_format=html`;
    const { begun, letGo } = holdCheck();
    const first = nameOn(path, 'mary', 'mary');
    await begun;
    const rename = { sql: 'UPDATE user SET name = ? WHERE id = ?', args: ['maria', id] };
    await repository.running.services.database.write([rename]);
    letGo();
    // Whoever was let in as one person is that person for this request.
    expect(await first).toEqual([200, 'mary']);
    for (let time = 0; time < 3; time++) expect(await nameOn(path, 'maria', 'mary')).toEqual([200, 'maria']);
    expect((await nameOn(path, 'mary', 'mary'))[0]).toBe(401);
  });
});
