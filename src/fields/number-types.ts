import type { JsonValue } from '../base/json.ts';
import type { FieldDefinition } from '../model/content-model.ts';
import { isDecimal, isNothing, isWhole, toBoolean, toDecimal, toFloat, toInteger } from './convert-scalar.ts';
import type { FieldType, Violation } from './field-type.ts';
import { wrongType } from './messages.ts';

const MIN_32_BIT = -2_147_483_648;
const MAX_32_BIT = 2_147_483_647;
const MAX_UNSIGNED_32_BIT = 4_294_967_295;

/** Whole numbers: 32 bit, or as many as are exact in JSON (53 bit) where the field is big. */
export const integer: FieldType = {
  main: 'value',
  parse: (raw) => (isNothing(raw.value) ? undefined : { value: toInteger(raw.value) }),
  violations: ({ value = null }, definition) => {
    if (!isWhole(value)) return [wrongType('value')];
    const number = Number(value);
    const [lowest, highest] = rangeOf(definition);
    const ofField = outsideOf(number, definition.min, definition.max, definition);
    const ofSize = outsideOf(number, lowest, highest, definition);
    return ofField.length > 0 ? ofField : ofSize;
  },
  complete: (item) => item,
};

/** Decimal numbers, which are text in JSON so that no digit is lost. */
export const decimal: FieldType = {
  main: 'value',
  parse: (raw) => (isNothing(raw.value) ? undefined : { value: toDecimal(raw.value) }),
  violations: ({ value }, definition) =>
    isDecimal(value) ? outsideOf(Number(value), definition.min, definition.max, definition) : [wrongType('value')],
  complete: (item) => item,
};

/** Finite numbers. */
export const float: FieldType = {
  main: 'value',
  parse: (raw) => (isNothing(raw.value) ? undefined : { value: toFloat(raw.value) }),
  violations: ({ value }, definition) =>
    isFiniteNumber(value) ? outsideOf(value, definition.min, definition.max, definition) : [wrongType('value')],
  complete: (item) => item,
};

/** True or false. */
export const boolean: FieldType = {
  main: 'value',
  parse: (raw) => (isNothing(raw.value) ? undefined : { value: toBoolean(raw.value) }),
  violations: ({ value }) => (typeof value === 'boolean' ? [] : [wrongType('value')]),
  complete: (item) => item,
};

function rangeOf({ size, unsigned }: FieldDefinition): [lowest: number, highest: number] {
  if (size === 'big') return [unsigned ? 0 : Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER];
  return unsigned ? [0, MAX_UNSIGNED_32_BIT] : [MIN_32_BIT, MAX_32_BIT];
}

function outsideOf(
  number: number,
  min: number | undefined,
  max: number | undefined,
  { label, unsigned, type }: FieldDefinition,
): Violation[] {
  const say = (message: string) => [{ path: 'value', message: `${label}: ${message}` }];
  if (min !== undefined && number < min) {
    const isBelowZero = type === 'integer' && unsigned && min === 0;
    return say(isBelowZero ? 'The integer must be larger or equal to 0.' : `the value may be no less than ${min}.`);
  }
  return max !== undefined && number > max ? say(`the value may be no greater than ${max}.`) : [];
}

function isFiniteNumber(value: JsonValue | undefined): value is number {
  return Number.isFinite(value);
}
