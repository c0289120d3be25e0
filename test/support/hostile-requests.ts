import fc from 'fast-check';
import type { JsonValue } from '../../src/base/json.ts';
import { SAMPLE_ROUTES, type Sample } from './repository-routes.ts';

/** A request as it is sent, all of it plain values, so that a failure prints as something to send again. */
export interface HostileRequest {
  method: string;
  path: string;
  as: string;
  headers: Record<string, string>;
  body: string | Uint8Array | null;
}

/** Values that programs are known to trip over. */
export const ODD_VALUES: JsonValue[] = [
  null,
  true,
  0,
  -1,
  1.5,
  // One more than what a double can tell apart from its neighbour.
  2 ** 53 + 2,
  1e308,
  -1e-308,
  '',
  ' ',
  '0',
  'true',
  '-0',
  '1e3',
  '\u0000',
  '\ud800',
  '\u202e',
  '😀'.repeat(300),
  'x'.repeat(70_000),
  '../../etc/passwd',
  'public://../x',
  'javascript:alert(1)',
  'internal:/node/1',
  '2026-02-30T25:61:00+99:99',
  '2026-01-01T00:00:00+00:00',
  '1985-04-12/..',
  "' OR 1=1 --",
  [],
  [[]],
  [null],
  {},
  [{}],
  [{ value: null }],
  [{ value: {} }],
  [{ value: [] }],
  [{ value: 'x', format: 'full_html' }],
  [{ value: 'x', format: 'no_such' }],
  [{ target_id: 1 }],
  [{ target_id: -1 }],
  [{ target_id: '1' }],
  [{ target_id: 1e300 }],
  [{ target_id: [] }],
  [{ target_uuid: 'x' }],
  [{ target_uuid: null }],
  [{ target_id: 1, rel_type: 'relators:pht' }],
  [{ uri: 'http://', title: {}, options: 5 }],
  [{ lat: '91', lng: 'x' }],
  [{ alias: '/x' }],
  [{ alias: '//evil' }],
  JSON.parse('[{"__proto__":{"value":1}}]'),
  JSON.parse('{"__proto__":{"isAdmin":true}}'),
  [{ constructor: { prototype: 1 } }],
  Array.from({ length: 300 }, (_, value) => ({ value })),
];

const NAMES = [
  ...[
    'type',
    'title',
    'uid',
    'status',
    'created',
    'changed',
    'promote',
    'sticky',
    'langcode',
    'uuid',
    'nid',
    'vid',
    'path',
  ],
  ...[
    'bundle',
    'name',
    'field_media_of',
    'field_media_use',
    'field_media_image',
    'thumbnail',
    'mid',
    'field_media_file',
  ],
  ...['field_model', 'field_member_of', 'field_linked_agent', 'field_edtf_date', 'field_abstract', 'field_coordinates'],
  ...[
    'field_weight',
    'field_identifier',
    'field_subject',
    'body',
    'parent',
    'weight',
    'description',
    'field_external_uri',
  ],
  ...[
    'revision_log',
    'revision_uid',
    'tid',
    'fid',
    'field_tags',
    'field_image',
    '__proto__',
    'constructor',
    'toString',
    '',
  ],
];

const oddValue = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...ODD_VALUES) },
  fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<JsonValue>,
);
const fieldName = fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...NAMES) }, fc.string({ maxLength: 12 }));

/** A change of a valid body: a member set, removed, or a nested value replaced. */
const mutation = fc.oneof(
  fc.record({ act: fc.constant('set' as const), name: fieldName, value: oddValue }),
  fc.record({ act: fc.constant('remove' as const), at: fc.nat(20) }),
  fc.record({
    act: fc.constant('deep' as const),
    at: fc.array(fc.nat(5), { minLength: 1, maxLength: 4 }),
    value: oddValue,
  }),
);
type Mutation = typeof mutation extends fc.Arbitrary<infer Kind> ? Kind : never;

function mutate(body: Record<string, JsonValue>, mutations: readonly Mutation[]): JsonValue {
  const whole: JsonValue = { whole: copyOf(body) };
  for (const each of mutations) {
    const target = whole.whole as Record<string, JsonValue>;
    if (each.act === 'set')
      Object.defineProperty(target, each.name, {
        value: copyOf(each.value),
        enumerable: true,
        configurable: true,
        writable: true,
      });
    else if (each.act === 'remove') delete target[Object.keys(target)[each.at] ?? ''];
    else replaceDeep(target, each.at, copyOf(each.value));
  }
  return whole.whole as JsonValue;
}

