import { describe, expect, it } from 'bun:test';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { outcomeOf } from '../support/command-outcome.ts';
import { emptyFolder } from '../support/empty-folder.ts';
import { freePort } from '../support/free-port.ts';
import { EXECUTABLE, startServer } from '../support/server-process.ts';
import { until } from '../support/until.ts';
import { childrenOf, isRunning } from '../support/worker-site.ts';

async function serve(cwd: string, args: string[], env: Record<string, string> = {}) {
  const options = { cwd, env, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' } as const;
  return outcomeOf(Bun.spawn([EXECUTABLE, 'serve', '--log-level', 'silent', ...args], options));
}

describe('serve --workers', () => {
  it('runs several processes, prints one password, merges their logs, and stops all', async () => {
    const cwd = await emptyFolder();
    const service = await startServer({ cwd, workers: 2, env: { PATH: '/nonexistent' } });
    await until(() => service.text.some((line) => line.startsWith('Password:')));
    const pids = childrenOf(service.pid);
    expect(pids).toHaveLength(2);
    const files = service.text.flatMap((line) => /^Password: +in (\S+)/.exec(line)?.[1] ?? []);
    expect(files).toHaveLength(1);
    const password = (await readFile(files[0] ?? '', 'utf8')).trim();
    const headers = { Authorization: `Basic ${btoa(`admin:${password}`)}` };
    const workers = () => new Set(service.log.map(({ worker }) => worker).filter((worker) => worker !== undefined));
    // Who answers a new connection is the system's choice.
    for (let count = 0; count < 20; count++)
      expect((await fetch(`${service.url}/jwt/token`, { headers, keepalive: false })).status).toBe(200);
    await until(() => workers().size === 2);
    const ready = service.log.filter(({ msg }) => String(msg).startsWith('ready at'));
    expect(ready.map(({ mode, workers }) => ({ mode, workers }))).toEqual([{ mode: 'all', workers: 2 }]);
    expect(await service.stop()).toBe(0);
    expect(pids.filter(isRunning)).toEqual([]);
  });

  it('reports a port in use, even one that could be shared', async () => {
    const cwd = await emptyFolder();
    const taken = Bun.serve({ port: await freePort(), reusePort: true, fetch: () => new Response() });
    const args = ['--workers', '2', '--port', `${taken.port}`];
    const err = `Port ${taken.port} is in use already: choose another with --port.\n`;
    expect(await serve(cwd, args)).toEqual({ code: 1, out: '', err });
    await taken.stop(true);
    expect(await readdir(cwd)).toEqual([]);
  });

  it('reports once an error that stops every worker from starting', async () => {
    const cwd = await emptyFolder();
    await writeFile(join(cwd, 'data'), '');
    const { code, err } = await serve(cwd, ['--workers', '3', '--port', `${await freePort()}`]);
    expect({ code, err }).toEqual({ code: 1, err: expect.stringMatching(/^\S*data.* cannot be used: .*\.\n$/) });
  });

  it.each([
    [['--workers', '0'], {}, "repo: invalid value '0' for --workers. It must be a number from 1 to 256, or auto.\n"],
    [
      [],
      { REPO_WORKERS: 'many' },
      "repo: invalid value 'many' for REPO_WORKERS. It must be a number from 1 to 256, or auto.\n",
    ],
    [
      ['--mode', 'processor', '--config', 'c.yaml', '--workers', '2'],
      {},
      'repo: --workers has no effect with --mode processor\n',
    ],
  ])('rejects %j with %j', async (args, env, message) => {
    const { code, err } = await serve(await emptyFolder(), args, env as Record<string, string>);
    expect({ code, message: err.split('See ')[0] }).toEqual({ code: 2, message });
  });
});
