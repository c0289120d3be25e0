import { isMap } from '../base/is-map.ts';
import type { JsonObject, JsonValue } from '../base/json.ts';

/** Maximum length of a number as text. */
const MAX_NUMBER_CHARACTERS = 64;
/** A whole number as text. */
export const INTEGER = /^\s*[+-]?\d+\s*$/;
/** A decimal number as text, as it is stored. */
export const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)$/;
/** A number as text. */
export const FLOAT = /^\s*[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?\s*$/i;

/** Returns true for a missing value: undefined, null, or empty text. */
export function isNothing(value: JsonValue | undefined): value is undefined | null | '' {
  return value === undefined || value === null || value === '';
}

/** Converts a scalar to text (spec: rest-behaviour, 1.4), and undefined to null. Returns lists and objects unchanged. */
export function toText(value: JsonValue | undefined): JsonValue {
  if (value === undefined) return null;
  if (typeof value === 'number') return String(value);
  if (typeof value === 'boolean') return value ? '1' : '0';
  return value;
}

/** Converts text to a whole number. Returns other values unchanged, and numbers beyond 53 bits. */
export function toInteger(value: JsonValue): JsonValue {
  const number = typeof value === 'string' && isNumberText(value, INTEGER) ? Number(value) : value;
  // Adding 0 turns -0, which JSON cannot represent, into 0.
  return Number.isSafeInteger(number) ? (number as number) + 0 : value;
}

/** Returns true for a whole number of any size, as number or text. */
export function isWhole(value: JsonValue): boolean {
  return typeof value === 'string' ? INTEGER.test(value) : Number.isInteger(value);
}

/** Converts text to a finite number. Returns other values unchanged. */
export function toFloat(value: JsonValue): JsonValue {
  const number = typeof value === 'string' && isNumberText(value, FLOAT) ? Number(value) : value;
  return Number.isFinite(number) ? (number as number) + 0 : value;
}

/** Converts a decimal number to text, which keeps its digits. Returns other values unchanged. */
export function toDecimal(value: JsonValue): JsonValue {
  if (typeof value === 'string' && isNumberText(value.trim(), DECIMAL)) return value.trim();
  return typeof value === 'number' && isDecimal(String(value)) ? String(value) : value;
}

/** Returns true for a decimal number as text. */
export function isDecimal(value: JsonValue | undefined): value is string {
  return typeof value === 'string' && isNumberText(value, DECIMAL);
}

/** Converts 1, 0 and text to a boolean (decision 90). Returns other values unchanged. */
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

const MAX_COPIED_LEVELS = 32;

/** Returns a map of settings, as links have. An empty or missing map becomes an empty list, as in responses. */
export function readMap(value: JsonValue | undefined): JsonValue {
  if (value === undefined || value === null || value === '') return [];
  const map = withoutPrototypes(value, 0);
  return isMap(map) && Object.keys(map).length === 0 ? [] : map;
}

/** Returns true for a result of `readMap` that stands for a map. */
export function isMapOrEmpty(value: JsonValue | undefined): boolean {
  return isMap(value) || (Array.isArray(value) && value.length === 0);
}

/** Omits members that would set the prototype of an object. */
function withoutPrototypes(value: JsonValue, level: number): JsonValue {
  if (typeof value !== 'object' || value === null || level > MAX_COPIED_LEVELS) return value;
  if (Array.isArray(value)) return value.map((item) => withoutPrototypes(item, level + 1));
  const members = Object.entries(value).filter(([name]) => name !== '__proto__');
  return Object.fromEntries(members.map(([name, inner]) => [name, withoutPrototypes(inner, level + 1)]));
}

/** Returns a map as a member, or no member for an empty map: clients read its keys, and an empty list has none. */
export function nonEmpty(name: string, map: Readonly<Record<string, string>> | undefined): JsonObject {
  return map === undefined || Object.keys(map).length === 0 ? {} : { [name]: { ...map } };
}
