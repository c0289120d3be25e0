import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { createHash } from 'node:crypto';
import { connect } from 'node:tls';
import { makeCertificate } from '../support/certificates.ts';
import { freePort } from '../support/free-port.ts';
import { pause } from '../support/pause.ts';
import { speak } from '../support/raw-http.ts';
import { USE } from '../support/site-builder.ts';
import { sized } from '../support/size.ts';
import { ADMIN_PASSWORD, basic } from '../support/test-repository.ts';
import { RESET, seenCertificate, startTlsLoad } from '../support/tls-clients.ts';
import { ISSUER, startTlsSite, type TlsSite } from '../support/tls-site.ts';
import { until } from '../support/until.ts';

const FIRST = await makeCertificate('first', { issuer: ISSUER });
const SECOND = await makeCertificate('second', { issuer: ISSUER });
const THIRD = await makeCertificate('third', { issuer: ISSUER });
/** Longer than the time for which both certificates are in use. */
const LONG_S = sized(3, 14);
const PIECE = 256 * 1024;
const PIECES = 128;
/** Of eight clients that make a new connection for each request; docs/tls.md has the usual number. */
const MOST_RESETS = 4;
const CHANGED = 'new connections get the new TLS certificate';
const json = { 'Content-Type': 'application/json' };

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const random = () => crypto.getRandomValues(new Uint8Array(65_536));
const BYTES = Buffer.concat(Array.from({ length: (PIECE * PIECES) / 65_536 }, random));

/** Creates a node and answers the address at which a file is put to it. */
async function placeFor(site: TlsSite): Promise<string> {
  const { node, termId } = site.service.build;
  return `/node/${await node('binary', 'A title')}/media/file/${await termId(USE.original)}`;
}

/** Uploads the bytes to a node within `seconds`. Returns the address of the file. */
async function upload(site: TlsSite, name: string, seconds: number, onBegun = () => {}): Promise<string> {
  let piece = 0;
  const pieces = new ReadableStream<Uint8Array>({
    async pull(controller) {
      if (piece === PIECES) return controller.close();
      controller.enqueue(BYTES.subarray(piece * PIECE, (piece + 1) * PIECE));
      piece += 1;
      if (piece === 2) onBegun();
      if (seconds > 0) await pause((seconds * 1_000) / PIECES);
    },
  });
  const response = await site.fetch(await placeFor(site), {
    method: 'PUT',
    headers: { 'Content-Type': 'application/zip', 'Content-Location': `public://${name}` },
    body: pieces,
  });
  expect({ status: response.status, text: await response.text() }).toEqual({ status: 201, text: expect.any(String) });
  return `/sites/default/files/${name}`;
}

