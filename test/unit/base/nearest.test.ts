import { describe, expect, it } from 'bun:test';
import { nearest, nearestOf } from '../../../src/base/nearest.ts';

const KNOWN = ['args', 'cmd', 'contentType', 'timeout', 'maxConcurrent'];

it.each([
  ['arg', 'args'],
  ['CMD', 'cmd'],
  ['content_type', 'contentType'],
  ['maxconcurrent', 'maxConcurrent'],
  ['timeuot', 'timeout'],
])('nearest corrects %s to %s', (word, expected) => {
  expect(nearest(word, KNOWN)).toBe(expected);
});

it.each([['colour'], ['environment'], ['a long word that is like none of them']])(
  'nearest finds no match for %s',
  (word) => {
    expect(nearest(word, KNOWN)).toBeUndefined();
  },
);

it('nearest finds no match without known names', () => {
  expect(nearest('args', [])).toBeUndefined();
});

it('nearest prefers the closest match, and the first of equal ones', () => {
  expect(nearest('tast', ['taste', 'test', 'tast'])).toBe('tast');
  expect(nearest('tast', ['test', 'taste'])).toBe('test');
});

describe('the nearest entries', () => {
  const entries = ['Harbours', 'Harbour', 'Old harbour of Basel', 'Herring'].map((label) => ({ label }));

  it('resemble or contain the word, the most similar first', () => {
    const labels = (word: string, limit = 9) => nearestOf(word, entries, limit).map(({ label }) => label);
    expect(labels('harbour')).toEqual(['Harbour', 'Harbours', 'Old harbour of Basel']);
    expect(labels('habrour')).toEqual(['Harbour']);
    expect(labels('harbour', 1)).toEqual(['Harbour']);
    expect(labels('quartz')).toEqual([]);
  });
});
