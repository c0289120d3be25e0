import { type TSchema, Type as t } from '@sinclair/typebox';

/** A response header. */
interface HeaderDescription {
  readonly description: string;
  /** True if every response that lists the header has it. */
  readonly isRequired: boolean;
  readonly schema: TSchema;
}

const always = (description: string, schema: TSchema = t.String()): HeaderDescription => ({
  description,
  isRequired: true,
  schema,
});
const sometimes = (description: string, schema: TSchema = t.String()): HeaderDescription => ({
  description,
  isRequired: false,
  schema,
});

const HTTP_DATE = '^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \\d{2} [A-Z][a-z]{2} \\d{4} \\d{2}:\\d{2}:\\d{2} GMT$';

/** The response headers of the API, except those that OpenAPI describes elsewhere, such as Content-Type. */
export const HEADERS = {
  'Access-Control-Allow-Credentials': sometimes('True if the origin may send cookies.', t.Literal('true')),
  'Access-Control-Allow-Headers': always('The request headers that scripts of the origin may send.'),
  'Access-Control-Allow-Methods': always('The methods that scripts of the origin may use.'),
  'Access-Control-Allow-Origin': always('The origin whose scripts may read the response, or `*`.'),
  'Access-Control-Max-Age': always(
    'How long a browser may cache the answer to the preflight, in seconds.',
    t.String({ pattern: '^\\d+$' }),
  ),
  'Accept-Ranges': always('The unit of ranges.', t.Literal('bytes')),
  Allow: always('The methods of the address.'),
  'Cache-Control': always('Which caches may store the response, and for how long.'),
  'Content-Disposition': always('The name of the file; `inline` if a browser may show it.'),
  'Content-Language': always('The language of the response.'),
  'Content-Range': always(
    'The range of bytes, and the size of the file.',
    t.String({ pattern: '^bytes (\\d+-\\d+|\\*)/\\d+$' }),
  ),
  'Content-Security-Policy': sometimes('What a browser may load or run.'),
  ETag: always('The strong ETag of this version, for If-Match and If-None-Match.', t.String({ pattern: '^"[^"]+"$' })),
  'Last-Modified': sometimes(
    'The time of the last change, where it identifies the version.',
    t.String({ pattern: HTTP_DATE }),
  ),
  Link: sometimes('Related addresses (RFC 8288).'),
  Location: always('The absolute address of the new entity, or of the target.', t.String({ format: 'uri' })),
  'Repr-Digest': always(
    'The SHA-256 of the whole file (RFC 9530).',
    t.String({ pattern: '^sha-256=:[A-Za-z0-9+/=]+:$' }),
  ),
  'Retry-After': sometimes('The number of seconds to wait before a retry.', t.String({ pattern: '^\\d+$' })),
  'Set-Cookie': always('The session cookie, or its removal.'),
  'Tus-Resumable': always('The version of the tus protocol.', t.Literal('1.0.0')),
  'Upload-Expires': sometimes('When an unfinished upload is deleted.', t.String({ pattern: HTTP_DATE })),
  'Upload-Length': always('The number of bytes of the whole file.', t.String({ pattern: '^\\d+$' })),
  'Upload-Metadata': sometimes('The metadata of the upload, as the client sent it.'),
  'Upload-Offset': sometimes('The number of bytes received so far.', t.String({ pattern: '^\\d+$' })),
  Vary: always('The request headers that the response depends on.'),
  'WWW-Authenticate': always('The authentication scheme (RFC 9110, 11.6.1).'),
  'X-Content-Type-Options': always('Browsers must not guess another type.', t.Literal('nosniff')),
  'X-Repo-Notice': sometimes('Sentences about the result of a write, such as a text of the previous file that stays.'),
  'X-Total-Count': sometimes(
    'The number of entries of the list that the caller may view.',
    t.String({ pattern: '^\\d+$' }),
  ),
  'X-Frame-Options': sometimes('Pages of other sites cannot embed the response.', t.Literal('SAMEORIGIN')),
} as const satisfies Readonly<Record<string, HeaderDescription>>;

export type HeaderName = keyof typeof HEADERS;

/** The headers of every response with content (`respond.ts`). */
export const CONTENT_HEADERS: readonly HeaderName[] = [
  'Cache-Control',
  'Content-Language',
  'X-Content-Type-Options',
  'X-Frame-Options',
  'Vary',
];

/** The headers of responses with a version. */
export const VERSION_HEADERS: readonly HeaderName[] = [...CONTENT_HEADERS, 'ETag', 'Last-Modified'];
