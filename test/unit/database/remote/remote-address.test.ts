import { describe, expect, it } from 'bun:test';
import { parseRemoteAddress } from '../../../../src/database/remote/remote-address.ts';

describe('the parsed address of a libSQL server', () => {
  it.each([
    ['libsql://db.example.org', 'https://db.example.org'],
    ['libsql://db.example.org:8080?tls=0', 'http://db.example.org:8080'],
    ['libsql://db.example.org?tls=1', 'https://db.example.org'],
    ['http://127.0.0.1:8080', 'http://127.0.0.1:8080'],
    ['HTTPS://db.example.org/', 'https://db.example.org'],
    ['https://example.org/databases/one/', 'https://example.org/databases/one'],
    ['http://[::1]:8080', 'http://[::1]:8080'],
  ])('for %p is %p', (url, base) => {
    expect(parseRemoteAddress(url, 'secret')).toEqual({ base, authToken: 'secret' });
  });

  it.each([
    ['', 'it must begin with libsql://, http:// or https://'],
    ['db.example.org', 'it must begin with libsql://, http:// or https://'],
    ['ws://db.example.org', 'it must begin with libsql://, http:// or https://'],
    ['http://', 'it must begin with libsql://, http:// or https://'],
    ['http://a b', 'it must begin with libsql://, http:// or https://'],
    ['http://example.org:port', 'it must begin with libsql://, http:// or https://'],
    ['libsql://example.org?tls=2', 'tls must be 0 or 1, and requires libsql://'],
    ['https://example.org?tls=0', 'tls must be 0 or 1, and requires libsql://'],
    ['libsql://example.org?colour=red', 'unknown parameter colour'],
    ['libsql://example.org?authToken=hush', 'set the token with REPO_DATABASE_AUTH_TOKEN'],
    ['https://user:hush@example.org', 'set the token with REPO_DATABASE_AUTH_TOKEN'],
  ])('for %p is refused: %s', (url, reason) => {
    expect(() => parseRemoteAddress(url, undefined)).toThrow(reason);
  });

  it('shows no token in errors', () => {
    for (const url of ['libsql://example.org?authToken=hush', 'https://user:hush@example.org', 'http://a@b:hush@c'])
      expect(() => parseRemoteAddress(url, undefined)).toThrow(/^(?!.*hush).*$/);
  });
});
