import { describe, expect, it } from 'bun:test';
import { Type } from '@sinclair/typebox';
import { checkShape, nameOf, withoutBadMembers } from '../../../src/base/check-shape.ts';

const SCHEMA = Type.Object(
  {
    name: Type.String({ minLength: 1, description: 'a name' }),
    size: Type.Optional(Type.Integer({ minimum: 1, maximum: 9, description: 'a whole number from 1 to 9' })),
    list: Type.Optional(Type.Array(Type.String({ description: 'text' }), { minItems: 1, description: 'a list' })),
    'a/b~c': Type.Optional(Type.Boolean({ description: 'true or false' })),
  },
  { additionalProperties: false, description: 'a map' },
);

const messagesOf = (value: unknown, at?: string[]) => checkShape(SCHEMA, value, at).map(({ message }) => message);

describe('checkShape', () => {
  it('returns no problem for a valid value', () => {
    expect(checkShape(SCHEMA, { name: 'x', size: 9, list: ['a'], 'a/b~c': true })).toEqual([]);
  });

  it.each([
    [{}, 'name is missing; it is a name'],
    [{ name: '' }, 'name must be a name, found ""'],
    [{ name: null }, 'name must be a name, found nothing'],
    [{ name: 5 }, 'name must be a name, found 5'],
    [{ name: [] }, 'name must be a name, found an empty list'],
    [{ name: [1] }, 'name must be a name, found a list'],
    [{ name: {} }, 'name must be a name, found an empty map'],
    [{ name: { a: 1 } }, 'name must be a name, found a map'],
    [{ name: 'x', size: 10 }, 'size must be a whole number from 1 to 9, found 10'],
    [{ name: 'x', size: 1.5 }, 'size must be a whole number from 1 to 9, found 1.5'],
    [{ name: 'x', size: '5' }, 'size must be a whole number from 1 to 9, found "5"'],
    [{ name: 'x', list: [] }, 'list must be a list, found an empty list'],
    [{ name: 'x', list: ['a', 2] }, 'list.1 must be text, found 2'],
    [{ name: 'x', 'a/b~c': 'yes' }, '"a/b~c" must be true or false, found "yes"'],
    [{ name: 'x', siez: 1 }, 'unknown key siez; did you mean size?'],
    [{ name: 'x', colour: 1 }, 'unknown key colour; known here: name, size, list, a/b~c'],
    ['text', 'the file must be a map, found "text"'],
    [null, 'the file must be a map, found nothing'],
  ])('reports for %j: %s', (value, message) => {
    expect(messagesOf(value)).toEqual([message]);
  });

  it('cuts a long value', () => {
    const [message] = messagesOf({ name: 'x', size: 'y'.repeat(500) });
    expect(message).toHaveLength('size must be a whole number from 1 to 9, found '.length + 58);
  });

  it('reports all problems together, each once with its location', () => {
    expect(checkShape(SCHEMA, { size: 0, nmae: 'x' }, ['top', 'image/*'])).toEqual([
      { path: ['top', 'image/*', 'name'], message: 'top."image/*".name is missing; it is a name' },
      { path: ['top', 'image/*', 'nmae'], message: 'unknown key top."image/*".nmae; did you mean name?' },
      { path: ['top', 'image/*', 'size'], message: 'top."image/*".size must be a whole number from 1 to 9, found 0' },
    ]);
  });
});

it('withoutBadMembers keeps the valid members', () => {
  const value = { name: 'x', size: 0, list: [1] };
  expect(withoutBadMembers(value, checkShape(SCHEMA, value, ['at']), ['at'])).toEqual({ name: 'x', list: [undefined] });
  expect(value).toEqual({ name: 'x', size: 0, list: [1] });
});

it.each([
  [[], 'the file'],
  [['a', 'b-c', '0'], 'a.b-c.0'],
  [['image/*', 'cmd'], '"image/*".cmd'],
])('nameOf writes the path %j as %s', (path, expected) => {
  expect(nameOf(path)).toBe(expected);
});
