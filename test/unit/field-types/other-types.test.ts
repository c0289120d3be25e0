import { describe, expect, it } from 'bun:test';
import type { JsonValue } from '../../../src/base/json.ts';
import { BUILT_IN } from '../../../src/field-types/registry.ts';
import { answered, CONTEXT, define, lines, parsed } from './definitions.ts';

const WRONG_TYPE = 'This value should be of the correct primitive type.';
const NOT_A_CHOICE = 'The value you selected is not a valid choice.';

describe('list_string', () => {
  const definition = define('list_string', { allowedValues: { a: 'A', 0: 'None' } });

  it.each<[JsonValue, string]>([
    ['a', 'a'],
    [0, '0'],
  ])('accepts %j', (value, expected) => {
    expect(answered({ value }, definition)).toEqual([{ value: expected }]);
    expect(lines({ value }, definition)).toEqual([]);
  });

  it.each([['A'], ['b'], ['constructor'], ['__proto__']])('refuses %j, and reports the item', (value) => {
    expect(lines({ value }, definition)).toEqual([`field_x.0: ${NOT_A_CHOICE}`]);
  });

  it('refuses every value if the field lists none', () => {
    expect(lines({ value: 'a' }, define('list_string'))).toEqual([`field_x.0: ${NOT_A_CHOICE}`]);
  });
});

describe('language', () => {
  it.each([['en'], ['und'], ['zxx']])('accepts %s', (value) => {
    expect(lines({ value }, define('language'))).toEqual([]);
  });

  it.each([['EN'], ['xx'], ['length']])('refuses %s', (value) => {
    expect(lines({ value }, define('language'))).toEqual([`field_x.0: ${NOT_A_CHOICE}`]);
  });

  it('reports a value that is not text', () => {
    expect(lines({ value: {} }, define('language'))).toEqual([`field_x.0.value: ${WRONG_TYPE}`]);
  });
});

describe('uuid', () => {
  it('is kept in lower case', () => {
    const value = '0E6F3C2E-6D5B-4C4F-9F0E-0A8F0E0C7A11';
    expect(parsed({ value }, define('uuid'))).toEqual([{ value: value.toLowerCase() }]);
    expect(lines({ value }, define('uuid'))).toEqual([]);
  });

  it.each([['x'], ['0e6f3c2e6d5b4c4f9f0e0a8f0e0c7a11'], ['0e6f3c2e-6d5b-4c4f-9f0e-0a8f0e0c7a1g'], ['../../etc']])(
    'refuses %s',
    (value) => {
      expect(lines({ value }, define('uuid'))).toEqual(['field_x.0.value: This is not a valid UUID.']);
    },
  );
});

describe('uri', () => {
  it('drops a submitted url, and returns the stored one', () => {
    const served = { value: 'fedora://2024-01/a.jpg', url: '/_flysystem/fedora/2024-01/a.jpg' };
    expect(parsed(served, define('uri'))).toEqual([{ value: served.value }]);
    expect(lines(served, define('uri'))).toEqual([]);
    expect(BUILT_IN.uri.complete(served, define('uri'), CONTEXT)).toEqual(served);
  });

  it.each<[JsonValue]>([['a.jpg'], ['/a'], [{}], ['public:']])('reports the invalid value %j', (value) => {
    expect(lines({ value }, define('uri'))).toEqual([`field_x.0.value: ${WRONG_TYPE}`]);
  });

  it('reports a value beyond its limit', () => {
    expect(lines({ value: `public://${'a'.repeat(255)}` }, define('uri', { label: 'URI' }))).toEqual([
      'field_x.0.value: URI: may not be longer than 255 characters.',
    ]);
  });
});

describe('email', () => {
  it.each([['a@x.org'], ["o'neil+x@sub.x.org"], ['ü@müller.de'], ['a@localhost']])('accepts %s', (value) => {
    expect(lines({ value }, define('email'))).toEqual([]);
  });

  it.each([['a'], ['a@'], ['@x.org'], ['a b@x.org'], ['a@x.org\r\nBcc: b@x.org'], ['a@-x.org'], ['a@@x.org']])(
    'refuses %j',
    (value) => {
      expect(lines({ value }, define('email'))).toEqual(['field_x.0.value: This value is not a valid email address.']);
    },
  );

  it('rejects a very long address by its length', () => {
    expect(lines({ value: `a@${'a.'.repeat(500_000)}` }, define('email'))).toEqual([
      'field_x.0.value: X: may not be longer than 254 characters.',
    ]);
  });
});

