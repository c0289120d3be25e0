import { expect, it } from 'bun:test';
import { bestConcreteType } from '../../../src/http/accept.ts';
import { serviceError } from '../../support/service-error.ts';

it.each([
  ['image/jpeg', 'image/jpeg'],
  ['IMAGE/JPEG', 'image/jpeg'],
  ['text/html; charset=utf-8', 'text/html'],
  ['text/html, image/png', 'text/html'],
  ['text/html;q=0.2, image/png;q=0.9', 'image/png'],
  ['image/*, image/png;q=0.1', 'image/png'],
  ['*/*, text/plain;q=0.5', 'text/plain'],
  ['image/png;q=0, image/jpeg;q=0.1', 'image/jpeg'],
  ['nonsense, image/png', 'image/png'],
  ['text/x;a="b,c/d", image/png', 'text/x'],
])('bestConcreteType chooses from %s the type %s', (accept, expected) => {
  expect(bestConcreteType(accept)).toBe(expected);
});

it.each([
  [undefined],
  [''],
  ['  '],
  ['*/*'],
  ['image/*'],
  ['image/*, */*;q=0.8'],
  ['image/png;q=0'],
  ['image/png; q=0.0'],
])('bestConcreteType returns undefined for %p', (accept) => {
  expect(bestConcreteType(accept)).toBeUndefined();
});

it.each([
  ['nonsense'],
  [','],
  ['nonsense;q=0.5'],
  ['text/html;q=high'],
  ['/'],
  ['a/b/c'],
  ['../x'],
  ['text/'],
  ['image/p(ng)'],
])('bestConcreteType refuses %p', (accept) => {
  expect(() => bestConcreteType(accept)).toThrow(serviceError('malformed', /^The Accept header /));
});
