import { describe, expect, it } from 'bun:test';
import { parseRemoteAddress } from '../../../../src/database/remote/remote-address.ts';

describe('the address of a libSQL server', () => {
  it.each([
    ['libsql://db.example.org', 'https://db.example.org'],
    ['libsql://db.example.org:8080?tls=0', 'http://db.example.org:8080'],
    ['libsql://db.example.org?tls=1', 'https://db.example.org'],
    ['http://127.0.0.1:8080', 'http://127.0.0.1:8080'],
    ['HTTPS://db.example.org/', 'https://db.example.org'],
    ['https://example.org/databases/one/', 'https://example.org/databases/one'],
    ['http://[::1]:8080', 'http://[::1]:8080'],
  ])('%p is %p', (url, base) => {
    expect(parseRemoteAddress(url, 'secret')).toEqual({ base, authToken: 'secret' });
  });

  it.each([
    ['', 'it is no libsql://, http:// or https:// address'],
    ['db.example.org', 'it is no libsql://, http:// or https:// address'],
    ['ws://db.example.org', 'it is no libsql://, http:// or https:// address'],
    ['http://', 'it is no libsql://, http:// or https:// address'],
    ['http://a b', 'it is no libsql://, http:// or https:// address'],
    ['http://example.org:port', 'it is no libsql://, http:// or https:// address'],
    ['libsql://example.org?tls=2', 'tls is 0 or 1, and for libsql:// alone'],
    ['https://example.org?tls=0', 'tls is 0 or 1, and for libsql:// alone'],
    ['libsql://example.org?colour=red', 'colour is not known there'],
    ['libsql://example.org?authToken=hush', 'give the token by REPO_DATABASE_AUTH_TOKEN'],
    ['https://user:hush@example.org', 'give the token by REPO_DATABASE_AUTH_TOKEN'],
  ])('%p is refused: %s', (url, reason) => {
    expect(() => parseRemoteAddress(url, undefined)).toThrow(reason);
  });

  it('is never shown with a token', () => {
    for (const url of ['libsql://example.org?authToken=hush', 'https://user:hush@example.org', 'http://a@b:hush@c'])
      expect(() => parseRemoteAddress(url, undefined)).toThrow(/^(?!.*hush).*$/);
  });
});
