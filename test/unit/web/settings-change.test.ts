import { describe, expect, it } from 'bun:test';
import { ServiceError } from '../../../src/base/errors.ts';
import type { JsonValue } from '../../../src/base/json.ts';
import { parseJsonObject } from '../../../src/web/call.ts';
import { parseSettings } from '../../../src/web/settings-change.ts';
import { CONTEXT } from '../field-types/definitions.ts';

function refusal(text: string): unknown {
  try {
    return parseSettings(parseJsonObject(text), CONTEXT);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return [error.kind, error.publicMessage];
  }
}

describe('parseSettings', () => {
  it.each<[JsonValue, boolean]>([
    [[{ value: false }], false],
    [[{ value: true }], true],
    [[{ value: '0' }], false],
    [[{ value: '1' }], true],
    [[{ value: 0 }], false],
    [[{ value: 1 }], true],
    [[{ value: 'false' }], false],
    [[{ value: 'TRUE' }], true],
    [{ value: '0' }, false],
    [['0'], false],
    [[false], false],
    [false, false],
    [true, true],
    ['0', false],
    [1, true],
    [[{ value: false, format: 'x' }], false],
    [[null, { value: null }, '', false], false],
  ])('reads %j as %p', (value, expected) => {
    expect(parseSettings({ allow_header_links: value }, CONTEXT)).toEqual({ allow_header_links: expected });
  });

  it('changes nothing for an empty body', () => {
    expect(parseSettings({}, CONTEXT)).toEqual({});
  });

  it.each([
    ['{"other":[{"value":true}]}', 'Field "other" is unknown.'],
    ['{"allow_header_link":[]}', 'Field "allow_header_link" is unknown. Did you mean "allow_header_links"?'],
    ['{"__proto__":[{"value":true}]}', 'Field "__proto__" is unknown.'],
    ['{"constructor":true}', 'Field "constructor" is unknown.'],
    ['{"":true}', 'Field "" is unknown.'],
    [`{"${'x'.repeat(1000)}":true}`, `Field "${'x'.repeat(100)}…" is unknown.`],
    ['{"allow_header_links":"maybe","other":1}', 'Field "other" is unknown.'],
    ['{"allow_header_links":[[true]]}', 'The item "allow_header_links.0" must be an object, found a list.'],
  ])('refuses %s', (body, message) => {
    expect(refusal(body)).toEqual(['unprocessable', message]);
  });

  const WRONG = 'allow_header_links.0.value: This value should be of the correct primitive type.';
  const MISSING = 'allow_header_links: This value should not be null.';
  it.each([
    ['"maybe"', WRONG],
    ['2', WRONG],
    ['-1', WRONG],
    ['0.5', WRONG],
    ['[{"value":"yes"}]', WRONG],
    ['[{"value":{"value":true}}]', WRONG],
    ['[{"value":[]}]', WRONG],
    ['null', MISSING],
    ['[]', MISSING],
    ['{}', MISSING],
    ['""', MISSING],
    ['[{"Value":false}]', MISSING],
    ['[true,true]', 'allow_header_links: Allow header links: this field cannot hold more than 1 values.'],
  ])('reports the problem with %s', (value, line) => {
    const message = `Unprocessable Entity: validation failed.\n${line}\n`;
    expect(refusal(`{"allow_header_links":${value}}`)).toEqual(['unprocessable', message]);
  });
});
