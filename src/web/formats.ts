import Negotiator from 'negotiator';
import { Cache } from '../base/cache.ts';
import { ServiceError } from '../base/errors.ts';
import { isForm } from '../http/form-body.ts';
import { linkHeader } from '../http/link-header.ts';
import { isMultipart } from '../http/read-multipart.ts';
import type { ContentModel } from '../model/content-model.ts';

/** The values of `_format`, beside the formats of harvesters. */
const FORMATS = ['json', 'jsonld', 'html', 'linkset', 'suggestions', 'csv'] as const;
/** A value of `_format`: one of `FORMATS`, or the prefix of a format of harvesters (config/harvest.yaml). */
export type Format = (typeof FORMATS)[number] | (string & {});

/** The representations of a route with their media types. The first one is the default: the page of an address that has one. */
export type Formats = Readonly<Record<string, string>>;

export const JSON_FORMATS: Formats = { json: 'application/json' };
export const GRAPH_FORMATS: Formats = { json: 'application/json', jsonld: 'application/ld+json' };
export const PAGE_FORMATS: Formats = { html: 'text/html' };
export const PAGE_AND_JSON_FORMATS: Formats = { ...PAGE_FORMATS, ...JSON_FORMATS };
export const CONTENT_FORMATS: Formats = { ...PAGE_FORMATS, ...GRAPH_FORMATS };
export const LINKSET_FORMATS: Formats = { json: 'application/linkset+json', linkset: 'application/linkset' };

/** Returns the representations of a node: those of content, and one for each format of harvesters with another name. */
export function nodeFormats({ harvest }: Pick<ContentModel, 'harvest'>): Formats {
  const harvested = Array.from(harvest.formats.values(), ({ prefix, mediaType }) => [prefix, mediaType] as const);
  return { ...CONTENT_FORMATS, ...Object.fromEntries(harvested.filter(([prefix]) => !isBuiltIn(prefix))) };
}

function isBuiltIn(name: string): boolean {
  return FORMATS.some((each) => each === name);
}

interface ChosenFormat {
  readonly format: Format;
  /** True if `Accept` selected the format. It then belongs into `Vary`. */
  readonly isNegotiated: boolean;
}

const JSON_QUERY = '?_format=json';
const JSON_AND_PAGE_FORMATS: Formats = { ...JSON_FORMATS, ...PAGE_FORMATS };
const PLAIN_JSON: ChosenFormat = { format: 'json', isNegotiated: false };
/** Maximum number of characters of an unknown format that an error shows. */
const MAX_SHOWN_CHARS = 50;

/**
 * Chooses the representation of a response by `_format`, else by `Accept`, else the first one (decision 90). `address` is the
 * address of the request without query. Throws `not-acceptable` for a `_format` that the route does not have.
 */
export function chooseFormat(request: Request, formats: Formats, address: string): ChosenFormat {
  const { url } = request;
  // Avoids parsing the address in the most frequent case.
  if ('json' in formats && url.endsWith(JSON_QUERY) && url.indexOf('?') === url.length - JSON_QUERY.length)
    return PLAIN_JSON;
  const names = Object.keys(formats);
  const wanted = formatIn(url);
  if (wanted) {
    const format = names.find((name) => name === wanted);
    if (format === undefined) throw notAcceptable(address, formats);
    return { format, isNegotiated: false };
  }
  const [first = 'json'] = names;
  if (names.length < 2) return { format: first, isNegotiated: false };
  return { format: preferred(request, formats), isNegotiated: true };
}

/**
 * Returns the format of an address with a single representation. Accepts any known `_format`, because clients may send
 * the same one everywhere. Throws `not-acceptable` for an unknown one.
 */
export function requireKnownFormat({ url }: Request): ChosenFormat {
  const wanted = formatIn(url);
  if (!wanted || isBuiltIn(wanted)) return PLAIN_JSON;
  throw new ServiceError(
    'not-acceptable',
    `Unknown format ${JSON.stringify(wanted.slice(0, MAX_SHOWN_CHARS))}. Omit "_format": this address has only one representation.`,
  );
}

/**
 * Chooses the format of an error: a page for a browser that follows a link or sends a form, and JSON for other clients.
 * A client that prefers neither gets a page if `chosen`, the format of the answer without the error, is one.
 */
