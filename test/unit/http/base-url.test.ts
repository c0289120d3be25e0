import { describe, expect, it } from 'bun:test';
import fc from 'fast-check';
import { ServiceError } from '../../../src/base/errors.ts';
import { createFindBaseUrl, parseBaseUrl } from '../../../src/http/base-url.ts';
import { parseTrustedProxies } from '../../../src/http/trusted-proxies.ts';
import { serviceError } from '../../support/service-error.ts';

const proxies = parseTrustedProxies(['10.0.0.0/8']);
const find = createFindBaseUrl({ proxies });
const request = (headers: Record<string, string>, url = 'http://localhost/node/1') => new Request(url, { headers });

describe('the base URL', () => {
  it.each([
    ['repo.example.org', 'http://repo.example.org'],
    ['REPO.Example.org:8000', 'http://repo.example.org:8000'],
    ['repo.example.org.', 'http://repo.example.org'],
    ['repo.example.org:80', 'http://repo.example.org'],
    ['repo.example.org:443', 'http://repo.example.org:443'],
    ['repo.example.org:', 'http://repo.example.org'],
    ['repo', 'http://repo'],
    ['my_host:1', 'http://my_host:1'],
    ['127.0.0.1:8000', 'http://127.0.0.1:8000'],
    ['[::1]:8000', 'http://[::1]:8000'],
    ['[2001:DB8:0::1]', 'http://[2001:db8::1]'],
  ])('for Host: %s is %s', (host, baseUrl) => {
    expect(find(request({ host }), '192.0.2.1')).toBe(baseUrl);
    expect(find(request({ host }), undefined)).toBe(baseUrl);
  });

  it('is taken from the URL without a Host header', () => {
    expect(find(request({}, 'http://localhost:8000/node/1?x=http://evil'), undefined)).toBe('http://localhost:8000');
    expect(find(request({}, 'https://localhost/'), undefined)).toBe('https://localhost');
  });

  it.each([
    '',
    'a b',
    'evil.example/path',
    'evil.example?x',
    'evil.example#x',
    'evil.example\\x',
    'user@evil.example',
    'a"b',
    "a'b",
    '<script>',
    'a,b',
    'a..b',
    '.a',
    '.',
    'a:0',
    'a:65536',
    'a:123456',
    'a:8x',
    'a:80:80',
    '::1',
    '[::1',
    '[zz]',
    '[::1]x',
    '[1:2:3:4:5:6:7:8:9]',
    '%61.example',
    'b\u00fccher.example',
    'a'.repeat(261),
  ])('is refused for Host: %p', (host) => {
    expect(() => find(request({ host }), '192.0.2.1')).toThrow(
      serviceError('malformed', /^The Host header .*not name a host/),
    );
  });
});

describe('a proxy', () => {
  it.each<[string, Record<string, string>, string]>([
    ['that sends the scheme', { 'X-Forwarded-Proto': 'https' }, 'https://inner:8000'],
    ['that sends the host', { 'X-Forwarded-Host': 'repo.example.org' }, 'http://repo.example.org'],
    [
      'that sends both',
      { 'X-Forwarded-Proto': 'HTTPS', 'X-Forwarded-Host': 'repo.example.org' },
      'https://repo.example.org',
    ],
    [
      'on an unusual port',
      { 'X-Forwarded-Proto': 'https', 'X-Forwarded-Host': 'repo.example.org', 'X-Forwarded-Port': '8443' },
      'https://repo.example.org:8443',
    ],
    [
      'that sends the port with the host',
      { 'X-Forwarded-Host': 'repo.example.org:8443', 'X-Forwarded-Port': '9999', 'X-Forwarded-Proto': 'https' },
      'https://repo.example.org:8443',
    ],
    [
      'that sends the port of its own connection',
      { 'X-Forwarded-Proto': 'https', 'X-Forwarded-Host': 'repo.example.org', 'X-Forwarded-Port': '80' },
      'https://repo.example.org',
    ],
    [
      'that appends to headers of the client',
      {
        'X-Forwarded-Proto': 'http, https',
        'X-Forwarded-Host': 'evil.example, repo.example.org',
        'X-Forwarded-For': '203.0.113.9',
      },
      'https://repo.example.org',
    ],
    [
      'behind another, both appending',
      {
        'X-Forwarded-Proto': 'gopher, https, http',
        'X-Forwarded-Host': 'evil.example, repo.example.org, inner',
        'X-Forwarded-For': '1.1.1.1, 203.0.113.9, 10.0.0.2',
      },
      'https://repo.example.org',
    ],
    [
      'behind another, both replacing',
      {
        'X-Forwarded-Proto': 'https',
        'X-Forwarded-Host': 'repo.example.org',
        'X-Forwarded-For': '203.0.113.9, 10.0.0.2',
      },
      'https://repo.example.org',
    ],
    ['that sends nothing', {}, 'http://inner:8000'],
    [
      'with empty headers',
      { 'X-Forwarded-Proto': '', 'X-Forwarded-Host': ' ', 'X-Forwarded-Port': '' },
      'http://inner:8000',
    ],
    [
      'that passes on unsupported headers',
      { Forwarded: 'host=evil', 'X-Forwarded-Prefix': '/evil' },
      'http://inner:8000',
    ],
  ])('%s leads to the right base URL', (_, headers, baseUrl) => {
    expect(find(request({ host: 'inner:8000', ...headers }), '10.0.0.1')).toBe(baseUrl);
  });

  it.each(['192.0.2.1', undefined, '::1', ''])('that is not trusted has no influence: %p', (peer) => {
    const headers = {
      host: 'inner:8000',
      'X-Forwarded-Proto': 'https',
      'X-Forwarded-Host': 'evil',
      'X-Forwarded-Port': '9',
    };
    expect(find(request(headers), peer)).toBe('http://inner:8000');
  });

  it.each<[Record<string, string>, RegExp]>([
    [{ 'X-Forwarded-Proto': 'javascript' }, /^The X-Forwarded-Proto header must be http or https/],
    [{ 'X-Forwarded-Proto': 'https, ' }, /^The X-Forwarded-Proto header must be http or https/],
    [{ 'X-Forwarded-Host': 'evil/path' }, /X-Forwarded-Host of the proxy\) does not name a host/],
    [{ 'X-Forwarded-Host': 'a, ' }, /does not name a host/],
    [{ 'X-Forwarded-Port': '0' }, /^The X-Forwarded-Port header must be a port/],
    [{ 'X-Forwarded-Port': '80/x' }, /^The X-Forwarded-Port header must be a port/],
    [{ 'X-Forwarded-Port': '-1' }, /^The X-Forwarded-Port header must be a port/],
  ])('that sends invalid headers is refused: %p', (headers, sentence) => {
    expect(() => find(request({ host: 'inner', ...headers }), '10.0.0.1')).toThrow(serviceError('malformed', sentence));
  });
});

