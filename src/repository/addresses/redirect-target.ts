import { entityPath } from '../../paths.ts';

// Clients interpret spaces, control characters and backslashes in different ways, so none of these patterns allows
// them.
const WEB = /^https?:\/\/[^/?#\s\\\p{Cc}][^\s\\\p{Cc}]*$/iu;
const INTERNAL = /^(?:internal:)?(\/(?!\/)[^\s\\\p{Cc}]*)$/u;
const ENTITY = /^entity:(node|media|taxonomy_term|user)\/([1-9]\d{0,14})$/;
/** A base for paths. */
const SOME_SITE = 'http://site.invalid';

/**
 * Returns the stored form of a target: `internal:/node/12` (also for a bare path), `entity:node/12` or a web address;
 * undefined for other texts. Other schemes could run scripts in a browser, and names and passwords disguise an address.
 */
export function normalizeTarget(uri: string): string | undefined {
  if (WEB.test(uri)) {
    const url = URL.canParse(uri) ? new URL(uri) : undefined;
    return url !== undefined && url.username === '' && url.password === '' ? uri : undefined;
  }
  const path = INTERNAL.exec(uri)?.[1];
  if (path !== undefined) return URL.canParse(path, SOME_SITE) ? `internal:${path}` : undefined;
  return ENTITY.test(uri) ? uri : undefined;
}

/** Returns the absolute address of a target. Internal targets stay on the host of the request. */
export function addressOfTarget(target: string, baseUrl: string): string {
  const [, type, id] = ENTITY.exec(target) ?? [];
  if (type !== undefined) return `${baseUrl}${entityPath[type as keyof typeof entityPath](Number(id))}`;
  const path = INTERNAL.exec(target)?.[1];
  if (path === undefined) return new URL(target).href;
  const { pathname, search, hash } = new URL(path, SOME_SITE);
  return `${baseUrl}${pathname}${search}${hash}`;
}

/** Returns true if a target, in its stored form, is a web address: it may lead to another site. */
export const isWebAddress = (target: string): boolean => WEB.test(target);

/** Adds the parameters of a request to an address. Parameters of the address take precedence. */
export function withQuery(address: string, parameters: Iterable<[name: string, value: string]>): string {
  const given = [...parameters];
  if (given.length === 0) return address;
  const url = new URL(address);
  const own = new Set(url.searchParams.keys());
  for (const [name, value] of given) if (!own.has(name)) url.searchParams.append(name, value);
  return url.href;
}

/** The source of a redirect, in its stored form. */
export interface RedirectSource {
  /** Decoded, without leading and trailing slashes, in lower case. */
  readonly path: string;
  /** JSON with sorted names; `{}` for no query. */
  readonly query: string;
}

/** Maximum length of the path of a source, in characters. */
export const MAX_SOURCE_CHARS = 2048;
/** Maximum length of the names and values of a query, in characters, plus two for each pair. */
export const MAX_QUERY_CHARS = 2048;

/** Returns the path of a target of this site in its stored form. */
export const pathOfTarget = (target: string): string => INTERNAL.exec(target)?.[1] ?? '/';

/** Returns the stored form of a query: the order of names does not matter. Undefined for a query that is too long. */
export function sourceQuery(parameters: Iterable<[name: string, value: string]>): string | undefined {
  const values = new Map<string, string[]>();
  let chars = 0;
  for (const [name, value] of parameters) {
    // A request may have hundreds of thousands of parameters.
    chars += name.length + value.length + 2;
    if (chars > MAX_QUERY_CHARS) return undefined;
    const ofName = values.get(name);
    if (ofName === undefined) values.set(name, [value]);
    else ofName.push(value);
  }
  const sorted = [...values].toSorted(([one], [other]) => (one < other ? -1 : 1));
  return JSON.stringify(Object.fromEntries(sorted.map(([name, all]) => [name, all.length === 1 ? all[0] : all])));
}
