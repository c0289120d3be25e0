import { afterEach, describe, expect, it } from 'bun:test';
import { once } from 'node:events';
import { connect } from 'node:net';
import { createLog } from '../../../src/base/log.ts';
import { ownDescriptors } from '../../../src/server/descriptors.ts';
import { openCertificate } from '../../../src/server/tls/active-certificate.ts';
import { type OpenPort, openPort } from '../../../src/server/tls/open-port.ts';
import { makeCertificate, writeCertificate } from '../../support/certificates.ts';
import { emptyFolder } from '../../support/empty-folder.ts';
import { until } from '../../support/until.ts';

const LIMIT = 80;
const MOST = 70;

let port: OpenPort;
let lines: { level: string; msg: string; limit?: number }[];
let open: number;
afterEach(() => port.stop(true));

async function start(isSecure: boolean, answer = async () => new Response('served')): Promise<() => Promise<string>> {
  [lines, open] = [[], 1];
  const destination = { write: (line: string) => lines.push(JSON.parse(line)) };
  const log = createLog({ level: 'warn', format: 'json', destination });
  const certificate = isSecure ? await makeCertificate('port') : undefined;
  const files = certificate && (await writeCertificate(await emptyFolder(), certificate));
  const tls = files && (await openCertificate({ files, log, tells: false, baseUrl: undefined }));
  port = openPort({ host: '127.0.0.1', port: 0, answer, tls, log, descriptors: { limit: LIMIT, count: () => open } });
  const url = `${isSecure ? 'https' : 'http'}://localhost:${port.port}/`;
  return async () => {
    const options = { keepalive: false, tls: { rejectUnauthorized: false } };
    return (await fetch(url, options)).text();
  };
}

function isRefused(): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port.port, '127.0.0.1', () => {
      socket.destroy();
      resolve(false);
    });
    socket.on('error', () => resolve(true));
  });
}

describe('a port whose process has nearly as many open files as it may have', () => {
  it.each([false, true])(
    'refuses connections until some have ended, and logs it once; with TLS: %p',
    async (isSecure) => {
      const ask = await start(isSecure);
      expect(await ask()).toBe('served');
      for (let shortage = 0; shortage < 2; shortage++) {
        open = MOST;
        await until(isRefused);
        open = MOST - 1;
        await until(async () => !(await isRefused()));
        expect(await ask()).toBe('served');
      }
      expect(lines.map(({ level, limit }) => ({ level, limit }))).toEqual([{ level: 'warn', limit: LIMIT }]);
    },
  );

  it('ends running requests as usual', async () => {
    const release = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const ask = await start(false, async () => {
      begun.resolve();
      await release.promise;
      return new Response('served late');
    });
    const running = ask();
    await begun.promise;
    open = LIMIT;
    await until(isRefused);
    release.resolve();
    expect(await running).toBe('served late');
  });

  it('closes connections without a request, and accepts others if that is enough', async () => {
    await start(false);
    const idle = connect(port.port, '127.0.0.1');
    idle.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await once(idle, 'data');
    const closed = once(idle, 'close');
    open = MOST;
    await closed;
    open = 1;
    await until(async () => !(await isRefused()));
  });

  it('closes connections with the beginning of a request', async () => {
    await start(false);
    const slow = connect(port.port, '127.0.0.1').resume();
    slow.write('GET / HTTP/1.1\r\nHost:');
    const closed = once(slow, 'close');
    open = MOST;
    await closed;
    open = 1;
    await until(async () => !(await isRefused()));
  });
});

it('counts the open files of this process', () => {
  const own = ownDescriptors();
  expect(own?.limit).toBeGreaterThan(own?.count() ?? Number.NaN);
  expect(own?.count()).toBeGreaterThan(3);
});
