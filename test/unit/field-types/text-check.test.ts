import { describe, expect, it } from 'bun:test';
import fc from 'fast-check';
import { NO_CHOICES, type TextControl } from '../../../src/field-types/control.ts';
import { type BuiltInName, builtInTypes } from '../../../src/field-types/registry.ts';
import { lengthCheck, type TextCheck } from '../../../src/field-types/text-check.ts';
import type { FieldDefinition } from '../../../src/model/content-model.ts';
import { define, violations } from './definitions.ts';

/** The module of the page, which has no types here. */
const PAGE = '../../../src/pages/forms/check-text.client.js';
const { problemOf } = (await import(PAGE)) as {
  problemOf: (checks: readonly TextCheck[], text: string) => string | undefined;
};

const LONG = { maxLength: 5 };
const TYPES: readonly (readonly [BuiltInName, string, Partial<FieldDefinition>])[] = [
  ['string', 'value', LONG],
  ['text_long', 'value', LONG],
  ['integer', 'value', { size: 'normal' }],
  ['integer', 'value', { size: 'big', unsigned: true, min: 0, max: 20 }],
  ['decimal', 'value', { min: -3, max: 3.5 }],
  ['float', 'value', {}],
  ['email', 'value', {}],
  ['uri', 'value', {}],
  ['link', 'uri', { linkType: 'any' }],
  ['link', 'uri', { linkType: 'external' }],
  ['path', 'alias', {}],
];
const SAMPLES = [
  ...['5', ' 5 ', '-1', '+3', '21', '4294967296', '1e3', '.5', '5.', 'x', ' ', '0x10', '12345', '123456', '\u{1F6A2}'],
  ...[
    '\u{1F6A2}'.repeat(5),
    '\u{1F6A2}'.repeat(6),
    'a@b',
    'a@b.org',
    'å@ø.no',
    '@b',
    'a b@c',
    'http://a',
    'HTTPS://A/b?c#d',
  ],
  ...[
    'http:///',
    'http://[',
    'mailto:a@b',
    'internal:/x',
    'entity:node/1',
    'entity:Node/1',
    'javascript:x',
    ' http://a',
  ],
  ...['/own', '/a', '//a', '/a b', '/a/../b', 'a', 'urn:x', 'urn: x', `http://${'a'.repeat(3000)}`],
];

function controlOf(definition: FieldDefinition, member: string): { checks: readonly TextCheck[] } {
  const control = builtInTypes
    .of(definition)
    .controls(definition, NO_CHOICES)
    ?.find((each) => each.member === member) as TextControl;
  const { checks = [], maxLength } = control;
  return { checks: [...(maxLength === undefined ? [] : [lengthCheck(definition, maxLength)]), ...checks] };
}

describe.each(TYPES)('the client-side checks for %s.%s %p', (type, member, settings) => {
  const definition = define(type, settings);
  const { checks } = controlOf(definition, member);
  const refusals = (text: string) => violations({ [member]: text }, definition).map(({ message }) => message);

  it('refuse only what the server refuses, with its message', () => {
    for (const text of SAMPLES) {
      const problem = problemOf(checks, text);
      if (problem !== undefined)
        expect({ text, refusals: refusals(text) }).toEqual({ text, refusals: expect.arrayContaining([problem]) });
    }
  });

  it('accept any text that the server accepts', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ unit: 'binary' }), fc.webUrl(), fc.emailAddress(), fc.float().map(String)),
        (text) => {
          if (text === '' || refusals(text).length > 0) return;
          expect(problemOf(checks, text)).toBeUndefined();
        },
      ),
      { numRuns: 200 },
    );
  });

  it('refuse some sample', () => {
    expect(SAMPLES.filter((text) => problemOf(checks, text) !== undefined)).not.toEqual([]);
  });
});
