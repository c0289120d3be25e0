import { afterAll, describe, expect, it } from 'bun:test';
import { once } from 'node:events';
import { connect, type SecureVersion } from 'node:tls';
import { createLog } from '../../../../src/base/log.ts';
import { settlesWithin } from '../../../../src/base/settles-within.ts';
import { type ActiveCertificate, openCertificate } from '../../../../src/server/tls/active-certificate.ts';
import { type OpenPort, openPort } from '../../../../src/server/tls/open-port.ts';
import { makeCertificate, writeCertificate } from '../../../support/certificates.ts';
import { emptyFolder } from '../../../support/empty-folder.ts';
import { RESET, seenCertificate, startTlsLoad } from '../../../support/tls-clients.ts';

const issuer = await makeCertificate('Some CA');
const certificates = await Promise.all(['first', 'second'].map((subject) => makeCertificate(subject, { issuer })));
const [first, second] = certificates as [(typeof certificates)[0], (typeof certificates)[0]];
const ca = issuer.cert;
const DRAIN_MS = 200;
/** In four changes with eight clients that make a new connection for each request. */
const MOST_RESETS = 8;
const opened: OpenPort[] = [];
afterAll(() => Promise.all(opened.map((port) => port.stop(true))));

async function start(answer: () => Promise<Response> = async () => new Response('OK')) {
  const folder = await emptyFolder();
  const lines: Record<string, unknown>[] = [];
  const destination = { write: (line: string) => lines.push(JSON.parse(line)) };
  const log = createLog({ level: 'info', format: 'json', destination });
  const files = await writeCertificate(folder, first);
  const tls = await openCertificate({ files, log, tells: true, baseUrl: undefined });
  const port = openPort({ host: '127.0.0.1', port: 0, answer, tls, log, drainMs: DRAIN_MS });
  opened.push(port);
  return { folder, lines, tls, log, port };
}

const change = async (folder: string, tls: ActiveCertificate, to: typeof first) => {
  await writeCertificate(folder, to);
  await tls.reload(true);
};

function negotiated({ port }: OpenPort, version: SecureVersion): Promise<string | null> {
  return new Promise((resolve, reject) => {
    const versions = { minVersion: version, maxVersion: version };
    const socket = connect({ port, host: 'localhost', ca, ...versions }, () => {
      resolve(socket.getProtocol());
      socket.destroy();
    });
    socket.on('error', reject);
  });
}

describe('a port with TLS', () => {
  it('renews its certificate repeatedly, and resets few new connections', async () => {
    const { folder, tls, port } = await start();
    const load = startTlsLoad({ port: port.port, ca, fresh: 8, lasting: 4 });
    for (const [next, subject] of [
      [second, 'second'],
      [first, 'first'],
      [second, 'second'],
      [first, 'first'],
    ] as const) {
      await change(folder, tls, next);
      for (let times = 0; times < 10; times++) expect(await seenCertificate(port.port, ca)).toBe(subject);
    }
    await load.stop();
    expect(load.failures.filter((failure) => failure !== RESET)).toEqual([]);
    expect(load.failures.length).toBeLessThanOrEqual(MOST_RESETS);
    expect([...load.seen.keys()].sort()).toEqual(['first', 'second']);
    expect(load.asked).toBeGreaterThanOrEqual(4);
  });

  it('completes a response that began with the old certificate', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const body = () =>
      new ReadableStream<string>({
        async start(controller) {
          controller.enqueue('began ');
          await promise;
          controller.enqueue('ended');
          controller.close();
        },
      });
    const { folder, tls, port } = await start(async () => new Response(body()));
    const response = await fetch(`https://localhost:${port.port}/`, { tls: { ca } });
    await change(folder, tls, second);
    expect(await seenCertificate(port.port, ca)).toBe('second');
    // Waits until the server with the first one was told to stop.
    await change(folder, tls, first);
    resolve();
    expect(await response.text()).toBe('began ended');
  });

  it('cannot be opened by another server at any time', async () => {
    const { folder, tls, log, port } = await start();
    const again = () => openPort({ ...options, port: port.port });
    const options = { host: '127.0.0.1', answer: async () => new Response(), tls, log };
    expect(again).toThrow(`Port ${port.port} is in use already: choose another with --port.`);
    await change(folder, tls, second);
    expect(again).toThrow(`Port ${port.port} is in use already: choose another with --port.`);
    await port.stop(true);
    await expect(seenCertificate(port.port, ca)).rejects.toThrow();
  });

  it.each(['TLSv1.2', 'TLSv1.3'] as const)('speaks %s', async (version) => {
    const { port } = await start();
    expect(await negotiated(port, version)).toBe(version);
  });

  it.each(['TLSv1', 'TLSv1.1'] as const)('refuses %s', async (version) => {
    const { port } = await start();
    await expect(negotiated(port, version)).rejects.toThrow(/ALERT_PROTOCOL_VERSION/);
  });

  it('keeps its certificate when the files are invalid, and logs the reason', async () => {
    const { folder, tls, port, lines } = await start();
    await change(folder, tls, { ...second, key: first.key });
    await change(folder, tls, { cert: '', key: '' });
    expect(await seenCertificate(port.port, ca)).toBe('first');
    const errors = lines.filter(({ level }) => level === 'error').map(({ msg }) => msg);
    expect(errors).toEqual([
      expect.stringContaining(`${folder}/privkey.pem is not the key of the certificate in ${folder}/fullchain.pem`),
      expect.stringContaining('fullchain.pem holds no certificate in PEM'),
    ]);
    expect(errors[0]).toContain('the old one stays active, for localhost, valid until');
  });

  it('logs the names and expiry of its certificate, and whether it changed', async () => {
    const { folder, tls, lines } = await start();
    await tls.reload(true);
    await change(folder, tls, second);
    await tls.reload(false);
    expect(lines.map(({ msg }) => (msg as string).replace(/\d{4}-\d\d-\d\d/, 'DAY'))).toEqual([
      'TLS certificate for localhost, valid until DAY',
      'the TLS certificate is unchanged: for localhost, valid until DAY',
      'new connections get the new TLS certificate: for localhost, valid until DAY',
    ]);
    expect(lines[2]?.certificate).toMatchObject({ subject: 'CN=second', names: ['localhost'] });
  });

  it('ignores idle connections when it stops, and completes running requests', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const { port } = await start(async () => {
      begun.resolve();
      await promise;
      return new Response('ended');
    });
    const reserve = connect({ port: port.port, host: 'localhost', ca });
    await once(reserve, 'secureConnect');
    const running = fetch(`https://localhost:${port.port}/`, { tls: { ca } });
    await begun.promise;
    const stopping = port.stop();
    expect(await settlesWithin(stopping, DRAIN_MS)).toBe(false);
    resolve();
    expect(await (await running).text()).toBe('ended');
    expect(await settlesWithin(stopping, 5_000)).toBe(true);
    reserve.destroy();
  });

  it('stops at once during a renewal', async () => {
    const { folder, tls, port } = await start();
    const load = startTlsLoad({ port: port.port, ca, fresh: 0, lasting: 2 });
    const changing = change(folder, tls, second);
    await port.stop(true);
    await changing;
    await expect(seenCertificate(port.port, ca)).rejects.toThrow();
    await load.stop();
  });
});
