import type { JsonValue } from '../base/json.ts';

/** Longer text is not a number: no number that can be kept needs as many characters. */
const MAX_NUMBER_CHARACTERS = 64;
const INTEGER = /^\s*[+-]?\d+\s*$/;
const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)$/;
const FLOAT = /^\s*[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?\s*$/i;

/** Whether nothing was sent: no member, null, or empty text. */
export function isNothing(value: JsonValue | undefined): value is undefined | null | '' {
  return value === undefined || value === null || value === '';
}

/** Any scalar as text (spec: rest-behaviour, 1.4); lists and objects as they came, a missing member as null. */
export function toText(value: JsonValue | undefined): JsonValue {
  if (value === undefined) return null;
  if (typeof value === 'number') return String(value);
  if (typeof value === 'boolean') return value ? '1' : '0';
  return value;
}

/** A whole number, also one that came as text. Anything else, and what is too large to be exact, as it came. */
export function toInteger(value: JsonValue): JsonValue {
  const number = typeof value === 'string' && isNumberText(value, INTEGER) ? Number(value) : value;
  // Adding 0 makes 0 of -0, which JSON cannot say.
  return Number.isSafeInteger(number) ? (number as number) + 0 : value;
}

/** Whether a value is a whole number, or text that says one, of whatever size. */
export function isWhole(value: JsonValue): boolean {
  return typeof value === 'string' ? INTEGER.test(value) : Number.isInteger(value);
}

/** A finite number, also one that came as text. Anything else as it came. */
export function toFloat(value: JsonValue): JsonValue {
  const number = typeof value === 'string' && isNumberText(value, FLOAT) ? Number(value) : value;
  return Number.isFinite(number) ? (number as number) + 0 : value;
}

/** A decimal number as text, which keeps its digits. Anything else as it came. */
export function toDecimal(value: JsonValue): JsonValue {
  if (typeof value === 'string' && isNumberText(value.trim(), DECIMAL)) return value.trim();
  return typeof value === 'number' && isDecimal(String(value)) ? String(value) : value;
}

/** Whether a value is text that says a decimal number. */
export function isDecimal(value: JsonValue | undefined): value is string {
  return typeof value === 'string' && isNumberText(value, DECIMAL);
}

/** True or false, also as 1, 0 or text (decisions: lenient in what a write may look like). Anything else as it came. */
export function toBoolean(value: JsonValue): JsonValue {
  if (value === 1 || value === '1') return true;
  if (value === 0 || value === '0') return false;
  if (typeof value !== 'string' || value.length > 5) return value;
  const word = value.toLowerCase();
  return word === 'true' ? true : word === 'false' ? false : value;
}

function isNumberText(text: string, pattern: RegExp): boolean {
  return text.length <= MAX_NUMBER_CHARACTERS && pattern.test(text);
}
