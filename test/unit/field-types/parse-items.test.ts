import { describe, expect, it } from 'bun:test';
import { ServiceError } from '../../../src/base/errors.ts';
import type { JsonValue } from '../../../src/base/json.ts';
import { parseItems } from '../../../src/field-types/parse-items.ts';
import { builtInTypes } from '../../../src/field-types/registry.ts';
import { define } from './definitions.ts';

const TITLE = define('string', { name: 'title' });

function refusal(raw: JsonValue, definition = TITLE): unknown {
  try {
    return parseItems(raw, definition, builtInTypes);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return `${error.kind}: ${error.publicMessage}`;
  }
}

describe('parseItems', () => {
  it.each<[JsonValue, string[]]>([
    [
      [{ value: 'a' }, { value: 'b' }],
      ['a', 'b'],
    ],
    [
      ['a', { value: 'b' }, 5],
      ['a', 'b', '5'],
    ],
    [{ value: 'a' }, ['a']],
    [[], []],
    [null, []],
    [[null, '', {}, { value: null }, { value: 'a' }], ['a']],
  ])('reads %j', (raw, values) => {
    expect(parseItems(raw, TITLE, builtInTypes)).toEqual(values.map((value) => ({ value })));
  });

  it.each<[JsonValue]>([['x'], [''], [5], [true], [false]])('refuses %j in place of a list', (raw) => {
    expect(refusal(raw)).toBe('unprocessable: Field values for "title" must use an array structure');
  });

  it('refuses a list in place of an item', () => {
    expect(refusal([{ value: 'a' }, ['b']])).toBe('unprocessable: The item "title.1" must be an object, found a list.');
  });

  it('refuses a bare value if an item has no main member', () => {
    expect(refusal(['x'], define('geolocation'))).toBe(
      'unprocessable: The item "field_x.0" must be an object, found a bare value.',
    );
  });

  it('refuses excessive nesting', () => {
    const depth = 50_000;
    const deep = JSON.parse(`{"uri":"http://x.org","options":${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}}`);
    expect(refusal([deep], define('link'))).toBe(
      'unprocessable: The item "field_x.0" is nested more than 16 levels deep.',
    );
  });

  it('accepts a bare bundle name, but no other bare value', () => {
    const type = define('entity_reference', { name: 'type', targetType: 'node_type' });
    expect(parseItems('islandora_object', type, builtInTypes)).toEqual([{ target_id: 'islandora_object' }]);
    expect(parseItems('', type, builtInTypes)).toEqual([]);
    expect(refusal(5, type)).toBe('unprocessable: Field values for "type" must use an array structure');
    expect(refusal('5', define('entity_reference', { name: 'uid', targetType: 'user' }))).toBe(
      'unprocessable: Field values for "uid" must use an array structure',
    );
  });

  it('ignores members named like a prototype', () => {
    const raw = JSON.parse('[{"__proto__":{"value":"evil"},"constructor":{"prototype":{}},"value":"a"}]');
    expect(parseItems(raw, TITLE, builtInTypes)).toEqual([{ value: 'a' }]);
    expect(parseItems(JSON.parse('[{"__proto__":{"value":"evil"}}]'), TITLE, builtInTypes)).toEqual([]);
    expect(({} as { value?: unknown }).value).toBeUndefined();
  });
});
