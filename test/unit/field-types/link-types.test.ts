import { describe, expect, it } from 'bun:test';
import type { JsonValue } from '../../../src/base/json.ts';
import { answered, define, lines, parsed } from './definitions.ts';

const LINK = define('link', { linkType: 'any' });
const EXTERNAL = define('link', { linkType: 'external' });
const AUTHORITY = define('authority_link', {
  linkType: 'external',
  authoritySources: { lcsh: 'Library of Congress Subject Headings', other: 'Other' },
});
const ABSOLUTE = ['http://x.org', 'https://x.org/a?b=1#c', 'HTTP://x.org', 'http://[::1]:8080/', 'http://x.org/ä b'];
const OTHERS = [
  'mailto:a@x.org',
  'internal:/',
  'internal:/node/1',
  'internal:#top',
  'entity:node/1',
  'entity:node/1?a=b',
];
const BAD = [
  'x.org/a',
  '//x.org',
  '/node/1',
  'http://',
  'http:///a',
  'http:x.org',
  'https://:80',
  ' http://x.org',
  'http://x.org ',
  'javascript:alert(1)',
  'JavaScript:alert(1)',
  'java\nscript:alert(1)',
  'http://x.org/\u0001',
  'data:text/html,x',
  'vbscript:x',
  'file:///etc/passwd',
  'internal:javascript:x',
  'internal:node/1',
  'entity:node',
  'mailto:',
];

describe('link', () => {
  it.each([...ABSOLUTE, ...OTHERS])('accepts %j', (uri) => {
    expect(answered({ uri }, LINK)).toEqual([{ uri, title: null, options: [] }]);
    expect(lines({ uri }, LINK)).toEqual([]);
  });

  it.each(BAD)('refuses %j', (uri) => {
    expect(lines({ uri }, LINK)).toEqual([`field_x.0.uri: The path '${uri}' is invalid.`]);
  });

  it.each(ABSOLUTE)('accepts %j in a field for external addresses', (uri) => {
    expect(lines({ uri }, EXTERNAL)).toEqual([]);
  });

  it.each([...OTHERS, ...BAD])('refuses %j in a field for external addresses', (uri) => {
    expect(lines({ uri }, EXTERNAL)).toEqual([`field_x.0.uri: The path '${uri}' is invalid.`]);
  });

  it.each<[JsonValue, JsonValue]>([
    ['', ''],
    [null, null],
    ['http://x.org', 'http://x.org'],
    [5, '5'],
  ])('keeps the title %j', (title, expected) => {
    expect(answered({ uri: 'http://x.org', title }, LINK)).toEqual([
      { uri: 'http://x.org', title: expected, options: [] },
    ]);
  });

  it.each<[JsonValue, JsonValue]>([
    [[], []],
    [{}, []],
    [null, []],
    [{ attributes: { class: ['a'] } }, { attributes: { class: ['a'] } }],
  ])('keeps the options %j', (options, expected) => {
    expect(parsed({ uri: 'http://x.org', options }, LINK)).toEqual([
      { uri: 'http://x.org', title: null, options: expected },
    ]);
    expect(lines({ uri: 'http://x.org', options }, LINK)).toEqual([]);
  });

  it('drops options named like a prototype', () => {
    const options = JSON.parse('{"__proto__":{"a":1},"b":{"__proto__":{"c":1},"d":[{"__proto__":1}]}}');
    const [item] = parsed({ uri: 'http://x.org', options }, LINK);
    expect(JSON.stringify(item?.options)).toBe('{"b":{"d":[{}]}}');
  });

  it('reports each invalid member', () => {
    expect(lines({ uri: ['http://x.org'], title: {}, options: ['x'] }, LINK)).toEqual([
      'field_x.0.uri: This value should be of the correct primitive type.',
      'field_x.0.title: This value should be of the correct primitive type.',
      'field_x.0.options: This value should be of the correct primitive type.',
    ]);
    expect(lines({ uri: `http://x.org/${'a'.repeat(2048)}`, title: 'b'.repeat(256) }, LINK)).toEqual([
      'field_x.0.uri: X: may not be longer than 2048 characters.',
      'field_x.0.title: X: may not be longer than 255 characters.',
    ]);
  });

  it('is empty without an address', () => {
    expect(parsed({ uri: '', title: 'x' }, LINK)).toEqual([]);
    expect(parsed('http://x.org', LINK)).toEqual([{ uri: 'http://x.org', title: null, options: [] }]);
  });

  it('reports characters among the options that cannot be stored', () => {
    expect(lines({ uri: 'http://x.org', options: { 'a\u0000': [] } }, LINK)).toEqual([
      'field_x.0.options: The character U+0000 cannot be stored. Remove it.',
    ]);
  });
});

describe('authority_link', () => {
  it('returns its members in the order of the API', () => {
    const sent = { source: 'lcsh', title: 'http://x.org', uri: 'http://x.org' };
    expect(JSON.stringify(answered(sent, AUTHORITY))).toBe(
      '[{"uri":"http://x.org","title":"http://x.org","options":[],"source":"lcsh"}]',
    );
    expect(lines(sent, AUTHORITY)).toEqual([]);
  });

  it.each([[null], ['']])('accepts the source %j as missing', (source) => {
    expect(lines({ uri: 'http://x.org', source }, AUTHORITY)).toEqual([]);
  });

  it.each([['nope'], ['toString']])('refuses the source %j', (source) => {
    expect(lines({ uri: 'http://x.org', source }, AUTHORITY)).toEqual([
      'field_x.0.source: The value you selected is not a valid choice.',
    ]);
  });

  it('accepts any source if the field lists none', () => {
    expect(lines({ uri: 'http://x.org', source: 'nope' }, define('authority_link'))).toEqual([]);
  });
});
