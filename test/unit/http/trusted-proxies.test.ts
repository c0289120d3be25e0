import { describe, expect, it } from 'bun:test';
import fc from 'fast-check';
import {
  clientAddress,
  clientPath,
  networkOf,
  parseTrustedProxies,
  usualAddress,
} from '../../../src/http/trusted-proxies.ts';

describe('a list of trusted proxies', () => {
  const proxies = parseTrustedProxies(['10.0.0.0/8', '192.0.2.7', 'fd00::/8', '::1', '::ffff:198.51.100.1']);

  it.each([
    ['10.1.2.3', true],
    ['11.1.2.3', false],
    ['::ffff:10.1.2.3', true],
    ['192.0.2.7', true],
    ['192.0.2.8', false],
    ['198.51.100.1', true],
    ['fd12::1', true],
    ['fe80::1', false],
    ['::1', true],
    ['0:0:0:0:0:0:0:1', true],
    ['::1%lo', true],
    ['', false],
    ['10.1', false],
    ['0xa.1.2.3', false],
    ['unknown', false],
    [undefined, false],
  ])('contains %p: %p', (address, isTrusted) => {
    expect(proxies.isTrusted(address)).toBe(isTrusted);
  });

  it('trusts no peer when it is empty', () => {
    expect(parseTrustedProxies([]).isTrusted('127.0.0.1')).toBe(false);
  });

  it.each([
    '',
    'proxy.example',
    '10.0.0.0/33',
    '10.0.0/8',
    'fd00::/129',
    '10.0.0.0/',
    '::ffff:10.0.0.0/104',
    '0xa.0.0.1',
    '*',
    '10.0.0.1 10.0.0.2',
  ])('refuses the entry %p by name', (entry) => {
    expect(() => parseTrustedProxies(['::1', entry])).toThrow(
      new RangeError(`must be an address or a range such as 10.0.0.0/8 or fd00::/8, found "${entry}"`),
    );
  });
});

describe('the client', () => {
  const proxies = parseTrustedProxies(['10.0.0.0/8']);

  it.each<[string, string | undefined, string | undefined, string | undefined, number]>([
    ['is the peer without a proxy', '192.0.2.1', undefined, '192.0.2.1', 0],
    ['is the peer that only claims to be a proxy', '192.0.2.1', '203.0.113.9', '192.0.2.1', 0],
    ['is the address that the proxy reports', '10.0.0.1', '203.0.113.9', '203.0.113.9', 0],
    [
      'is the address that the outermost trusted proxy reports',
      '10.0.0.1',
      '203.0.113.9, 10.0.0.3, 10.0.0.2',
      '203.0.113.9',
      2,
    ],
    ['is not an address forged by the client', '10.0.0.1', '1.1.1.1, 203.0.113.9', '203.0.113.9', 0],
    ['is not a proxy forged by the client', '10.0.0.1', '1.1.1.1, 10.9.9.9, 203.0.113.9', '203.0.113.9', 0],
    ['is a trusted proxy if there is no other address', '10.0.0.1', '10.0.0.3, 10.0.0.2', '10.0.0.3', 2],
    ['is the proxy if it reports nothing', '10.0.0.1', undefined, '10.0.0.1', 0],
    ['is the proxy if it reports no address', '10.0.0.1', 'unknown', '10.0.0.1', 0],
    ['is the last known address', '10.0.0.1', '203.0.113.9, _hidden, 10.0.0.2', '10.0.0.2', 1],
    ['has no port', '10.0.0.1', '203.0.113.9:4711', '203.0.113.9', 0],
    ['has no brackets and no port', '10.0.0.1', '[2001:DB8::0:1]:4711', '2001:db8::1', 0],
    ['is written in canonical form', '::ffff:10.0.0.1', ' 2001:db8:0:0::1 ', '2001:db8::1', 0],
    ['is an IPv4 address if it is mapped to IPv6', '::ffff:192.0.2.1', undefined, '192.0.2.1', 0],
    ['is unknown on a Unix socket', undefined, '203.0.113.9', undefined, 0],
    ['is not taken from an empty list', '10.0.0.1', ', ,', '10.0.0.1', 0],
  ])('%s', (_, peer, forwardedFor, address, proxiesBehindPeer) => {
    const headers = new Headers(forwardedFor === undefined ? {} : { 'X-Forwarded-For': forwardedFor });
    expect(clientPath(headers, peer, proxies)).toEqual({ address: address as string, proxiesBehindPeer });
    expect(clientAddress(headers, peer, proxies)).toBe(address as string);
  });

  it('is found quickly in a very long list', () => {
    const headers = new Headers({ 'X-Forwarded-For': `${'10.0.0.2,'.repeat(50_000)}10.0.0.3` });
    expect(clientAddress(headers, '10.0.0.1', proxies)).toBe('10.0.0.2');
  });

  it('is an address or the peer for any header', () => {
    const part = fc.oneof(fc.ipV4(), fc.ipV6(), fc.string({ unit: 'grapheme-ascii' }), fc.constant('10.0.0.2'));
    fc.assert(
      fc.property(fc.array(part), (parts) => {
        const found = clientAddress(new Headers({ 'X-Forwarded-For': parts.join(',') }), '10.0.0.1', proxies);
        return found !== undefined && usualAddress(found) === found;
      }),
    );
  });
});

describe('the network of a client', () => {
  it.each([
    ['192.0.2.77', '192.0.2.0/24'],
    ['::ffff:192.0.2.77', '192.0.2.0/24'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1::/48'],
    ['fe80::1%eth0', 'fe80::/48'],
    ['unix', 'unix'],
    [undefined, ''],
  ])('of %p is %p', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });
});