/** Returns the checksum of a file read within `seconds`. */
function download(site: TlsSite, path: string, seconds: number, onBegun = () => {}): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const socket = connect({ port: site.port, host: 'localhost', ca: ISSUER.cert }, () => {
      const authorization = `Authorization: ${basic('admin')}`;
      socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n${authorization}\r\nConnection: close\r\n\r\n`);
    });
    socket.once('data', onBegun);
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      length += chunk.length;
      socket.pause();
      void pause((chunk.length / BYTES.length) * seconds * 1_000).then(() => socket.resume());
    });
    socket.on('error', reject);
    socket.on('close', () => {
      const all = Buffer.concat(chunks, length);
      resolve(sha256(all.subarray(all.indexOf('\r\n\r\n') + 4)));
    });
  });
}

describe.each([
  ['one process', [] as string[]],
  ['two workers', ['--workers', '2']],
])('TLS, with %s', (_, args) => {
  let site: TlsSite;
  let processorPort: number;
  beforeAll(async () => {
    processorPort = await freePort();
    site = await startTlsSite(FIRST, [...args, '--processor-port', `${processorPort}`]);
  });
  afterAll(() => site.remove());

  /** Waits until all of many connections get a certificate: one worker has it before the other. */
  async function everywhere(name: string): Promise<void> {
    let inRow = 0;
    await until(
      async () => {
        // A connection that waits for a worker that changes over may be reset.
        inRow = (await site.seen().catch(() => undefined)) === name ? inRow + 1 : 0;
        return inRow === 20;
      },
      { seconds: 20, what: `20 connections in a row get ${name}` },
    );
  }

  it('uses https in all addresses', async () => {
    await site.logged(`ready at https://localhost:${site.port}`);
    // The parent of workers prints it after that line.
    const printed = `Address:        https://localhost:${site.port}`;
    await until(() => site.service.text.includes(printed), { seconds: 20, tell: () => site.service.text });
    expect(await (await site.fetch('/healthcheck')).text()).toBe('OK');
    const link = (await site.fetch('/user/1?_format=json')).headers.get('link');
    expect(link).toContain(`<https://localhost:${site.port}/user/1>; rel="canonical"`);
    expect(link).not.toContain('http://localhost');
    const body = JSON.stringify({ name: 'admin', pass: ADMIN_PASSWORD });
    const login = await site.fetch('/user/login?_format=json', {
      method: 'POST',
      headers: { ...json, Authorization: '' },
      body,
    });
    expect(login.status).toBe(200);
    expect(login.headers.get('set-cookie')).toMatch(/^SSESS.*; Secure;/);
  });

  it('logs the names and expiry of its certificate once', () => {
    const lines = site.service.log.filter(({ msg }) => /^TLS certificate for localhost, valid until/.test(`${msg}`));
    expect(lines.map(({ certificate }) => certificate)).toEqual([
      expect.objectContaining({ subject: 'CN=first', names: ['localhost'] }),
    ]);
  });

  it('redirects plain HTTP from its other port', async () => {
    const answer = await fetch(`http://localhost:${site.redirectPort}/node/1?a=b`, {
      method: 'POST',
      redirect: 'manual',
    });
    expect(answer.status).toBe(308);
    expect(answer.headers.get('location')).toBe(`https://localhost:${site.port}/node/1?a=b`);
  });

  it('applies to the port of the processor', async () => {
    const answer = await fetch(`https://localhost:${processorPort}/healthcheck`, { tls: { ca: ISSUER.cert } });
    expect(await answer.text()).toBe('OK');
  });

  it('closes plain HTTP connections on its port, and keeps serving', async () => {
    const { text, closed } = await speak(site.port, ['GET / HTTP/1.1\r\nHost: localhost\r\n\r\n']);
    expect({ isAnswered: text.includes('HTTP/'), closed }).toEqual({ isAnswered: false, closed: true });
    expect((await site.fetch('/healthcheck')).status).toBe(200);
  });

  it('changes the certificate under load without interrupted requests, and resets few new connections', async () => {
    const path = await upload(site, 'before.zip', 0);
    const load = startTlsLoad({ port: site.port, ca: ISSUER.cert, fresh: 8, lasting: 4 });
    await until(() => load.answers > 50, { seconds: 20 });
    const [reads, sends] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const running = [download(site, path, LONG_S, reads.resolve), upload(site, 'across.zip', LONG_S, sends.resolve)];
    await Promise.all([reads.promise, sends.promise]);
    await site.change(SECOND);
    await site.logged(CHANGED);
    await everywhere('second');
    await until(async () => (await seenCertificate(processorPort, ISSUER.cert)) === 'second', { seconds: 20 });
    const [downloaded, address] = await Promise.all(running);
    await load.stop();
    expect(load.failures.filter((failure) => failure !== RESET)).toEqual([]);
    expect(load.failures.length).toBeLessThanOrEqual(MOST_RESETS);
    expect(load.asked).toBeGreaterThan(0);
    expect([...load.seen.keys()].sort()).toEqual(['first', 'second']);
    expect(downloaded).toBe(sha256(BYTES));
    const answer = await site.fetch(address as string);
    expect(sha256(new Uint8Array(await answer.arrayBuffer()))).toBe(sha256(BYTES));
  }, 60_000);

  it('keeps its certificate if the next one is invalid, and loads a later valid one', async () => {
    await site.change({ cert: THIRD.cert, key: FIRST.key });
    await site.logged('the new TLS certificate is rejected');
    const line = site.service.log.find(({ level, msg }) => level === 'error' && `${msg}`.includes('rejected'));
    expect(line?.msg).toContain(`${site.folder}/tls/privkey.pem is not the key of the certificate in`);
    for (let times = 0; times < 10; times++) expect(await site.seen()).toBe('second');
    await site.change(THIRD);
    await until(() => site.service.log.filter(({ msg }) => `${msg}`.includes(CHANGED)).length === 2, { seconds: 20 });
    await everywhere('third');
  }, 60_000);

  it('stops after changes of its certificate', async () => {
    expect(await site.service.stop()).toBe(0);
    await expect(site.seen()).rejects.toThrow();
  });
});
