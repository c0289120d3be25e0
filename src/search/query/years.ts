/** A range of years, both included. */
export interface Years {
  readonly from?: number;
  readonly to?: number;
}

const RANGE = /^(-?\d{1,4})?\.\.(-?\d{1,4})?$/;
const YEAR = /^-?\d{1,4}$/;

/**
 * Parses `1890..1930`, `1890..`, `..1930`, and with `isDate` a year alone, which is a word otherwise. Returns undefined for
 * any other text. A range may be written in either direction.
 */
export function parseYears(text: string, isDate: boolean): Years | undefined {
  if (isDate && YEAR.test(text)) return { from: Number(text), to: Number(text) };
  const [, first, last] = RANGE.exec(text) ?? [];
  if (first === undefined && last === undefined) return undefined;
  if (first === undefined) return { to: Number(last) };
  if (last === undefined) return { from: Number(first) };
  const [from, to] = [Number(first), Number(last)].sort((one, other) => one - other) as [number, number];
  return { from, to };
}
