import { describe, expect, it } from 'bun:test';
import { BUILT_IN, type BuiltInName } from '../../../src/field-types/registry.ts';
import type { Item } from '../../../src/model/content-model.ts';
import { plainValue } from '../../../src/transfer/table/cell-values.ts';
import { define } from './definitions.ts';

/** A value as a field keeps it, and its cell. */
const CELLS: [BuiltInName, Item, string][] = [
  ['string', { value: ' a b ' }, ' a b '],
  ['string_long', { value: 'a\nb' }, 'a\nb'],
  ['integer', { value: -12 }, '-12'],
  ['decimal', { value: '1.50' }, '1.50'],
  ['float', { value: 0.1 }, '0.1'],
  ['float', { value: 1e-7 }, '1e-7'],
  ['boolean', { value: true }, '1'],
  ['boolean', { value: false }, '0'],
  ['list_string', { value: 'red' }, 'red'],
  ['edtf', { value: '[1900..1910]' }, '[1900..1910]'],
  ['email', { value: 'a@example.org' }, 'a@example.org'],
  ['geolocation', { lat: 49.16667, lng: -123 }, '49.16667,-123'],
  ['geolocation', { lat: 0, lng: 0.0000001 }, '0,0.0000001'],
  ['geolocation', { lat: -1.25e-8, lng: 1 }, '-0.0000000125,1'],
  ['link', { uri: 'http://a.example/?b=1%20', title: null, options: [] }, 'http://a.example/?b=1%20'],
  ['link', { uri: 'internal:/node/1', title: 'One %% two', options: [] }, 'internal:/node/1%%One %% two'],
  [
    'authority_link',
    { source: 'viaf', uri: 'http://viaf.org/1', title: 'X', options: [] },
    'viaf%%http://viaf.org/1%%X',
  ],
  ['authority_link', { source: 'viaf', uri: 'http://viaf.org/1', title: null, options: [] }, 'viaf%%http://viaf.org/1'],
];

describe('a value in a cell', () => {
  it.each(CELLS)('of the type %s %j is written as %j', (type, item, cell) => {
    expect(BUILT_IN[type].writeCell(item)).toBe(cell);
  });

  it.each(CELLS)('of the type %s %j is read from its cell', (type, item, cell) => {
    expect(plainValue(cell, BUILT_IN[type], define(type), undefined)).toEqual([
      { item: expect.objectContaining(item) },
    ]);
  });
});
