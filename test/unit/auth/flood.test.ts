import { describe, expect, it } from 'bun:test';
import { addressIdentifier, type FloodVerdict, floodVerdict, userIdentifier } from '../../../src/auth/flood.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const NOW = 1_700_000_000_000;
/** Returns a number of failures, the latest at an age in milliseconds, each a minute before the next. */
const failures = (count: number, latestAgo = MINUTE) =>
  Array.from({ length: count }, (_, i) => NOW - latestAgo - i * MINUTE);
const allowed: FloodVerdict = { isAllowed: true };
const blocked = (event: 'login-by-user' | 'login-by-address', retryAfterSeconds: number): FloodVerdict => ({
  isAllowed: false,
  event,
  retryAfterSeconds,
});

describe('the verdict', () => {
  it.each<[string, number[], number[], FloodVerdict]>([
    ['nothing', [], [], allowed],
    ['four of the user', failures(4), [], allowed],
    ['five of the user', failures(5), [], blocked('login-by-user', 6 * 3600 - 5 * 60)],
    ['more than five', failures(9), [], blocked('login-by-user', 6 * 3600 - 5 * 60)],
    ['five, one of which is 6 h old', [...failures(4), NOW - 6 * HOUR], [], allowed],
    ['five, one of which is nearly 6 h old', [...failures(4), NOW - 6 * HOUR + 1], [], blocked('login-by-user', 1)],
    ['49 of the address', [], failures(49, 1), allowed],
    ['50 of the address', [], failures(50, 1), blocked('login-by-address', 660)],
    ['50, not all within the hour', [], failures(50, 12 * MINUTE), allowed],
    ['50 at this very moment', [], Array(50).fill(NOW), blocked('login-by-address', 3600)],
    ['both', failures(5), Array(50).fill(NOW), blocked('login-by-user', 6 * 3600 - 5 * 60)],
    ['both, the user soon free', failures(5, 6 * HOUR - 5 * MINUTE), failures(50, 1), blocked('login-by-address', 660)],
  ])('counts failures: %s', (_, user, address, verdict) => {
    expect(floodVerdict({ 'login-by-user': user, 'login-by-address': address }, NOW)).toEqual(verdict);
  });

  it('allows another attempt when the stated time is over', () => {
    const user = failures(5);
    const first = floodVerdict({ 'login-by-user': user, 'login-by-address': [] }, NOW);
    const waitMs = first.isAllowed ? 0 : first.retryAfterSeconds * 1000;
    expect(floodVerdict({ 'login-by-user': user, 'login-by-address': [] }, NOW + waitMs - 1000).isAllowed).toBe(false);
    expect(floodVerdict({ 'login-by-user': user, 'login-by-address': [] }, NOW + waitMs).isAllowed).toBe(true);
  });
});

describe('the identifier of an address', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002::1', '2001:db8:1:2::/64'],
    ['2001:db8:1:3::1', '2001:db8:1:3::/64'],
    ['::1', '::/64'],
    ['unknown', 'unknown'],
  ])('for %p is %p', (address, identifier) => {
    expect(addressIdentifier(address)).toBe(identifier);
  });
});

describe('the identifier of a user', () => {
  it('is the same for each spelling of the name and each address of a subscriber', () => {
    const one = userIdentifier('Zo\u00eb', '2001:db8::1');
    expect(userIdentifier('zoe\u0308', '2001:db8::2')).toBe(one);
  });

  it('differs with the name and with the address', () => {
    const all = [
      ['a', '1.1.1.1'],
      ['b', '1.1.1.1'],
      ['a', '1.1.1.2'],
      ['a"', '1.1.1.1'],
      ['', '1.1.1.1'],
    ];
    expect(new Set(all.map(([name = '', address = '']) => userIdentifier(name, address))).size).toBe(all.length);
  });

  it('is short and does not contain the name', () => {
    expect(userIdentifier('geheim'.repeat(10_000), '1.1.1.1')).toMatch(/^[\w-]{43}$/);
  });
});
