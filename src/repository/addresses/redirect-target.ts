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
