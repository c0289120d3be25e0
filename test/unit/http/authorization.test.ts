import { expect, it } from 'bun:test';
import { bearerToken } from '../../../src/http/authorization.ts';

it.each([
  ['Bearer abc.def.ghi', 'abc.def.ghi'],
  ['bearer abc', 'abc'],
  ['BEARER   abc  ', 'abc'],
])('finds the token in %p', (authorization, token) => {
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
])('finds none in %p', (authorization) => {
  expect(bearerToken(authorization)).toBeUndefined();
});