describe('path', () => {
  const definition = define('path', { cardinality: 1 });

  it('keeps alias and language, and drops the number', () => {
    expect(parsed({ alias: '/a', pid: 7, langcode: 'en' }, definition)).toEqual([{ alias: '/a', langcode: 'en' }]);
    expect(parsed('/a', definition)).toEqual([{ alias: '/a' }]);
    expect(answered('/a', definition)).toEqual([{ alias: '/a', pid: null, langcode: 'en' }]);
    expect(lines({ alias: '/a/ä' }, definition)).toEqual([]);
  });

  it('is empty without an alias', () => {
    expect(parsed({ alias: null, pid: null, langcode: 'en' }, definition)).toEqual([]);
    expect(BUILT_IN.path.complete({}, definition, CONTEXT)).toEqual({ alias: null, pid: null, langcode: 'en' });
  });

  it.each([
    [{ alias: 'a' }, 'alias: The alias path has to start with a slash.'],
    [{ alias: '//x.org' }, 'alias: The alias path must begin with one slash and must not contain a space, "?" or "#".'],
    [
      { alias: '/\\x.org' },
      'alias: The alias path must begin with one slash and must not contain a space, "?" or "#".',
    ],
    [{ alias: '/a?b' }, 'alias: The alias path must begin with one slash and must not contain a space, "?" or "#".'],
    [{ alias: '/x/../node/5' }, 'alias: The alias path must not have a part "." or "..".'],
    [{ alias: '/a/.' }, 'alias: The alias path must not have a part "." or "..".'],
    [{ alias: {} }, `alias: ${WRONG_TYPE}`],
    [{ alias: `/${'a'.repeat(255)}` }, 'alias: X: may not be longer than 255 characters.'],
    [{ alias: '/a', langcode: 'xx' }, 'langcode: This language is not configured.'],
  ])('refuses %j', (raw, line) => {
    expect(lines(raw, definition)).toEqual([`field_x.0.${line}`]);
  });
});

describe('comment', () => {
  const definition = define('comment');

  it('keeps the status, and returns zero counts', () => {
    const served = { status: '2', cid: 4, comment_count: 9 };
    expect(parsed(served, definition)).toEqual([{ status: 2 }]);
    expect(JSON.stringify(answered(served, definition))).toBe(
      '[{"status":2,"cid":0,"last_comment_timestamp":0,"last_comment_name":null,"last_comment_uid":0,"comment_count":0}]',
    );
  });

  it.each<[JsonValue, string]>([
    [3, NOT_A_CHOICE],
    [-1, NOT_A_CHOICE],
    ['x', WRONG_TYPE],
    [true, WRONG_TYPE],
  ])('refuses the status %j', (status, message) => {
    expect(lines({ status }, definition)).toEqual([`field_x.0.status: ${message}`]);
  });
});

describe('geolocation', () => {
  const definition = define('geolocation');

  it('returns the computed members of a point, in the order of the API', () => {
    const [item] = answered({ lng: '-123.2', lat: '49.1', lat_sin: 'nonsense', value: 'nonsense' }, definition);
    expect(Object.keys(item ?? {})).toEqual(['lat', 'lng', 'lat_sin', 'lat_cos', 'lng_rad', 'data', 'value']);
    expect(item).toMatchObject({ lat: 49.1, lng: -123.2, data: [], value: '49.1, -123.2' });
    expect(item?.lat_sin).toBeCloseTo(0.755853, 6);
    expect(item?.lat_cos).toBeCloseTo(0.654741, 6);
    expect(item?.lng_rad).toBeCloseTo(-2.150246, 6);
  });

  it('accepts a latitude beyond the pole of a program, and returns it as sent', () => {
    expect(lines({ lat: '99.1', lng: '0' }, definition)).toEqual([]);
    expect(JSON.stringify(answered({ lat: '99.1', lng: 0 }, definition))).toContain('"lat":99.1,"lng":0,');
  });

  it.each<[JsonValue]>([[{ lat: 1 }], [{ lat: '', lng: 1 }], [{ lat: null, lng: 1 }], [{}]])('drops %j', (raw) => {
    expect(parsed(raw, definition)).toEqual([]);
  });

  it('reports members that are not numbers', () => {
    expect(lines({ lat: 'NaN', lng: {}, data: 'x' }, definition)).toEqual([
      `field_x.0.lat: ${WRONG_TYPE}`,
      `field_x.0.lng: ${WRONG_TYPE}`,
      `field_x.0.data: ${WRONG_TYPE}`,
    ]);
  });
});

describe.each([
  ['textfield_attr', ['attr0', 'attr1', 'value'], 'value'],
  ['textarea_attr', ['attr0', 'attr1', 'format', 'value'], 'value'],
  ['related_item', ['identifier', 'identifier_type', 'number', 'title'], 'title'],
  ['part_detail', ['type', 'caption', 'number', 'title'], 'number'],
  [
    'hierarchical_geographic',
    'continent country region state territory county city city_section island area extraterrestrial_area'.split(' '),
    'city',
  ],
] as const)('%s', (type, members, one) => {
  const definition = define(type);

  it('returns all members in order, with null for missing ones', () => {
    const [item] = answered({ [one]: 5, foo: 'x' }, definition);
    expect(Object.keys(item ?? {})).toEqual([...members]);
    expect(item).toEqual({ ...Object.fromEntries(members.map((member) => [member, null])), [one]: '5' });
    expect(lines({ [one]: 5 }, definition)).toEqual([]);
  });

  it('drops an item without a known value', () => {
    expect(parsed({ [one]: '' }, definition)).toEqual([]);
    expect(parsed({ foo: 'x' }, definition)).toEqual([]);
  });

  it('reports a member that is not text', () => {
    expect(lines({ [one]: {} }, definition)).toEqual([`field_x.0.${one}: ${WRONG_TYPE}`]);
  });
});

it('textarea_attr refuses an unknown text format', () => {
  expect(lines({ value: 'x', format: 'nope' }, define('textarea_attr'))).toEqual([`field_x.0.format: ${NOT_A_CHOICE}`]);
  expect(lines({ value: 'x', format: 'basic_html' }, define('textarea_attr'))).toEqual([]);
});
