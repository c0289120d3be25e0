import { describe, expect, it } from 'bun:test';
import fc from 'fast-check';
import { ServiceError } from '../../../src/base/errors.ts';
import type { JsonObject, JsonValue } from '../../../src/base/json.ts';
import { isEqualValue } from '../../../src/field-types/equal-items.ts';
import { parseItems } from '../../../src/field-types/parse-items.ts';
import { BUILT_IN, type BuiltInName, builtInTypes } from '../../../src/field-types/registry.ts';
import { completeItems, validateField } from '../../../src/field-types/validate-field.ts';
import type { FieldDefinition, Item } from '../../../src/model/content-model.ts';
import { CONTEXT, define } from './definitions.ts';

const MEMBERS = `value format summary processed target_id target_uuid target_type url rel_type alt title width height
  display description label kind srclang default uri options source lat lng data status alias pid langcode attr0
  identifier number city __proto__ constructor toString`.split(/\s+/);
const SCALAR = fc.oneof(
  fc.constantFrom<JsonValue>(
    null,
    '',
    '0',
    'true',
    'NaN',
    '1e999',
    'en',
    'http://x.org',
    '1985/..',
    '/a',
    '\u0000',
    '\ud800',
  ),
  fc.string({ unit: 'binary' }),
  fc.integer(),
  // JSON can say what is infinite (1e999), but never what is no number: and that is not even equal to itself.
  fc.double({ noNaN: true }),
  fc.boolean(),
);
const ITEM = fc.dictionary(fc.constantFrom(...MEMBERS), fc.oneof(SCALAR, fc.jsonValue({ maxDepth: 4 })), {
  maxKeys: 8,
});
const SUBMITTED = fc.oneof(fc.jsonValue(), fc.array(fc.oneof(ITEM, SCALAR)), ITEM) as fc.Arbitrary<JsonValue>;

describe.each(Object.keys(BUILT_IN) as BuiltInName[])('%s', (type) => {
  const definitions: FieldDefinition[] = [
    define(type),
    define(type, {
      targetType: 'node_type',
      cardinality: 1,
      maxLength: 3,
      required: true,
      unsigned: true,
      size: 'big',
    }),
    define(type, { targetType: 'taxonomy_term', allowedValues: { a: 'A' }, relationTypes: {}, linkType: 'external' }),
  ];

  it('reads, validates and completes any JSON, or rejects it as unprocessable', () => {
    fc.assert(
      fc.property(SUBMITTED, fc.constantFrom(...definitions), (raw, definition) => {
        const items = read(raw, definition);
        if (items === undefined) return;
        for (const { path, message } of validateField(items, definition, CONTEXT)) {
          expect(path).toStartWith('field_x');
          expect(message).not.toBe('');
        }
        expect(isEqualValue(items, items, definition, builtInTypes)).toBe(true);
        completeItems(items, definition, CONTEXT);
      }),
    );
  });

  it('accepts its own answer again, and finds it equal', () => {
    fc.assert(
      fc.property(SUBMITTED, fc.constantFrom(...definitions), (raw, definition) => {
        const items = read(raw, definition);
        if (items === undefined || validateField(items, definition, CONTEXT).length > 0) return;
        const answer = completeItems(items, definition, CONTEXT);
        const sentBack = JSON.parse(JSON.stringify(answer)) as JsonValue[];
        const again = parseItems(sentBack, definition, builtInTypes);
        expect(isEqualValue(answer, again, definition, builtInTypes)).toBe(true);
        expect(completeItems(again, definition, CONTEXT)).toEqual(withoutUuidTwin(answer));
        expect(validateField(again, definition, CONTEXT)).toEqual([]);
      }),
    );
  });

  it('ignores an unknown member', () => {
    const raw = { ...sample(), foo: 1, bar: { baz: [] } } as JsonObject;
    expect(BUILT_IN[type].parse(raw, define(type))).toEqual(BUILT_IN[type].parse(sample(), define(type)));
  });
});

function read(raw: JsonValue, definition: FieldDefinition): Item[] | undefined {
  try {
    return parseItems(raw, definition, builtInTypes);
  } catch (error) {
    if (error instanceof ServiceError && error.kind === 'unprocessable') return undefined;
    throw error;
  }
}

function sample(): JsonObject {
  return {
    value: '1',
    target_id: '5',
    rel_type: 'relators:aut',
    uri: 'http://x.org',
    lat: 1,
    lng: 2,
    status: 1,
    alias: '/a',
    title: 't',
    city: 'c',
  };
}

/** Nothing is added to what was parsed, so an answer never has an id and a UUID at once. */
function withoutUuidTwin(answer: readonly Item[]): Item[] {
  return answer.map((item) => {
    expect(item.target_id === undefined || item.target_uuid === undefined).toBe(true);
    return item;
  });
}
