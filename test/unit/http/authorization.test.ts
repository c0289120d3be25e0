import { describe, expect, it } from 'bun:test';
import fc from 'fast-check';
import { bearerToken, type Credentials, readCredentials } from '../../../src/http/authorization.ts';

it.each([
  ['Bearer abc.def.ghi', 'abc.def.ghi'],
  ['bearer abc', 'abc'],
  ['BEARER   abc  ', 'abc'],
])('bearerToken finds the token in %p', (authorization, token) => {
  expect(bearerToken(authorization)).toBe(token);
});

it.each([
  [undefined],
  [''],
  ['Bearer'],
  ['Bearer '],
  ['Bearerabc'],
  ['Basic dXNlcjpwYXNz'],
  ['abc.def.ghi'],
  ['x Bearer abc'],
])('bearerToken finds no token in %p', (authorization) => {
  expect(bearerToken(authorization)).toBeUndefined();
});

const base64 = (text: string, encoding: BufferEncoding = 'utf8') => Buffer.from(text, encoding).toString('base64');
const read = (authorization?: string, jwtAuthorization?: string) =>
  readCredentials(
    new Headers({
      ...(authorization !== undefined && { Authorization: authorization }),
      ...(jwtAuthorization !== undefined && { 'JWT-Authorization': jwtAuthorization }),
    }),
  );
const basic = (name: string, password: string): Credentials => ({ type: 'basic', name, password });
const invalid = (scheme: string): Credentials => ({ type: 'invalid', scheme });

describe('the credentials of a request', () => {
  it.each<[string | undefined, Credentials]>([
    [undefined, { type: 'none' }],
    ['', { type: 'none' }],
    ['  ', { type: 'none' }],
    [`Basic ${base64('admin:geheim')}`, basic('admin', 'geheim')],
    [`bASIC   ${base64('admin:geheim')}  `, basic('admin', 'geheim')],
    [`Basic ${base64('admin:a:b::')}`, basic('admin', 'a:b::')],
    [`Basic ${base64('admin:')}`, basic('admin', '')],
    [`Basic ${base64('Zoë Ünal:pä$$ €')}`, basic('Zoë Ünal', 'pä$$ €')],
    [`Basic ${base64('Zoë:é', 'latin1')}`, basic('Zoë', 'é')],
    [`Basic ${base64('admin:ge').replace(/=+$/, '')}`, basic('admin', 'ge')],
    [`Basic ${base64('\ufeffadmin:x')}`, basic('\ufeffadmin', 'x')],
    ['Bearer abc.def-_ghi.x', { type: 'bearer', token: 'abc.def-_ghi.x' }],
    ['bearer   abc', { type: 'bearer', token: 'abc' }],
  ])('are read from %p', (authorization, credentials) => {
    expect(read(authorization)).toEqual(credentials);
  });

  it.each<[string, string]>([
    ['Basic', 'basic'],
    ['Basic ', 'basic'],
    ['Basic !!!!', 'basic'],
    ['Basic =', 'basic'],
    ['Basic YWRtaW46eA===', 'basic'],
    ['Basic YWRtaW46e', 'basic'],
    ['Basic YWRtaW46eQ=', 'basic'],
    ['Basic YWRt aW46eA==', 'basic'],
    [`Basic ${base64('admin:x')}, Basic ${base64('root:x')}`, 'basic'],
    [`Basic ${base64('no colon')}`, 'basic'],
    [`Basic ${base64(':no name')}`, 'basic'],
    [`Basic ${base64('admin:line\nbreak')}`, 'basic'],
    [`Basic ${base64('admin\u0000:x')}`, 'basic'],
    [`Basic ${base64(`admin:${'x'.repeat(20_000)}`)}`, 'basic'],
    ['Bearer', 'bearer'],
    ['Bearer a b', 'bearer'],
    ['Bearer "abc"', 'bearer'],
    ['Bearer a,b', 'bearer'],
    [`Bearer ${'x'.repeat(20_000)}`, 'bearer'],
    ['Digest username="admin"', 'digest'],
    ['Negotiate YII=', 'negotiate'],
    ['geheim', 'unknown'],
    ['gehe!m geheim', 'unknown'],
    ['eyJhbGciOiJSUzI1NiJ9.e30.c2ln', 'unknown'],
  ])('are marked as unreadable in %p', (authorization, scheme) => {
    expect(read(authorization)).toEqual(invalid(scheme));
  });

  it.each<[string | undefined, string, Credentials]>([
    [undefined, 'Bearer abc', { type: 'bearer', token: 'abc' }],
    [`Basic ${base64('proxy:pw')}`, 'Bearer abc', { type: 'bearer', token: 'abc' }],
    ['Bearer one', 'Bearer two', { type: 'bearer', token: 'two' }],
    [`Basic ${base64('admin:pw')}`, '', basic('admin', 'pw')],
    [undefined, 'abc', invalid('bearer')],
    [`Basic ${base64('admin:pw')}`, 'Bearer', invalid('bearer')],
    [undefined, `Basic ${base64('admin:pw')}`, invalid('bearer')],
  ])('are taken from JWT-Authorization first: %p, %p', (authorization, jwtAuthorization, credentials) => {
    expect(read(authorization, jwtAuthorization)).toEqual(credentials);
  });

  it('are returned as sent for any name and password', () => {
    const text = fc.string({ unit: 'grapheme' }).filter((part) => !/\p{Cc}/u.test(part) && part.isWellFormed());
    const name = text.filter((part) => part !== '' && !part.includes(':'));
    fc.assert(
      fc.property(name, text, (user, password) => {
        expect(read(`Basic ${base64(`${user}:${password}`)}`)).toEqual(basic(user, password));
      }),
    );
  });

  it('are read from any header without an exception, and never without a name', () => {
    const value = fc.string({ unit: fc.integer({ min: 0x20, max: 0xff }).map((code) => String.fromCharCode(code)) });
    const header = fc.oneof(
      value,
      value.map((text) => `Basic ${base64(text, 'latin1')}`),
      value.map((text) => `Basic ${text}`),
      value.map((text) => `Bearer ${text}`),
    );
    fc.assert(
      fc.property(header, header, (one, two) => {
        for (const credentials of [read(one), read(one, two)]) {
          if (credentials.type === 'basic') expect(credentials.name).toMatch(/^[^:]+$/);
          if (credentials.type === 'bearer') expect(credentials.token).toMatch(/^[\w.~+/-]+=*$/);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('are parsed quickly from headers of any length', () => {
    for (const hostile of [
      `Bearer ${' '.repeat(500_000)}`,
      `Basic ${'='.repeat(500_000)}`,
      `Bearer ${'='.repeat(500_000)}x`,
    ])
      expect(read(hostile).type).toBe('invalid');
  });
});
