import type { JsonObject } from '../../base/json.ts';

/** The value of the first item of a member, or undefined where it has none. */
export function firstValue(document: JsonObject, name: string): unknown {
  const items = Object.hasOwn(document, name) ? document[name] : undefined;
  const first = Array.isArray(items) ? items[0] : undefined;
  return typeof first === 'object' && first !== null && !Array.isArray(first) ? first.value : undefined;
}

/** A member of the items of a field, where it is a text. */
export function textsOf(document: JsonObject, field: string, member: string): string[] {
  const items = Object.hasOwn(document, field) ? document[field] : undefined;
  if (!Array.isArray(items)) return [];
  return items.flatMap((item) => {
    const value = typeof item === 'object' && item !== null && !Array.isArray(item) ? item[member] : undefined;
    return typeof value === 'string' ? value : [];
  });
}

/** A number of pixels, or null for what is none. */
export function sizeIn(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : null;
}
