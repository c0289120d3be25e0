import { expect, it } from 'bun:test';
import { nearest } from '../../../src/base/nearest.ts';

const KNOWN = ['args', 'cmd', 'contentType', 'timeout', 'maxConcurrent'];

it.each([
  ['arg', 'args'],
  ['CMD', 'cmd'],
  ['content_type', 'contentType'],
  ['maxconcurrent', 'maxConcurrent'],
  ['timeuot', 'timeout'],
])('takes %s for %s', (word, expected) => {
  expect(nearest(word, KNOWN)).toBe(expected);
});

it.each([['colour'], ['environment'], ['a long word that is like none of them']])('has no guess for %s', (word) => {
  expect(nearest(word, KNOWN)).toBeUndefined();
});

it('has no guess where nothing is known', () => {
  expect(nearest('args', [])).toBeUndefined();
});

it('prefers the closest, and of equals the first', () => {
  expect(nearest('tast', ['taste', 'test', 'tast'])).toBe('tast');
  expect(nearest('tast', ['test', 'taste'])).toBe('test');
});
