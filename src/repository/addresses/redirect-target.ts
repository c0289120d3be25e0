import { decodedPath } from '../../base/decoded-path.ts';
import { entityPath } from '../../paths.ts';

/** Where a redirect leads: to a path here, or elsewhere. Space, control characters and backslashes are read in different ways by different readers. */
const WEB = /^https?:\/\/[^/?#\s\\\p{Cc}][^\s\\\p{Cc}]*$/iu;
const INTERNAL = /^(?:internal:)?(\/(?!\/)[^\s\\\p{Cc}]*)$/u;
const ENTITY = /^entity:(node|media|taxonomy_term|user)\/([1-9]\d{0,14})$/;
/** Only the path of this address counts. */
const SOME_SITE = 'http://site.invalid';

/**
 * The target of a redirect as it is kept: `internal:/node/12`, `entity:node/12`, or an address of the web; a bare path is an
 * internal one. Undefined for anything else: other schemes could run something in a browser, and names and passwords
 * hide where an address leads.
 */
export function usualTarget(uri: string): string | undefined {
  if (WEB.test(uri)) {
    const url = URL.canParse(uri) ? new URL(uri) : undefined;
    return url !== undefined && url.username === '' && url.password === '' ? uri : undefined;
  }
  const path = INTERNAL.exec(uri)?.[1];
  if (path !== undefined) return URL.canParse(path, SOME_SITE) ? `internal:${path}` : undefined;
  return ENTITY.test(uri) ? uri : undefined;
}

/** The absolute address that a target leads to. What is internal stays on the host that the client knows. */
export function addressOfTarget(target: string, baseUrl: string): string {
  const [, type, id] = ENTITY.exec(target) ?? [];
  if (type !== undefined) return `${baseUrl}${entityPath[type as keyof typeof entityPath](Number(id))}`;
  const path = INTERNAL.exec(target)?.[1];
  if (path === undefined) return new URL(target).href;
  const { pathname, search, hash } = new URL(path, SOME_SITE);
  return `${baseUrl}${pathname}${search}${hash}`;
}

/** An address with the parameters of a request beside its own, which count where both have one of a name. */
export function withQuery(address: string, parameters: Iterable<[name: string, value: string]>): string {
  const given = [...parameters];
  if (given.length === 0) return address;
  const url = new URL(address);
  const own = new Set(url.searchParams.keys());
  for (const [name, value] of given) if (!own.has(name)) url.searchParams.append(name, value);
  return url.href;
}

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