/** Not structuredClone, which loses a member called `__proto__`. */
function copyOf(value: JsonValue): JsonValue {
  return JSON.parse(JSON.stringify(value)) as JsonValue;
}

function replaceDeep(start: object, at: readonly number[], value: JsonValue): void {
  let place = start as Record<string, unknown>;
  for (const [depth, step] of at.entries()) {
    const names = Object.keys(place);
    const name = names[step % Math.max(1, names.length)];
    if (name === undefined) return;
    const inner = place[name];
    if (depth === at.length - 1 || typeof inner !== 'object' || inner === null) {
      place[name] = value;
      return;
    }
    place = inner as Record<string, unknown>;
  }
}

const segment = fc.oneof(
  fc.constantFrom(
    '..',
    '.',
    '%2e%2e',
    '%2F',
    '%00',
    '%',
    '%zz',
    '%c0%af',
    '\\',
    ';',
    '~',
    '*',
    '@',
    ':',
    '-1',
    '0',
    '1e9',
    '9'.repeat(30),
  ),
  // Not the first few: what they name is to stay.
  fc.integer({ min: 20, max: 320 }).map(String),
  fc.string({ maxLength: 20 }).map((text) => encodeURIComponent(text.toWellFormed())),
);

function paths(sample: Sample): fc.Arbitrary<string> {
  const good = fc.constantFrom(...SAMPLE_ROUTES.map((route) => route.path(sample)));
  const altered = fc.tuple(good, fc.nat(6), segment).map(([path, at, other]) => {
    const segments = path.split('/');
    segments[(at % Math.max(1, segments.length - 1)) + 1] = other;
    return segments.join('/');
  });
  const wild = fc.array(segment, { maxLength: 5 }).map((segments) => `/${segments.join('/')}`);
  return fc.oneof({ weight: 6, arbitrary: good }, { weight: 4, arbitrary: altered }, wild);
}

const QUERY_NAMES = [
  '_format',
  'page',
  'uri',
  'name',
  'vocab',
  'authority_link',
  'token',
  'x',
  '',
  '__proto__',
  '_format[]',
];
const query = fc.oneof(
  { weight: 3, arbitrary: fc.constant('') },
  { weight: 4, arbitrary: fc.constant('?_format=json') },
  fc
    .array(
      fc.tuple(fc.constantFrom(...QUERY_NAMES), fc.oneof(segment, fc.constantFrom('json', 'jsonld', 'html', '1', '2'))),
      { maxLength: 4 },
    )
    .map((pairs) => `?${pairs.map((pair) => pair.join('=')).join('&')}`),
);

const HEADER_VALUES: Record<string, string[]> = {
  'Content-Type': [
    ...[
      'application/json',
      'application/json',
      'application/json; charset=utf-8',
      'application/octet-stream',
      'image/png',
    ],
    ...['text/plain', 'text/xml', '', ';', 'a/b/c', 'application/json;;;=', 'multipart/form-data', 'x'.repeat(2000)],
  ],
  Accept: ['*/*', 'text/html', 'application/ld+json', 'application/json;q=0', ',,,', 'x'.repeat(500)],
  'Content-Location': [
    'public://a.png',
    'private://b/c.png',
    'fedora://x.png',
    'public://../x',
    'public://',
    'x',
    'public://a\\b.png',
    'http://a/b.png',
    'public://%2e%2e/x.png',
  ],
  'Content-Disposition': [
    'file; filename="a.png"',
    'file; filename="../../a.png"',
    'filename=',
    "file; filename*=utf-8''a%00.png",
    'attachment',
    'file; filename="a.php.png"',
    'file; filename="',
  ],
  Range: ['bytes=0-0', 'bytes=-1', 'bytes=5-1', 'bytes=0-,1-2', 'bytes=99999999999999999999-', 'x', 'bytes='],
  'If-Match': ['*', '"x"', 'x', 'W/"x"', ',', '"'],
  'If-None-Match': ['*', '"x"', ',,,', 'W/"'],
  'If-Modified-Since': ['Thu, 01 Jan 1970 00:00:00 GMT', 'yesterday', '-1', 'Thu, 99 Foo 99999 99:99:99 GMT'],
  'If-Range': ['"x"', 'Thu, 01 Jan 1970 00:00:00 GMT', '?'],
  'Content-Digest': ['sha-256=:AAAA:', 'sha-256=x', ':::', 'md5=:AA==:', 'sha-512=:'],
  'X-Forwarded-For': ['1.2.3.4', '::1, x', ','],
  'X-Forwarded-Host': ['evil.example', '/'],
  'X-HTTP-Method-Override': ['DELETE'],
  'X-CSRF-Token': ['x', 'A'.repeat(43)],
  Cookie: ['a=b', '=', ';;;', 'SESS=x; SESS=y', `${'a=b; '.repeat(200)}`],
  Referer: ['http://evil.example/', '\u00e9', 'x'.repeat(3000)],
  Authorization: ['Bearer a.b.c', 'Basic !!!', 'Basic', 'Digest x', 'Bearer', 'Negotiate abc'],
  'JWT-Authorization': ['Bearer x', 'Basic YTpi'],
  Origin: ['null', 'https://evil.example'],
};