export function chooseFailureFormat(request: Request, chosen: Format | undefined): ChosenFormat {
  if (request.method !== 'GET' && request.method !== 'HEAD' && !isForm(request) && !isMultipart(request))
    return PLAIN_JSON;
  const wanted = formatIn(request.url);
  if (wanted) return { format: wanted === 'html' ? 'html' : 'json', isNegotiated: false };
  const formats = chosen === 'html' ? PAGE_AND_JSON_FORMATS : JSON_AND_PAGE_FORMATS;
  return { format: preferred(request, formats), isNegotiated: true };
}

/** Some browsers prefer these to a page, and mean XML of the page. Formats of harvesters with these types must be named. */
const XML_TYPES: ReadonlySet<string> = new Set(['application/xml', 'text/xml']);

/** Returns the format that `Accept` prefers, or the first one that it does not refuse. */
function preferred({ headers }: Request, all: Formats): Format {
  const accept = headers.get('accept');
  const formats = Object.fromEntries(Object.entries(all).filter(([, type]) => !XML_TYPES.has(type)));
  const [first = 'json'] = Object.keys(formats) as Format[];
  return byAccept(accept, formats) ?? byAccept(accept && `${accept}, */*;q=0.001`, formats) ?? first;
}

function formatIn(url: string): string | null {
  return url.includes('?') ? parametersOf(url).get('_format') : null;
}

/** Returns the query of an address, whose host may be invalid. */
export function parametersOf(url: string): URLSearchParams {
  return new URLSearchParams(queryText({ url }));
}

/** Parses the query instead of Elysia: the first value of each name counts, and an empty one counts as missing. */
export function usualQuery({ request }: { request: Request }): { query: Record<string, string | undefined> } {
  const query: Record<string, string | undefined> = Object.create(null);
  for (const [name, value] of parametersOf(request.url)) if (!(name in query)) query[name] = value || undefined;
  return { query };
}

/** Returns the query of an address with its question mark, or an empty text. */
export function queryText({ url }: Pick<Request, 'url'>): string {
  const start = url.indexOf('?');
  return start < 0 ? '' : url.slice(start);
}

/**
 * Parameters of media ranges except `q`. They are ignored, because each type has one variant here: servers may ignore
 * profiles of JSON-LD (JSON-LD 1.1, "IANA Considerations").
 */
const PARAMETERS = /;[ \t]*(?!q[ \t]*=)[^\s;,="]+[ \t]*=[ \t]*(?:"(?:[^"\\]|\\.)*"|[^\s;,"]*)/gi;

/** The results of `byAccept`: all visitors with the same browser send the same header. */
const chosen = new Cache<{ readonly format: Format | undefined }>({
  maxBytes: 256 * 1024,
  maxEntryBytes: 2 * 1024,
  bytesOf: () => 0,
});

function byAccept(header: string | null, formats: Formats): Format | undefined {
  if (!header) return undefined;
  const types = Object.values(formats);
  const key = `${types.join()} ${header}`;
  const known = chosen.get(key);
  if (known !== undefined) return known.format;
  const accept = header.replace(PARAMETERS, '');
  const [best] = new Negotiator({ headers: { accept } }).mediaTypes(types);
  const format = Object.keys(formats).find((name) => formats[name] === best);
  chosen.set(key, { format });
  return format;
}

/** Returns the error for an unsupported format, with a link to each supported one (spec: rest-behaviour, 1.2). */
function notAcceptable(address: string, formats: Formats): ServiceError {
  const all = Object.keys(formats);
  // Browsers request pages without `_format`: `html` is listed only if there is no other representation.
  const own = all.length === 1 ? all : all.filter((name) => name !== 'html' && isBuiltIn(name)).reverse();
  const names = [...own, ...all.filter((name) => !isBuiltIn(name))];
  const links = names.map((name) => ({
    href: `${address}?_format=${name}`,
    rel: 'alternate',
    type: formats[name] ?? '',
  }));
  return new ServiceError(
    'not-acceptable',
    `This address does not support the requested format. Supported formats: ${names.join(', ')}.`,
    { headers: { Link: linkHeader(links) } },
  );
}
