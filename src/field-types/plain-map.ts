import type { JsonObject, JsonValue } from '../base/json.ts';

const MAX_COPIED_LEVELS = 32;

/** A free map of settings, as links carry; nothing and an empty map are an empty list, as the API answers them. */
export function readMap(value: JsonValue | undefined): JsonValue {
  if (value === undefined || value === null || value === '') return [];
  const map = withoutPrototypes(value, 0);
  return isMap(map) && Object.keys(map).length === 0 ? [] : map;
}

/** Whether a value is what `readMap` answers of a map. */
export function isMapOrEmpty(value: JsonValue | undefined): boolean {
  return isMap(value) || (Array.isArray(value) && value.length === 0);
}

/** Whether a value is an object and not a list. */
export function isMap(value: JsonValue | undefined): value is { [member: string]: JsonValue } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Leaves out members that would become the prototype of an object they are assigned to. */
function withoutPrototypes(value: JsonValue, level: number): JsonValue {
  if (typeof value !== 'object' || value === null || level > MAX_COPIED_LEVELS) return value;
  if (Array.isArray(value)) return value.map((item) => withoutPrototypes(item, level + 1));
  const members = Object.entries(value).filter(([name]) => name !== '__proto__');
  return Object.fromEntries(members.map(([name, inner]) => [name, withoutPrototypes(inner, level + 1)]));
}

/** Returns a map under a name, or nothing for an empty one: clients take its keys, which a JSON list does not have. */
export function nonEmpty(name: string, map: Readonly<Record<string, string>> | undefined): JsonObject {
  return map === undefined || Object.keys(map).length === 0 ? {} : { [name]: { ...map } };
}