it('findBaseUrl returns nothing but an origin for any request', () => {
  const text = fc.oneof(
    fc.string({ unit: fc.integer({ min: 0x20, max: 0xff }).map((code) => String.fromCharCode(code)) }),
    fc.domain(),
    fc.ipV6().map((address) => `[${address}]`),
    fc.stringMatching(/^[a-z.:[\]0-9-]{0,12}$/),
    fc.constantFrom('http', 'https', '443', '80'),
  );
  fc.assert(
    fc.property(text, text, text, text, (host, proto, forwardedHost, port) => {
      const headers = { host, 'X-Forwarded-Proto': proto, 'X-Forwarded-Host': forwardedHost, 'X-Forwarded-Port': port };
      for (const [sent, peer] of [
        [{ host }, undefined],
        [headers, '10.0.0.1'],
      ] as const) {
        try {
          expect(find(request(sent), peer)).toMatch(/^https?:\/\/([a-z0-9._-]+|\[[0-9a-f:.]+\])(:\d{1,5})?$/);
        } catch (error) {
          if (!(error instanceof ServiceError) || error.kind !== 'malformed') throw error;
        }
      }
    }),
    { numRuns: 1_000 },
  );
});

it('findBaseUrl distinguishes each combination of scheme, host and port', () => {
  const behind = (proto: string, host: string, port: string) =>
    find(request({ host, 'X-Forwarded-Proto': proto, 'X-Forwarded-Port': port }), '10.0.0.1');
  for (let round = 0; round < 2; round += 1) {
    expect(behind('https', 'a', '8')).toBe('https://a:8');
    expect(behind('http', 'a', '8')).toBe('http://a:8');
    expect(behind('https', 'a', '80')).toBe('https://a');
    expect(behind('https', 'a:80', '')).toBe('https://a:80');
  }
});

it('findBaseUrl handles thousands of different hosts', () => {
  for (let i = 0; i < 5_000; i += 1) expect(find(request({ host: `h${i}` }), undefined)).toBe(`http://h${i}`);
  expect(find(request({ host: 'h0' }), undefined)).toBe('http://h0');
});

describe('a configured base URL', () => {
  it('applies to every request, even with an invalid Host', () => {
    const configured = createFindBaseUrl({ baseUrl: 'https://Repo.example.org:443/base/', proxies });
    expect(configured(request({ host: 'a b' }), '10.0.0.1')).toBe('https://repo.example.org/base');
    expect(configured(request({ 'X-Forwarded-Host': 'evil' }), '10.0.0.1')).toBe('https://repo.example.org/base');
  });

  it.each([
    ['http://localhost', 'http://localhost'],
    ['http://localhost:8000//', 'http://localhost:8000'],
    ['https://[::1]/a/b', 'https://[::1]/a/b'],
  ])('%p is kept as %p', (text, baseUrl) => {
    expect(parseBaseUrl(text)).toBe(baseUrl);
  });

  it.each([
    '',
    'repo.example.org',
    '//repo.example.org',
    'ftp://a',
    'file:///a',
    'http://',
    'http://a?x',
    'http://a#',
    'http://u:p@a',
  ])('%p is refused', (text) => {
    expect(() => parseBaseUrl(text)).toThrow(`must be a URL such as https://repository.example.org, found "${text}"`);
  });
});
