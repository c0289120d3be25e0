import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { readFileSync } from 'node:fs';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { makeCertificate, writeCertificate } from '../support/certificates.ts';
import { emptyFolder } from '../support/empty-folder.ts';
import { blocksOf, indentedBlocksOf, inPlace, paste, transcripts } from '../support/examples.ts';
import { freePort } from '../support/free-port.ts';
import { killAtExit } from '../support/kill-at-exit.ts';
import { EXECUTABLE } from '../support/server-process.ts';
import { PATIENCE_MS, testTranscripts } from '../support/shown-transcripts.ts';
import { seenCertificate } from '../support/tls-clients.ts';
import { until } from '../support/until.ts';

const PAGE = resolve(import.meta.dir, '../../docs/tls.md');
const PATH = `${dirname(EXECUTABLE)}:${process.env.PATH}`;
const HOST = 'repository.example.org';
const LIVE = `/etc/letsencrypt/live/${HOST}`;
const START_S = 60;
const CHANGE_S = 30;

const issuer = await makeCertificate('Some CA');
const make = (subject: string) => makeCertificate(subject, { issuer, names: [HOST, 'localhost'] });
/** Stands for systemctl in the hook of certbot: sends the signal to the same process. */
const SYSTEMCTL = `#!/bin/sh -e
test "$1 $2 $4" = 'kill --kill-whom=main repo'
kill -s "\${3#--signal=}" $(cat repo.pid)
`;

describe('docs/tls.md', async () => {
  const blocks = await blocksOf(PAGE);
  const [serve = '', hook = ''] = await indentedBlocksOf(PAGE);
  let folder: string;
  let port: number;
  let server: Bun.Subprocess | undefined;
  let places: Record<string, string>;

  const reader = () => {
    const env = { CURL_HOME: folder, REPO_ADMIN_PASSWORD: 'documentation' };
    return { cwd: folder, port: 0, path: `${folder}/bin:${PATH}`, env, places };
  };
  const run = (commands: string) => paste(commands, reader());
  const seen = () => seenCertificate(port, issuer.cert);

  beforeAll(
    async () => {
      folder = await emptyFolder();
      for (const name of ['bin', 'live']) await mkdir(join(folder, name));
      await writeCertificate(join(folder, 'live'), await make('first'));
      await writeFile(join(folder, 'ca.pem'), issuer.cert);
      await writeFile(join(folder, 'bin', 'systemctl'), SYSTEMCTL, { mode: 0o755 });
      const redirectPort = await freePort();
      port = await freePort();
      places = {
        '/srv/repo': join(folder, 'data'),
        [LIVE]: join(folder, 'live'),
        '--port 443': `--port ${port}`,
        '--redirect-port 80': `--redirect-port ${redirectPort}`,
      };
      // The reader's curl finds the host here, at the ports of this run.
      const hosts = [`${HOST}:443:127.0.0.1:${port}`, `${HOST}:80:127.0.0.1:${redirectPort}`];
      const lines = [`cacert = "${folder}/ca.pem"`, ...hosts.map((host) => `connect-to = "${host}"`)];
      await writeFile(join(folder, '.curlrc'), lines.join('\n'));
      const { path, env } = reader();
      const stdio = { stdin: 'ignore', stdout: Bun.file(join(folder, 'repo.log')), stderr: 'inherit' } as const;
      const command = ['sh', '-eu', '-c', `exec ${inPlace(serve, places)}`];
      server = Bun.spawn(command, { ...stdio, cwd: folder, env: { ...env, PATH: path } });
      killAtExit(server);
      await writeFile(join(folder, 'repo.pid'), `${server.pid}`);
      const isUp = async () => (await run(`curl -sf https://${HOST}/healthcheck`)).output === 'OK';
      await until(isUp, { seconds: START_S, tell: () => readFileSync(join(folder, 'repo.log'), 'utf8') });
    },
    2 * START_S * 1_000,
  );
  afterAll(async () => {
    server?.kill();
    await server?.exited;
  });

  testTranscripts(transcripts(blocks), reader);

  it('shows a command that starts a server with the certificate', async () => {
    expect(await seen()).toBe('first');
  });

  it('names settings and variables that check-config accepts', async () => {
    const page = await readFile(PAGE, 'utf8');
    const files: Record<string, string> = { cert: 'live/fullchain.pem', key: 'live/privkey.pem', redirectPort: '80' };
    const settings = [...page.matchAll(/`tls: \{ (\w+): … \}`/g)].map(([, name]) => `${name}: ${files[name ?? '']}`);
    const variables = [...page.matchAll(/\| `(REPO_TLS_(\w+))` \|/g)].map(
      ([, name, what = '']) => `${name}=${files[what.toLowerCase()]}`,
    );
    expect({ settings: settings.length, variables: variables.length }).toEqual({ settings: 3, variables: 2 });
    await writeFile(join(folder, 'settings.yaml'), `tls: { ${settings.join(', ')} }`);
    await writeFile(join(folder, 'empty.yaml'), '{}');
    const told = `TLS certificate: for ${HOST}, localhost, valid until `;
    for (const command of ['repo check-config settings.yaml', `${variables.join(' ')} repo check-config empty.yaml`])
      expect(await run(command)).toMatchObject({ code: 0, output: expect.stringContaining(told) });
  });

  it(
    'shows a certbot hook that loads the renewed certificate',
    async () => {
      await writeFile(join(folder, 'hook'), hook);
      await chmod(join(folder, 'hook'), 0o755);
      await writeCertificate(join(folder, 'live'), await make('second'));
      expect(await run('./hook')).toEqual({ code: 0, output: '', errors: '' });
      await until(async () => (await seen()) === 'second', { seconds: CHANGE_S });
    },
    PATIENCE_MS,
  );
});
