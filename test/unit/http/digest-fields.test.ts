import { describe, expect, it } from 'bun:test';
import { checkDigest, formatDigest, parseDigests } from '../../../src/http/digest-fields.ts';
import { serviceError } from '../../support/service-error.ts';

// RFC 9530, appendix B.1: the digest of {"hello": "world"} and a line feed.
const BASE64 = 'RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg=';
const HEX = '44aff4ab2d7c3250525675a08f0cfa9591168cffe51791c5f5bbc417c15a6c38';
const OTHER = '0'.repeat(64);

describe('parseDigests', () => {
  it.each([
    ['alone', `sha-256=:${BASE64}:`],
    ['beside another', `sha-512=:AAAA:, sha-256=:${BASE64}:`],
    ['with parameters', `sha-256=:${BASE64}:;a=1;b, md5=:AAAA:`],
    ['twice, of which the last counts', `sha-256=:${Buffer.alloc(32).toString('base64')}:,sha-256=:${BASE64}:`],
  ])('reads a digest %s', (_, value) => {
    expect(parseDigests(new Headers({ 'Repr-Digest': value }))).toEqual([{ field: 'Repr-Digest', sha256: HEX }]);
    expect(parseDigests(new Headers({ 'Content-Digest': value }))).toEqual([{ field: 'Content-Digest', sha256: HEX }]);
  });

  it.each(['', 'sha-512=:AAAA:', 'unixsum=:AAAA:, md5=::'])('ignores unknown algorithms: %p', (value) => {
    expect(parseDigests(new Headers({ 'Content-Digest': value }))).toEqual([]);
  });

  it.each([
    `sha-256=${BASE64}`,
    `sha-256="${BASE64}"`,
    `sha-256=:${BASE64}`,
    `SHA-256=:${BASE64}:`,
    `sha-256=:${HEX}!:`,
    'sha-256',
    `sha-256=:${BASE64}:,`,
    `sha-256=:${BASE64}: sha-512=:AAAA:`,
    ',',
    'sha-256=:AAAA:',
    'sha-256=::',
    `sha-256=:${HEX}:`,
  ])('refuses %p', (value) => {
    expect(() => parseDigests(new Headers({ 'Content-Digest': value }))).toThrow(
      serviceError('malformed', /"Content-Digest" header/),
    );
  });

  it('takes linear time for a hostile header', () => {
    for (const piece of ['a=:A:,', 'a', ';', 'a=:', ' ']) {
      const headers = new Headers({ 'Repr-Digest': `x${piece.repeat(1_000_000)}` });
      expect(() => parseDigests(headers)).toThrow(serviceError('malformed', /./));
    }
  });
});

describe('checkDigest', () => {
  it('reports the header and the digest that differ', () => {
    const claimed = parseDigests(
      new Headers({ 'Content-Digest': formatDigest(HEX), 'Repr-Digest': formatDigest(OTHER) }),
    );
    expect(() => checkDigest(claimed, HEX)).toThrow(
      serviceError('malformed', /^The body does not match its digest: Repr-Digest is sha-256=:AAA.*RK\/0qy/),
    );
  });

  it('accepts correct and missing digests', () => {
    checkDigest([], HEX);
    checkDigest([{ field: 'Content-Digest', sha256: HEX }], HEX);
    expect(formatDigest(HEX)).toBe(`sha-256=:${BASE64}:`);
  });
});
