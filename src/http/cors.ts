/** Origins whose scripts have more access than reading public content. */
interface CorsConfig {
  /** As browsers send them: `https://viewer.example.org`. */
  readonly origins: readonly string[];
  /** The methods that those origins may use. */
  readonly methods: readonly string[];
  /** True if these origins may send cookies. */
  readonly credentials: boolean;
}

export const CORS_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
export const DEFAULT_CORS: CorsConfig = { origins: [], methods: ['GET', 'HEAD'], credentials: false };

/** The time for which a browser may cache the answer to a preflight, in seconds. */
const PREFLIGHT_SECONDS = 86_400;
/** Response headers that scripts may read in addition to Fetch's "CORS-safelisted response-header names". */
const EXPOSED =
  'Accept-Ranges, Allow, Content-Disposition, Content-Range, ETag, Link, Location, Repr-Digest, Retry-After, Tus-Resumable, Upload-Expires, Upload-Length, Upload-Metadata, Upload-Offset, WWW-Authenticate, X-Total-Count';
const READ_METHODS = 'GET, HEAD';
const READ_HEADERS = [
  ...['Accept', 'Accept-Language', 'Cache-Control', 'Content-Type', 'If-Match', 'If-Modified-Since', 'If-None-Match'],
  ...['If-Range', 'If-Unmodified-Since', 'Range', 'X-Requested-With'],
];
const WRITE_HEADERS = [
  ...['Authorization', 'Content-Digest', 'Content-Disposition', 'Content-Location', 'JWT-Authorization'],
  ...['Repr-Digest', 'Tus-Resumable', 'Upload-Length', 'Upload-Metadata', 'Upload-Offset', 'X-CSRF-Token'],
  'X-HTTP-Method-Override',
];

/** Cross-origin resource sharing (Fetch Standard, 3.3), as configured. */
export interface Cors {
  /**
   * Allows scripts of other sites to read an answer: those of a configured origin, and all others if `isOpen`, which is
   * true for a request without credentials. Returns the same answer.
   */
  share(request: Request, response: Response, isOpen: boolean): Response;
  /** Returns true for a request of a configured origin that may use the method. */
  admits(request: Request): boolean;
  /** Returns the answer to a preflight; undefined for any other OPTIONS request. */
  preflight(request: Request, allow: string): Response | undefined;
}

/** Parses an origin. Throws RangeError for anything else, such as an address with a path. */
export function parseOrigin(text: string): string {
  const url = URL.parse(text);
  if (url !== null && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/` && !text.endsWith('/'))
    return url.origin;
  throw new RangeError(`must be an origin such as https://viewer.example.org, found ${JSON.stringify(text)}`);
}

/** Creates the rules for other sites. Every site may read public content without credentials. */
export function createCors({ origins, methods, credentials }: CorsConfig): Cors {
  const known: ReadonlySet<string> = new Set(origins);
  const granted = methods.join(', ');
  /** Returns the origin of a request if it is a configured one that may use the method. */
  const knownOrigin = (request: Request, method: string): string | undefined => {
    const origin = known.size === 0 ? null : request.headers.get('origin');
    return origin !== null && known.has(origin) && methods.includes(method) ? origin : undefined;
  };
  const admit = ({ headers }: Response, origin: string): void => {
    headers.set('Access-Control-Allow-Origin', origin);
    if (credentials) headers.set('Access-Control-Allow-Credentials', 'true');
  };

  return {
    share(request, response, isOpen) {
      const { headers, status } = response;
      if (known.size > 0) headers.append('Vary', 'Origin');
      const origin = knownOrigin(request, request.method);
      const isRead = request.method === 'GET' || request.method === 'HEAD';
      if (origin !== undefined) admit(response, origin);
      else if (isOpen && isRead && status !== 401 && status !== 403) headers.set('Access-Control-Allow-Origin', '*');
      else return response;
      headers.set('Access-Control-Expose-Headers', EXPOSED);
      return response;
    },

    admits: (request) => knownOrigin(request, request.method) !== undefined,

    preflight(request, allow) {
      const method = request.headers.get('access-control-request-method');
      if (method === null) return undefined;
      const origin = knownOrigin(request, method);
      const response = new Response(null, {
        status: 204,
        headers: {
          Allow: allow,
          'Access-Control-Allow-Origin': '*',
          'Access-Control-Allow-Methods': origin === undefined ? READ_METHODS : granted,
          'Access-Control-Allow-Headers': (origin === undefined
            ? READ_HEADERS
            : [...READ_HEADERS, ...WRITE_HEADERS]
          ).join(', '),
          'Access-Control-Max-Age': String(PREFLIGHT_SECONDS),
          Vary: 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers',
          'X-Content-Type-Options': 'nosniff',
        },
      });
      if (origin !== undefined) admit(response, origin);
      return response;
    },
  };
}
