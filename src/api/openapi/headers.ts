import { type TSchema, Type as t } from '@sinclair/typebox';

/** A header of an answer. */
export interface HeaderDescription {
  readonly description: string;
  /** Whether it is on every answer that names it. */
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

/** Every header that an answer may carry beside those that HTTP itself describes, such as Content-Type. */
export const HEADERS = {
  'Access-Control-Allow-Credentials': sometimes('Whether the origin may send cookies.', t.Literal('true')),
  'Access-Control-Allow-Headers': always('The request headers that scripts of the origin may send.'),
  'Access-Control-Allow-Methods': always('The methods that scripts of the origin may use.'),
  'Access-Control-Allow-Origin': always('Whose scripts may read the answers: all, or those of the origin.'),
  'Access-Control-Max-Age': always('How long this may be kept, in seconds.', t.String({ pattern: '^\\d+$' })),
  'Accept-Ranges': always('Ranges are counted in bytes.', t.Literal('bytes')),
  Allow: always('The methods that the address takes.'),
  'Cache-Control': always('Who may keep the answer, and for how long.'),
  'Content-Disposition': always('The name of the file, and whether a browser may show it.'),
  'Content-Language': always('The language of the answer.'),
  'Content-Range': always('Which bytes of how many.', t.String({ pattern: '^bytes (\\d+-\\d+|\\*)/\\d+$' })),
  'Content-Security-Policy': sometimes('What a browser may load or run of it.'),
  ETag: always('A strong tag of this version, for If-Match and If-None-Match.', t.String({ pattern: '^"[^"]+"$' })),
  'Last-Modified': sometimes('When it changed, where that tells versions apart.', t.String({ pattern: HTTP_DATE })),
  Link: sometimes('Related addresses (RFC 8288).'),
  Location: always('The absolute address of what was made.', t.String({ format: 'uri' })),
  'Repr-Digest': always(
    'The SHA-256 of the whole file (RFC 9530).',
    t.String({ pattern: '^sha-256=:[A-Za-z0-9+/=]+:$' }),
  ),
  'Retry-After': sometimes('The seconds after which another try makes sense.', t.String({ pattern: '^\\d+$' })),
  'Set-Cookie': always('Begins or ends the session.'),
  Vary: always('The request headers that the answer depends on.'),
  'WWW-Authenticate': always('How to say who you are (RFC 9110, 11.6.1).'),
  'X-Content-Type-Options': always('The type is as stated.', t.Literal('nosniff')),
  'X-Frame-Options': always('Pages of other sites cannot frame it.', t.Literal('SAMEORIGIN')),
} as const satisfies Readonly<Record<string, HeaderDescription>>;

export type HeaderName = keyof typeof HEADERS;

/** On every answer with content (`respond.ts`). */
export const CONTENT_HEADERS: readonly HeaderName[] = [
  'Cache-Control',
  'Content-Language',
  'X-Content-Type-Options',
  'X-Frame-Options',
  'Vary',
];

/** On everything that has versions. */
export const VERSION_HEADERS: readonly HeaderName[] = [...CONTENT_HEADERS, 'ETag', 'Last-Modified'];