const header = fc
  .constantFrom(...Object.keys(HEADER_VALUES))
  .chain((name) => fc.tuple(fc.constant(name), fc.constantFrom(...(HEADER_VALUES[name] as string[]))));
const headers = fc.oneof(
  { weight: 3, arbitrary: fc.constant({ 'Content-Type': 'application/json' }) },
  fc.array(header, { maxLength: 4 }).map((pairs) => Object.fromEntries(pairs) as Record<string, string>),
);

/** Valid bodies by the prefix of the address that accepts them. */
export type GoodBodies = Readonly<Record<string, readonly Record<string, JsonValue>[]>>;

function bodies(goods: readonly Record<string, JsonValue>[]): fc.Arbitrary<HostileRequest['body']> {
  const mutated = fc
    .tuple(fc.constantFrom(...goods), fc.array(mutation, { maxLength: 3 }))
    .map(([body, mutations]) => JSON.stringify(mutate(body, mutations)));
  const cut = fc.tuple(mutated, fc.nat(400)).map(([text, at]) => text.slice(0, at));
  return fc.oneof(
    { weight: 12, arbitrary: mutated },
    { weight: 1, arbitrary: cut },
    { weight: 1, arbitrary: fc.jsonValue().map((value) => JSON.stringify(value)) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        null,
        '',
        '{',
        '['.repeat(20_000),
        '{"a":'.repeat(5_000),
        '\ufeff{}',
        '{"title":1,"title":[]}',
      ),
    },
  );
}

const METHODS = ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE', 'PUT', 'OPTIONS', 'PROPFIND'];
const WITHOUT_BODY = ['GET', 'HEAD', 'OPTIONS'];

/** A route of ours with the body that it takes, more or less. What may be removed is `victim` alone. */
function aimed(sample: Sample, victim: Sample, goods: GoodBodies) {
  return fc.constantFrom(...SAMPLE_ROUTES).chain((route) => {
    const path = route.path(route.method === 'DELETE' ? victim : sample);
    const [, fitting = Object.values(goods).flat()] =
      Object.entries(goods).find(([start]) => path.startsWith(start)) ?? [];
    const type: Record<string, string> = route.type === undefined ? {} : { 'Content-Type': route.type };
    const place = path.startsWith('/file/upload') || route.method === 'PUT' ? FILE_HEADERS : {};
    return fc.record({
      method: fc.constantFrom(route.method, route.method, route.method === 'GET' ? 'HEAD' : route.method),
      path: fc.constant(path),
      query,
      headers: headers.map((some) => ({
        ...place,
        ...some,
        ...(some['Content-Type']?.includes('json') !== false && type),
      })),
      body: bodies(fitting),
    });
  });
}

const FILE_HEADERS: Record<string, string> = {
  'Content-Location': 'public://fuzz/a.png',
  'Content-Disposition': 'file; filename="a.png"',
};

/** Requests of every kind, from nearly right to nonsense, by the named callers. */
export function hostileRequests(
  sample: Sample,
  victim: Sample,
  callers: readonly string[],
  goods: GoodBodies,
): fc.Arbitrary<HostileRequest> {
  const wild = fc.record({
    method: fc.constantFrom(...METHODS),
    path: paths(victim),
    query,
    headers,
    body: bodies(Object.values(goods).flat()),
  });
  return fc
    .tuple(fc.constantFrom(...callers), fc.oneof({ weight: 3, arbitrary: aimed(sample, victim, goods) }, wild))
    .map(([as, { path, query: asked, method, body, headers: sent }]) => ({
      method,
      path: `${path}${asked}`,
      as,
      headers: sent,
      body: WITHOUT_BODY.includes(method) ? null : body,
    }));
}
