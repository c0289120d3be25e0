import { describe, expect, it } from 'bun:test';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { outcomeOf } from '../support/command-outcome.ts';
import { emptyFolder } from '../support/empty-folder.ts';
import { freePort } from '../support/free-port.ts';
import { EXECUTABLE, type ServerProcess, startServer } from '../support/server-process.ts';
import { IS_ON_SQLD } from '../support/test-repository.ts';
import { until } from '../support/until.ts';

const env = { PATH: process.env.PATH ?? '' };
const PASSWORD = /[a-z0-9]{5}(?:-[a-z0-9]{5}){4}/;

/** Runs the executable on a terminal until its output contains a text. Returns the output. */
async function onTerminal(args: string[], awaited: string): Promise<string> {
  let shown = '';
  const child = Bun.spawn([EXECUTABLE, ...args], {
    env,
    terminal: {
      cols: 500,
      data(_terminal, bytes) {
        shown += Buffer.from(bytes).toString();
      },
    },
  });
  await until(() => shown.includes(awaited), { tell: () => shown });
  child.kill();
  await child.exited;
  return shown;
}

async function firstStart(data: string, workers?: number): Promise<ServerProcess> {
  const server = await startServer({ data, env, ...(workers !== undefined && { workers }) });
  await until(() => server.text.some((line) => line.startsWith('Password:')));
  return server;
}

describe.skipIf(IS_ON_SQLD)('a generated password', () => {
  it.each([undefined, 2])('is in a private file instead of the log of a first start (workers: %p)', async (workers) => {
    const data = join(await emptyFolder(), 'a folder');
    const server = await firstStart(data, workers);
    const file = join(data, 'passwords', 'user-1.txt');
    expect(server.text).toContain(
      `Password:       in ${file}   (delete that file when you have read it); change it with: repo user passwd admin`,
    );
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const password = (await readFile(file, 'utf8')).trim();
    expect(password).toMatch(PASSWORD);
    const as = { headers: { Authorization: `Basic ${btoa(`admin:${password}`)}` } };
    expect((await server.fetch('/jwt/token', as)).status).toBe(200);
    expect(await server.stop()).toBe(0);
    expect(
      [...server.text, ...server.log.map((line) => JSON.stringify(line)), ...server.complaints].join('\n'),
    ).not.toContain(password);
  });

  it('stays out of the commands of a first start, which work when they are pasted', async () => {
    const data = join(await emptyFolder(), 'a folder');
    const server = await firstStart(data);
    const commands = () => server.text.filter((line) => line.startsWith('  curl '));
    await until(() => commands().length === 3);
    const shell = Bun.spawn(['sh', '-ec', commands().join('\n')], { env, stdout: 'pipe', stderr: 'pipe' });
    const { code, out, err } = await outcomeOf(shell);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toContain('"title":[{"value":"My first object"}]');
    await server.stop();
  });

  it('is on the terminal of a first start, once', async () => {
    const data = join(await emptyFolder(), 'data');
    const port = `${await freePort()}`;
    const shown = await onTerminal(
      ['serve', '--data', data, '--port', port, '--log-level', 'error'],
      '/media?_format=json',
    );
    const [password = ''] = PASSWORD.exec(shown) ?? [];
    expect(shown).toContain(`Password:       ${password}   (shown only once); change it with: repo user passwd admin`);
    expect(shown.split(password)).toHaveLength(2);
    expect(shown).toContain('curl -sS -u admin -H');
    expect(await readdir(data)).not.toContain('passwords');
  });

  it('of a user who is added, or gets a new one, is in a private file unless standard output is a terminal', async () => {
    const data = join(await emptyFolder(), 'data');
    await (await firstStart(data)).stop();
    const run = (...args: string[]) =>
      outcomeOf(Bun.spawn([EXECUTABLE, ...args, '--data', data], { env, stdout: 'pipe', stderr: 'pipe' }));
    const file = join(data, 'passwords', 'user-2.txt');
    const added = await run('user', 'add', 'jane');
    expect(added).toEqual({
      code: 0,
      out: `Added jane, user 2.\nPassword: in ${file}   (delete that file when you have read it)\n`,
      err: '',
    });
    const first = await readFile(file, 'utf8');
    expect(first.trim()).toMatch(PASSWORD);
    expect((await run('user', 'passwd', 'jane')).out).toContain(`Password: in ${file}`);
    expect(await readFile(file, 'utf8')).not.toBe(first);
    expect(await onTerminal(['user', 'add', 'joe', '--data', data], 'shown only once')).toMatch(PASSWORD);
  });
});
