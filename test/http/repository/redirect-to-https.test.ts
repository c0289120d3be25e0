import { afterAll, describe, expect, it } from 'bun:test';
import { createLog } from '../../../src/base/log.ts';
import type { OpenPort } from '../../../src/server/tls/open-port.ts';
import { openRedirectPort } from '../../../src/server/tls/open-port.ts';
import { speak } from '../../support/raw-http.ts';

const lines: string[] = [];
const log = createLog({ level: 'info', format: 'json', destination: { write: (text) => lines.push(text) } });
const opened: OpenPort[] = [];

function open(baseUrl?: string, tlsPort = 8443, isCertified = (_host: string) => true): number {
  const port = openRedirectPort({
    host: '127.0.0.1',
    port: 0,
    log,
    baseUrl,
    tlsPort,
    isCertified,
    processes: undefined,
  });
  opened.push(port);
  return port.port;
}

afterAll(() => Promise.all(opened.map((port) => port.stop(true))));

const port = open();
const ask = async (head: string, to = port) => (await speak(to, [`${head}\r\n\r\n`])).text;
const locationOf = (answer: string) => /^location: (.*)\r$/im.exec(answer)?.[1];

describe('the port that redirects to https', () => {
  it.each(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND'])(
    'redirects %s with 308',
    async (method) => {
      const answer = await ask(`${method} /node/1?_format=json&a=%2F%20b+c HTTP/1.1\r\nHost: repo.example.org`);
      expect(answer).toStartWith('HTTP/1.1 308 ');
      expect(locationOf(answer)).toBe('https://repo.example.org:8443/node/1?_format=json&a=%2F%20b+c');
      expect(answer).toMatch(/^connection: close\r$/im);
    },
  );

  it('answers before a large body arrives', async () => {
    const head = 'POST /node HTTP/1.1\r\nHost: a.example.org\r\nContent-Length: 1000000000\r\nExpect: 100-continue';
    expect(await ask(head)).toContain('HTTP/1.1 308 ');
  });

  it('omits the default port of https', async () => {
    const answer = await ask('GET / HTTP/1.1\r\nHost: repo.example.org', open(undefined, 443));
    expect(locationOf(answer)).toBe('https://repo.example.org/');
  });

  it.each([
    ['Repo.Example.org:80', 'https://repo.example.org:8443/a'],
    ['a', 'https://a:8443/a'],
    ['192.0.2.7:8080', 'https://192.0.2.7:8443/a'],
    ['[2001:DB8::1]:80', 'https://[2001:db8::1]:8443/a'],
  ])('uses the host %s without its port', async (host, location) => {
    expect(locationOf(await ask(`GET /a HTTP/1.1\r\nHost: ${host}`))).toBe(location);
  });

  it.each(['a@evil.example', 'a/../evil', 'a b', 'a\\evil', 'a?b', 'a#b', '%2e', 'a:99999', '[::1', 'a,b', '', '\x01'])(
    'refuses the host %j',
    async (host) => {
      const answer = await ask(`GET /a HTTP/1.1\r\nHost: ${host}`);
      expect(answer).toStartWith('HTTP/1.1 400 ');
      expect(locationOf(answer)).toBeUndefined();
    },
  );

  it('refuses two hosts or none', async () => {
    expect(await ask('GET / HTTP/1.1\r\nHost: a.example\r\nHost: b.example')).toStartWith('HTTP/1.1 400 ');
    expect(await ask('GET / HTTP/1.1')).toStartWith('HTTP/1.1 400 ');
    expect(await ask('GET / HTTP/1.0')).toStartWith('HTTP/1.1 400 ');
  });

  it('answers HTTP/1.0 with a host', async () => {
    const answer = await ask('GET /node/1 HTTP/1.0\r\nHost: repo.example.org');
    expect(locationOf(answer)).toBe('https://repo.example.org:8443/node/1');
  });

  it.each([
    ['//evil.example/x', 'https://repo.example.org:8443//evil.example/x'],
    ['http://evil.example/x', 'https://repo.example.org:8443/x'],
    ['/%0d%0aSet-Cookie:a=b', 'https://repo.example.org:8443/%0d%0aSet-Cookie:a=b'],
    ['/?next=http://evil.example', 'https://repo.example.org:8443/?next=http://evil.example'],
  ])('redirects to no other host for %s', async (target, location) => {
    const answer = await ask(`GET ${target} HTTP/1.1\r\nHost: repo.example.org`);
    expect(locationOf(answer)).toBe(location);
    expect(answer).not.toMatch(/^set-cookie/im);
  });

  it('ignores the headers of a proxy', async () => {
    const head = 'GET / HTTP/1.1\r\nHost: a.example\r\nX-Forwarded-Host: evil.example\r\nX-Forwarded-Proto: https';
    expect(locationOf(await ask(head))).toBe('https://a.example:8443/');
  });

  it('redirects every host to a base URL on https', async () => {
    const to = open('https://repository.example.org');
    const expected = 'https://repository.example.org/a?b';
    expect(locationOf(await ask('GET /a?b HTTP/1.1\r\nHost: evil.example', to))).toBe(expected);
    expect(locationOf(await ask('GET /a?b HTTP/1.1\r\nHost: a@evil', to))).toBe(expected);
    expect(locationOf(await ask('GET /a?b HTTP/1.0', to))).toBe(expected);
  });

  it('redirects every host to that of a base URL on http, and does not loop', async () => {
    for (const host of ['a.example', 'evil.example', '192.0.2.7']) {
      const answer = await ask(`GET /a HTTP/1.1\r\nHost: ${host}`, open('http://a.example:8000/base'));
      expect(locationOf(answer)).toBe('https://a.example:8443/a');
    }
  });

  it('redirects only hosts of the certificate without a base URL', async () => {
    const asked: string[] = [];
    const to = open(undefined, 443, (host) => asked.push(host) > 0 && host !== 'evil.example');
    const answer = await ask('GET /a HTTP/1.1\r\nHost: evil.example', to);
    expect(answer).toStartWith('HTTP/1.1 400 ');
    expect(locationOf(answer)).toBeUndefined();
    expect(locationOf(await ask('GET /a HTTP/1.1\r\nHost: repo.example.org:80', to))).toBe(
      'https://repo.example.org/a',
    );
    expect(locationOf(await ask('GET /a HTTP/1.1\r\nHost: [2001:DB8::1]', to))).toBe('https://[2001:db8::1]/a');
    expect(asked).toEqual(['evil.example', 'repo.example.org', '[2001:db8::1]']);
  });

  it('closes TLS connections and logs each request', async () => {
    const hello = new Uint8Array([0x16, 0x03, 0x01, 0x00, 0x05, 0x01, 0x00, 0x00, 0x01, 0x00]);
    expect((await speak(port, [hello, 'half-close'])).closed).toBe(true);
    await ask('GET /seen HTTP/1.1\r\nHost: a.example');
    expect(lines.map((line) => JSON.parse(line))).toContainEqual(
      expect.objectContaining({ part: 'redirect', path: '/seen', status: 308 }),
    );
  });
});
