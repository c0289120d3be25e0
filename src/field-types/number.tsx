import { Type as t } from '@sinclair/typebox';
import type { FieldDefinition } from '../model/content-model.ts';
import type { TextControl } from './control.ts';
import {
  DECIMAL,
  FLOAT,
  INTEGER,
  isDecimal,
  isNothing,
  isWhole,
  toDecimal,
  toFloat,
  toInteger,
} from './convert-value.ts';
import { defineFieldType, NO_WORDS } from './define-field-type.ts';
import type { FieldType, Violation } from './field-type.ts';
import { textOf } from './page-view.ts';
import { asInteger, asTyped, rdfOfValue } from './rdf.ts';
import { readableSize } from './readable.tsx';
import { answered } from './schemas.ts';
import { matches, rangeChecks } from './text-check.ts';
import { WRONG_TYPE, wrongType } from './violation.ts';

const MIN_32_BIT = -2_147_483_648;
const MAX_32_BIT = 2_147_483_647;
const MAX_UNSIGNED_32_BIT = 4_294_967_295;

/** A decimal number within spaces, which a write removes. */
const DECIMAL_INPUT = new RegExp(`^\\s*${DECIMAL.source.slice(1, -1)}\\s*$`);

/** Decimal numbers. They are text in JSON, which keeps all digits. */
export const decimal = defineFieldType({
  ...NO_WORDS,
  settings: ['unsigned', 'min', 'max'],
  expectedMain: (value, definition) => (typeof value === 'number' ? expectedWithin(value, definition) : 'a number'),
  answer: answered('DecimalItem', { value: t.String({ pattern: '^[+-]?(\\d+(\\.\\d*)?|\\.\\d+)$' }) }),
  input: ['value'],
  parse: (raw) => (isNothing(raw.value) ? undefined : { value: toDecimal(raw.value) }),
  violations: ({ value }, definition) =>
    isDecimal(value) ? outsideOf(Number(value), definition.min, definition.max, definition) : [wrongType('value')],
  rdf: rdfOfValue(asTyped('decimal')),
  show: ({ value }, { name }, { sizeField, language }) => {
    const size = name === sizeField && typeof value === 'number' ? readableSize(value, language) : undefined;
    return size === undefined ? textOf(value) : <data value={String(value)}>{size}</data>;
  },
  controls: (definition) => [numberControl(DECIMAL_INPUT, definition)],
  cellKind: 'a number',
  widget: 'number',
  fieldSettings: ({ min, max }) => ({ min: min ?? null, max: max ?? null, prefix: '', suffix: '' }),
});

/** Finite numbers. */
export const float: FieldType = {
  ...decimal,
  properties: { value: 'number' },
  answer: answered('NumberItem', { value: t.Number() }),
  parse: (raw) => (isNothing(raw.value) ? undefined : { value: toFloat(raw.value) }),
  violations: ({ value }, definition) =>
    typeof value === 'number' && Number.isFinite(value)
      ? outsideOf(value, definition.min, definition.max, definition)
      : [wrongType('value')],
  rdf: rdfOfValue(asTyped('float')),
  controls: (definition) => [numberControl(FLOAT, definition)],
};

/** Whole numbers of 32 bits, or of 53 bits (exact in JSON) with `size: big`. */
export const integer: FieldType = {
  ...decimal,
  settings: ['size', 'unsigned', 'min', 'max'],
  defaults: ({ size = 'normal' }) => ({ size }),
  expectedMain: (value, definition) =>
    Number.isSafeInteger(value) ? expectedWithin(value as number, definition) : 'a number',
  properties: { value: 'number' },
  answer: answered('IntegerItem', { value: t.Integer() }),
  parse: (raw) => (isNothing(raw.value) ? undefined : { value: toInteger(raw.value) }),
  violations: ({ value = null }, definition) => {
    if (!isWhole(value)) return [wrongType('value')];
    const number = Number(value);
    const { min, max, unsigned } = definition;
    const ofField = outsideOf(number, min, max, definition, unsigned && min === 0);
    return ofField.length > 0 ? ofField : outsideOf(number, ...rangeOf(definition), definition, unsigned);
  },
  rdf: rdfOfValue(asInteger),
  controls: (definition) => [
    {
      ...({ kind: 'text', member: 'value', inputMode: 'numeric', isShort: true } as const),
      checks: [
        matches(INTEGER, WRONG_TYPE),
        ...rangeChecks(definition.min, definition.max, definition, definition.unsigned && definition.min === 0),
        ...rangeChecks(...rangeOf(definition), definition, definition.unsigned),
      ],
    },
  ],
  cellKind: 'a whole number',
};

function numberControl(pattern: RegExp, definition: FieldDefinition): TextControl {
  const checks = [matches(pattern, WRONG_TYPE), ...rangeChecks(definition.min, definition.max, definition)];
  return { kind: 'text', member: 'value', inputMode: 'decimal', isShort: true, checks };
}

/** Returns the least and the greatest whole number that a field accepts. */
export function integerRange(definition: FieldDefinition): readonly [lowest: number, highest: number] {
  const { min, max } = definition;
  const [lowest, highest] = rangeOf(definition);
  return [Math.max(lowest, min ?? lowest), Math.min(highest, max ?? highest)];
}

function rangeOf({ size, unsigned }: FieldDefinition): [lowest: number, highest: number] {
  if (size === 'big') return [unsigned ? 0 : Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER];
  return unsigned ? [0, MAX_UNSIGNED_32_BIT] : [MIN_32_BIT, MAX_32_BIT];
}

function outsideOf(number: number, ...range: Parameters<typeof rangeChecks>): Violation[] {
  const broken = rangeChecks(...range).find(({ min = number, max = number }) => number < min || number > max);
  return broken === undefined ? [] : [{ path: 'value', message: broken.message }];
}

function expectedWithin(number: number, { min, max, unsigned }: FieldDefinition): string | undefined {
  const low = unsigned ? Math.max(0, min ?? 0) : min;
  if (low !== undefined && number < low) return `at least ${low}`;
  return max !== undefined && number > max ? `at most ${max}` : undefined;
}
