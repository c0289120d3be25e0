/**
 * Compares field names as the API orders them: as upper case, so that `_` comes after the letters and a
 * name before its extension (spec: rest-behaviour, 3.1).
 */
export function compareFieldNames(a: string, b: string): number {
  const [left, right] = [a.toUpperCase(), b.toUpperCase()];
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
