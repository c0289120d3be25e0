import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createClient } from '@libsql/client';
import { outcomeOf } from '../support/command-outcome.ts';
import { emptyFolder } from '../support/empty-folder.ts';
import { EXECUTABLE, startServer } from '../support/server-process.ts';
import { type Sqld, startSqld } from '../support/sqld.ts';

let folder: string;
let sqld: Sqld;
beforeAll(async () => {
  folder = await emptyFolder();
  sqld = await startSqld();
  const server = await startServer({ data: join(folder, 'data'), env: environment(sqld) });
  await server.stop();
});
afterAll(async () => {
  await sqld.stop();
});

const environment = ({ url }: Sqld) => ({ PATH: process.env.PATH ?? '', REPO_DATABASE_URL: url });

function repo(server: Sqld, ...args: string[]) {
  const command = [EXECUTABLE, ...args, '--data', join(folder, 'data')];
  return outcomeOf(Bun.spawn(command, { env: environment(server), stdout: 'pipe', stderr: 'pipe' }));
}

describe('a database on a libSQL server', () => {
  it('is verified, and damaged rows are reported', async () => {
    const intact = await repo(sqld, 'storage', 'verify', '--database', '--quiet');
    expect(intact).toMatchObject({ code: 0, err: '' });
    expect(intact.out).toMatch(/^structure: intact\nChecked \d+ revisions: \d+ intact, 0 damaged, 0 problems\.\n$/);
    const client = createClient({ url: sqld.url });
    await client.execute('UPDATE taxonomy_term SET document = replace(document, \'"Image"\', \'"Imege"\')');
    client.close();
    const damaged = await repo(sqld, 'storage', 'verify', '--database', '--quiet');
    expect(damaged.code).toBe(1);
    expect(damaged.out).toMatch(/^taxonomy_term \d+, revision \d+: damaged; its content does not match its checksum$/m);
  });

  it('is not initialized beside the files of a repository, except with --new-database', async () => {
    const empty = await startSqld();
    try {
      const refused = await repo(empty, 'serve', '--port', '0');
      expect(refused.code).toBe(1);
      expect(refused.err).toStartWith(
        `${join(folder, 'data')} holds stored files of a repository, but the database ${empty.url} is empty. `,
      );
      const args = ['--data', join(folder, 'data'), '--new-database'];
      const server = await startServer({ args, env: environment(empty) });
      expect(await server.stop()).toBe(0);
    } finally {
      await empty.stop();
    }
  });

  it('is initialized by several servers that start at once, with separate or shared data folders', async () => {
    const empty = await startSqld();
    try {
      const config = join(folder, 'stores.yaml');
      const stores = ['public', 'private', 'fedora'].map(
        (name) => `  ${name}: { folder: ${join(folder, 'stores', name)} }`,
      );
      await writeFile(config, ['schemes:', ...stores, ''].join('\n'));
      const folders = ['one', 'two', 'two'].map((name) => join(folder, name));
      const servers = await Promise.all(folders.map((data) => startServer({ data, config, env: environment(empty) })));
      for (const server of servers) expect(await server.stop()).toBe(0);
    } finally {
      await empty.stop();
    }
  });
});
