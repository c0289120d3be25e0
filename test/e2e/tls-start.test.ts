import { describe, expect, it } from 'bun:test';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeCertificate, writeCertificate } from '../support/certificates.ts';
import { outcomeOf } from '../support/command-outcome.ts';
import { emptyFolder } from '../support/empty-folder.ts';
import { EXECUTABLE, startServer } from '../support/server-process.ts';
import { seenCertificate } from '../support/tls-clients.ts';
import { until } from '../support/until.ts';

const made = await makeCertificate('first');
const other = await makeCertificate('second');
const PATH = process.env.PATH ?? '';
const COMMANDS = 'allowedMimeTypes: ["*"]\ncmdByMimeType: { default: { cmd: cat } }\n';

async function folderWith(certificate = made) {
  const folder = await emptyFolder();
  return { folder, ...(await writeCertificate(folder, certificate)) };
}

async function repo(args: string[], env: Record<string, string> = {}) {
  const cwd = await emptyFolder();
  const stdio = { stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' } as const;
  return outcomeOf(Bun.spawn([EXECUTABLE, ...args], { ...stdio, cwd, env: { PATH, ...env } }));
}

describe('repo serve', () => {
  it.each([
    ['a certificate alone', ['--tls-cert', 'a'], {}, '--tls-cert or REPO_TLS_CERT needs --tls-key or REPO_TLS_KEY'],
    ['a key alone', ['--tls-key', 'a'], {}, '--tls-key or REPO_TLS_KEY needs --tls-cert or REPO_TLS_CERT'],
    ['a variable alone', [], { REPO_TLS_CERT: 'a' }, 'needs --tls-key or REPO_TLS_KEY as well'],
    [
      'a processor with a key alone',
      ['--mode', 'processor', '--config', 'a', '--tls-key', 'a'],
      {},
      'needs --tls-cert',
    ],
    ['a redirect without TLS', ['--redirect-port', '80'], {}, '--redirect-port requires --tls-cert and --tls-key'],
    [
      'a redirect to a processor',
      ['--mode', 'processor', '--config', 'a', '--redirect-port', '80'],
      {},
      '--redirect-port has no effect with --mode processor',
    ],
    ['an invalid redirect port', ['--redirect-port', 'x'], {}, 'It must be a number from 0 to 65535'],
  ])('rejects %s', async (_, args, env, message) => {
    const { code, err } = await repo(['serve', ...args], env as Record<string, string>);
    expect(err).toContain(message);
    expect(code).toBe(2);
  });

  it('reports an unusable certificate in one sentence, and creates nothing', async () => {
    const { folder, cert, key } = await folderWith({ ...made, key: other.key });
    const outcome = await repo(['serve', '--data', join(folder, 'data'), '--tls-cert', cert, '--tls-key', key]);
    expect(outcome).toEqual({ code: 1, out: '', err: `${key} is not the key of the certificate in ${cert}\n` });
    const missing = await repo(['serve', '--workers', '2', '--tls-cert', cert, '--tls-key', join(folder, 'none')]);
    expect(missing.code).toBe(1);
    expect(missing.err).toContain(`${join(folder, 'none')}, the TLS key, cannot be read: no such file`);
    expect(await Bun.file(join(folder, 'data', 'repository.db')).exists()).toBe(false);
  });

  it.each([1, 2])('prints the base URL at the first start, with %d workers', async (workers) => {
    const { folder, cert, key } = await folderWith();
    const args = ['--mode', 'repository', '--data', join(folder, 'data'), '--tls-cert', cert, '--tls-key', key];
    const service = await startServer({
      workers,
      args: [...args, '--base-url', 'https://repository.example.org'],
      ca: made.cert,
    });
    await until(() => service.text.some((line) => line.includes('/node/1/media?_format=json')), { seconds: 20 });
    expect(service.text).toContain('Address:        https://repository.example.org');
    expect(service.text.join('\n')).not.toContain('https://localhost');
    // The log is for the administrator of this machine.
    await until(() => service.log.some(({ msg }) => msg === `ready at https://localhost:${service.port}`), {
      seconds: 20,
    });
    expect(await service.stop()).toBe(0);
  });

  it('serves the processor with TLS, and changes its certificate on SIGHUP', async () => {
    const { folder, cert, key } = await folderWith();
    const config = join(folder, 'commands.yaml');
    await writeFile(config, COMMANDS);
    const service = await startServer({
      mode: 'processor',
      config,
      args: ['--host', '127.0.0.1'],
      env: { PATH, REPO_TLS_CERT: cert, REPO_TLS_KEY: key },
      ca: `${made.cert}\n${other.cert}`,
    });
    const ready = `ready at https://127.0.0.1:${service.port}`;
    await until(() => service.log.some(({ msg }) => msg === ready), { seconds: 20 });
    expect(await seenCertificate(service.port, made.cert)).toBe('first');
    await writeCertificate(folder, other);
    service.kill('SIGHUP');
    await until(() => service.log.some(({ msg }) => `${msg}`.startsWith('new connections get the new')), {
      seconds: 20,
    });
    expect(await seenCertificate(service.port, other.cert)).toBe('second');
    expect(await service.stop()).toBe(0);
  });
});

describe('repo check-config', () => {
  const check = async (text: string) => {
    const file = join(await emptyFolder(), 'repository.yaml');
    await writeFile(file, text);
    return repo(['check-config', '--mode', 'repository', file]);
  };

  it('prints the names and expiry of a certificate, with warnings', async () => {
    const { cert, key } = await folderWith(await makeCertificate('short', { names: ['a.example.org'], days: 3 }));
    const config = `baseUrl: https://b.example.org\ntls: { cert: ${cert}, key: ${key}, redirectPort: 80 }\n`;
    const { code, out } = await check(config);
    expect(out).toContain('TLS certificate: for a.example.org, valid until ');
    expect(out).toContain(`warning: the certificate in ${cert} ends in 3 days`);
    expect(out).toContain(`warning: the certificate in ${cert} is not for b.example.org, the host of the base URL`);
    expect(code).toBe(0);
  });

  it('rejects an invalid TLS configuration', async () => {
    const { cert, key } = await folderWith({ cert: made.key, key: made.key });
    const swapped = await check(`tls: { cert: ${cert}, key: ${key} }\n`);
    expect(swapped).toMatchObject({ code: 1, err: expect.stringContaining('have certificate and key been swapped?') });
    const half = await check(`tls: { cert: ${cert} }\n`);
    expect(half).toMatchObject({ code: 1, err: expect.stringContaining('tls.key') });
    const wrong = await check(`tls: { cert: ${cert}, key: ${key}, redirectPort: eighty }\n`);
    expect(wrong).toMatchObject({ code: 1, err: expect.stringContaining('tls.redirectPort must be a port') });
  });
});
