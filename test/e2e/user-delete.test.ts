import { beforeAll, describe, expect, it } from 'bun:test';
import { join } from 'node:path';
import { outcomeOf } from '../support/command-outcome.ts';
import { emptyFolder } from '../support/empty-folder.ts';
import { EXECUTABLE, startServer } from '../support/server-process.ts';
import { copyStopped, type EntityJson, IS_ON_SQLD } from '../support/test-repository.ts';

const env = { PATH: process.env.PATH ?? '' };
let data: string;
/** The ids of a node of jane and of one of joe. */
let nodes: number[];
beforeAll(async () => {
  data = join(await emptyFolder(), 'data');
  await copyStopped(data, async (repository) => {
    for (const name of ['jane', 'joe']) await repository.user(name, 'administrator');
    const made = [await repository.node({}, 'jane'), await repository.node({}, 'joe')];
    nodes = made.map((node) => node.nid[0].value);
  });
}, 60_000);

function repo(...args: string[]) {
  return outcomeOf(Bun.spawn([EXECUTABLE, ...args, '--data', data], { env, stdout: 'pipe', stderr: 'pipe' }));
}

describe.skipIf(IS_ON_SQLD)('repo user delete', () => {
  it('erases an account while the repository runs, and keeps its content or gives it to another user', async () => {
    const server = await startServer({ data });
    const read = async (path: string) => (await (await server.fetch(path)).json()) as EntityJson;
    const ownerOf = async (node: number) => (await read(`/node/${node}?_format=json`)).uid[0].target_id;
    const [ofJane = 0, ofJoe = 0] = nodes;
    const [jane, joe] = [await ownerOf(ofJane), await ownerOf(ofJoe)];
    const signIn = async (name: string) => (await server.fetch('/jwt/token', { as: name })).status;
    expect(await signIn('jane')).toBe(200);

    expect(await repo('user', 'delete', 'jane')).toEqual({
      code: 0,
      out: `Deleted jane, user ${jane}. 1 item and 0 media stay, of "Deleted user ${jane}".\n`,
      err: '',
    });
    expect(await signIn('jane')).toBe(401);
    expect(await ownerOf(ofJane)).toBe(jane);

    expect(await repo('user', 'delete', 'joe', '--content-to', 'admin')).toEqual({
      code: 0,
      out: `Gave 1 item and 0 media to admin.\nDeleted joe, user ${joe}.\n`,
      err: '',
    });
    expect(await ownerOf(ofJoe)).toBe(1);
    expect((await repo('user', 'list')).out).toBe('1\tadmin\tactive\t-\tadministrator\n');
    expect(await server.stop()).toBe(0);
  });

  it.each([
    [['nobody'], 'Unknown user nobody; list all users with: repo user list\n'],
    [['admin'], 'At least one active administrator must remain.\n'],
    [['admin', '--content-to', 'admin'], 'The content of admin is already that of admin.\n'],
  ])('rejects %p', async (args, err) => {
    expect(await repo('user', 'delete', ...args)).toEqual({ code: 1, out: '', err });
  });
});
