import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { type ConnectionOptions, connect } from 'node:tls';
import { createLog } from '../../../src/base/log.ts';
import { type OpenPort, openPort } from '../../../src/server/tls/open-port.ts';
import { makeCertificate } from '../../support/certificates.ts';

const KEY_TYPES = ['rsa', 'ec'] as const;
const ports = new Map<string, OpenPort>();
beforeAll(async () => {
  for (const keyType of KEY_TYPES) {
    const { cert, key } = await makeCertificate('localhost', { keyType });
    const current = { certText: cert, keyText: key } as never;
    const tls = { current, onChange() {}, async reload() {}, close() {} };
    const log = createLog({ level: 'silent', format: 'json' });
    const answer = async () => new Response('secure');
    ports.set(keyType, openPort({ host: '127.0.0.1', port: 0, tls, answer, log }));
  }
});
afterAll(() => Promise.all([...ports.values()].map((port) => port.stop(true))));

/** Returns the suite of a connection, or undefined if the server refuses it. */
function suiteWith(keyType: string, options: ConnectionOptions): Promise<string | undefined> {
  return new Promise((resolve) => {
    const port = ports.get(keyType)?.port ?? 0;
    const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false, ...options }, () => {
      resolve(socket.getCipher().name);
      socket.end();
    });
    socket.on('error', () => resolve(undefined));
  });
}

describe('a port with TLS', () => {
  it.each(['AES128-GCM-SHA256', 'AES256-GCM-SHA384', 'AES256-SHA'])(
    'refuses a suite of TLS 1.2 without forward secrecy: %s',
    async (ciphers) => {
      expect(await suiteWith('rsa', { maxVersion: 'TLSv1.2', ciphers })).toBeUndefined();
    },
  );

  it.each(['ECDHE-RSA-AES128-SHA', 'ECDHE-RSA-AES256-SHA'])(
    'refuses a suite of TLS 1.2 without authenticated encryption: %s',
    async (ciphers) => {
      expect(await suiteWith('rsa', { maxVersion: 'TLSv1.2', ciphers })).toBeUndefined();
    },
  );

  it.each([
    ['rsa', 'ECDHE-RSA-AES128-GCM-SHA256'],
    ['rsa', 'ECDHE-RSA-AES256-GCM-SHA384'],
    ['rsa', 'ECDHE-RSA-CHACHA20-POLY1305'],
    ['ec', 'ECDHE-ECDSA-AES128-GCM-SHA256'],
    ['ec', 'ECDHE-ECDSA-AES256-GCM-SHA384'],
    ['ec', 'ECDHE-ECDSA-CHACHA20-POLY1305'],
  ])('offers to a key of the type %s the suite %s', async (keyType, ciphers) => {
    expect(await suiteWith(keyType, { maxVersion: 'TLSv1.2', ciphers })).toBe(ciphers);
  });

  it.each(KEY_TYPES)('prefers TLS 1.3 with a key of the type %s', async (keyType) => {
    expect(await suiteWith(keyType, {})).toStartWith('TLS_');
  });

  it('refuses TLS 1.1', async () => {
    expect(await suiteWith('rsa', { minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1' })).toBeUndefined();
  });
});
