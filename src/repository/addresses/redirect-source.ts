import { decodedPath } from '../../base/decoded-path.ts';

/** Where a redirect begins, in the form in which it is looked up. */
export interface RedirectSource {
  /** Decoded, without slashes at its ends, in lower case. */
  readonly path: string;
  /** JSON with sorted names, as the column holds it; `{}` for none. */
  readonly query: string;
}

/** No source has a path of more characters. */
export const MAX_SOURCE_CHARS = 2048;
/** Nor names and values of a query that have more together, with two more for each. */
export const MAX_QUERY_CHARS = 2048;

export const NO_QUERY = '{}';

/** A path of an address, or one that a client sent, as it is looked up: upper and lower case are the same, and how it was encoded. */
export function sourcePath(path: string): string {
  return decodedPath(path)
    .replace(/^\/+|\/+$/g, '')
    .normalize('NFC')
    .toLowerCase();
}

/** A query as it is looked up: the order of its names says nothing. Undefined for one that is too long to be a source's. */
export function sourceQuery(parameters: Iterable<[name: string, value: string]>): string | undefined {
  const values = new Map<string, string[]>();
  let chars = 0;
  for (const [name, value] of parameters) {
    // Whoever asks may send hundreds of thousands.
    chars += name.length + value.length + 2;
    if (chars > MAX_QUERY_CHARS) return undefined;
    const ofName = values.get(name);
    if (ofName === undefined) values.set(name, [value]);
    else ofName.push(value);
  }
  const sorted = [...values].toSorted(([one], [other]) => (one < other ? -1 : 1));
  return JSON.stringify(Object.fromEntries(sorted.map(([name, all]) => [name, all.length === 1 ? all[0] : all])));
}
