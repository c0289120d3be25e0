import { describe, expect, it } from 'bun:test';
import { BUILT_IN } from '../../../src/field-types/registry.ts';
import { answered, CONTEXT, define, lines, parsed } from './definitions.ts';

describe.each(['string', 'string_long'] as const)('%s', (type) => {
  it.each([
    ['a title', 'a title'],
    [5, '5'],
    [1.5, '1.5'],
    [true, '1'],
    [false, '0'],
    [' ', ' '],
  ])('keeps %j as %j', (value, expected) => {
    expect(parsed({ value }, define(type))).toEqual([{ value: expected }]);
    expect(parsed(value, define(type))).toEqual([{ value: expected }]);
  });

  it.each([{}, { value: '' }, { value: null }, { foo: 1 }, null, ''])('drops the empty item %j', (raw) => {
    expect(parsed(raw, define(type))).toEqual([]);
  });

  it('drops unknown members', () => {
    expect(parsed({ value: 'x', foo: 1, url: '/x' }, define(type))).toEqual([{ value: 'x' }]);
  });

  it.each([[['x']], [{ a: 'x' }], [[]]])('reports the value %j, which is not text', (value) => {
    expect(lines({ value }, define(type))).toEqual([
      'field_x.0.value: This value should be of the correct primitive type.',
    ]);
  });

  it('counts characters, not UTF-16 units', () => {
    const definition = define(type, { maxLength: 3, label: 'Title' });
    expect(lines({ value: '😀😀😀' }, definition)).toEqual([]);
    expect(lines({ value: '😀😀😀a' }, definition)).toEqual([
      'field_x.0.value: Title: may not be longer than 3 characters.',
    ]);
  });

  it('accepts a megabyte without a limit, and rejects it with one', () => {
    const value = 'é'.repeat(1_000_000);
    expect(parsed({ value }, define(type))).toEqual([{ value }]);
    expect(lines({ value }, define(type, { maxLength: 255 }))).toEqual([
      'field_x.0.value: X: may not be longer than 255 characters.',
    ]);
  });

  it.each([
    ['a\u0000b', 'U+0000'],
    ['a\ud800b', 'U+D800'],
    ['\udc00', 'U+DC00'],
  ])('refuses %j, which cannot be stored', (value, character) => {
    expect(lines({ value }, define(type))).toEqual([
      `field_x.0.value: The character ${character} cannot be stored. Remove it.`,
    ]);
  });
});

describe.each(['text', 'text_long'] as const)('%s', (type) => {
  it('returns the processed text', () => {
    const sent = { value: '<i>x</i>', format: 'basic_html', processed: 'nonsense' };
    expect(parsed(sent, define(type))).toEqual([{ value: '<i>x</i>', format: 'basic_html' }]);
    const [item] = answered(sent, define(type));
    expect(item).toEqual({ value: '<i>x</i>', format: 'basic_html', processed: '<basic_html><i>x</i>' });
    expect(Object.keys(item ?? {})).toEqual(['value', 'format', 'processed']);
  });

  it.each([[undefined], [null], ['']])('reads the format %j as null', (format) => {
    const sent = format === undefined ? { value: 'x' } : { value: 'x', format };
    expect(answered(sent, define(type))).toEqual([{ value: 'x', format: null, processed: '<null>x' }]);
    expect(lines(sent, define(type))).toEqual([]);
  });

  it.each([['nope'], ['constructor'], [5], [{}], [['basic_html']]])('refuses the format %j', (format) => {
    expect(lines({ value: 'x', format }, define(type))).toEqual([
      'field_x.0.format: The value you selected is not a valid choice.',
    ]);
  });

  it('is empty without a value in any format', () => {
    expect(parsed({ value: '', format: 'basic_html' }, define(type))).toEqual([]);
  });

  it('limits the source text, not the processed text', () => {
    expect(lines({ value: 'abcd' }, define(type, { maxLength: 3 }))).toEqual([
      'field_x.0.value: X: may not be longer than 3 characters.',
    ]);
  });
});

describe('text_with_summary', () => {
  const definition = define('text_with_summary');

  it('returns its members in the order of the API', () => {
    const [item] = answered({ summary: 's', value: 'x', format: 'basic_html' }, definition);
    expect(JSON.stringify(item)).toBe('{"value":"x","format":"basic_html","processed":"<basic_html>x","summary":"s"}');
  });

  it('may consist of a summary only', () => {
    expect(answered({ summary: 's' }, definition)).toEqual([
      { value: null, format: null, processed: '', summary: 's' },
    ]);
    expect(lines({ summary: 's' }, definition)).toEqual([]);
  });

  it('is empty without a value and a summary', () => {
    expect(parsed({ value: '', summary: null, format: 'basic_html' }, definition)).toEqual([]);
  });

  it('reports a summary that is not text', () => {
    expect(lines({ value: 'x', summary: {} }, definition)).toEqual([
      'field_x.0.summary: This value should be of the correct primitive type.',
    ]);
  });
});

it('text_long completes a null value with an empty processed text', () => {
  const item = { value: null, format: null };
  expect(BUILT_IN.text_long.complete(item, define('text_long'), CONTEXT)).toEqual({
    value: null,
    format: null,
    processed: '',
  });
});
