import { type TSchema, Type as t } from '@sinclair/typebox';
import { unprocessable } from '../../base/errors.ts';
import { isMap } from '../../base/is-map.ts';
import type { JsonObject, JsonValue } from '../../base/json.ts';
import type { Fields, Violation } from '../../field-types/field-type.ts';
import { parseItems } from '../../field-types/parse-items.ts';
import { closed, text, textOrNull } from '../../field-types/schemas.ts';
import { validateField } from '../../field-types/validate-field.ts';
import { MISSING, unstorableText } from '../../field-types/violation.ts';
import type { FieldDefinition } from '../../model/content-model.ts';
import {
  MAX_QUERY_CHARS,
  MAX_SOURCE_CHARS,
  normalizeTarget,
  type RedirectSource,
  sourceQuery,
} from '../../repository/addresses/redirect-target.ts';
import type { NewRedirect } from '../../repository/addresses/save-redirect.ts';
import { define } from '../../repository/content/base-field.ts';
import { validationFailed } from '../../repository/errors.ts';
import { sourcePath } from '../../repository/redirect-source.ts';
import { lenientBody, unknownField, valueInput } from '../../web/lenient-body.ts';
import { listOfOne, namedSchema } from '../../web/openapi/components.ts';

export const redirectSchema = namedSchema('Redirect', (components) => {
  const words = components.itemOf('string');
  const whole = components.itemOf('integer');
  const user = components.itemOf('entity_reference', { targetType: 'user' });
  const query = t.Union([t.Record(t.String(), t.Unknown({ description: 'A text, or a list of texts.' })), t.Null()]);
  return closed({
    rid: listOfOne(whole),
    uuid: listOfOne(components.itemOf('uuid')),
    type: listOfOne(closed({ value: t.Literal('redirect') })),
    uid: t.Array(user, { maxItems: 1 }),
    redirect_source: listOfOne(closed({ path: text, query })),
    redirect_redirect: listOfOne(
      closed({ uri: text, title: textOrNull, options: t.Array(t.Unknown(), { maxItems: 0 }) }),
    ),
    language: listOfOne(words),
    status_code: listOfOne(whole),
    created: listOfOne(components.itemOf('created')),
  });
});

/** Returns the schema of a member in a write. */
const itemInput = (item: TSchema): TSchema => t.Array(item, { minItems: 1 });

export const newRedirect = lenientBody(
  namedSchema(
    'RedirectCreate',
    closed({
      type: t.Optional(t.Unknown({ description: 'redirect.' })),
      redirect_source: itemInput(
        t.Object({
          path: t.String({ description: 'A path without host, such as old/page. Case-insensitive.' }),
          query: t.Optional(t.Unknown({ description: 'The parameters that a request must have. Default: any.' })),
        }),
      ),
      redirect_redirect: itemInput(
        t.Object({
          uri: t.String({ description: 'Such as internal:/node/12, entity:node/12 or https://example.org/.' }),
          title: t.Optional(textOrNull),
        }),
      ),
      status_code: t.Optional(valueInput('301, 302, 303, 307 or 308. Default: 301.', t.Integer())),
      language: t.Optional(valueInput('Default: the language of the site.')),
      uuid: t.Optional(valueInput('The UUID of a new redirect.')),
      rid: t.Optional(t.Unknown()),
      hash: t.Optional(t.Unknown()),
      uid: t.Optional(t.Unknown()),
      created: t.Optional(t.Unknown()),
    }),
  ),
  (body, { api: { services } }) => parseRedirect(body, services.fields, services.model.defaultLanguage),
);

const STATUS_CODES: readonly number[] = [301, 302, 303, 307, 308];
const MAX_URI_CHARS = 2048;
const MAX_TITLE_CHARS = 255;

const STATUS_CODE = define('status_code', 'Status code', 'integer');
const LANGUAGE = define('language', 'Language', 'language');
const UUID = define('uuid', 'UUID', 'uuid');
/** Ignored in a write. */
const READ_ONLY = ['rid', 'hash', 'uid', 'created'];
const MEMBERS = ['type', 'redirect_source', 'redirect_redirect', 'status_code', 'language', 'uuid', ...READ_ONLY];

/** A redirect of a request, which may have the alias of content as its source. */
export interface SentRedirect extends Omit<NewRedirect, 'replacedPath'> {
  readonly source: SentSource;
}

interface SentSource extends RedirectSource {
  /** The path as sent, with a leading slash: aliases are case-sensitive. */
  readonly asSent: string;
}

/**
 * Parses a redirect as leniently as fields (spec: loader-api, 2 "create_redirects"). Throws `unprocessable` for unknown
 * members, and with all problems of the values.
 */
function parseRedirect(body: JsonObject, fields: Fields, defaultLanguage: string): SentRedirect {
  const unknown = Object.keys(body).find((name) => !MEMBERS.includes(name));
  if (unknown !== undefined) throw unknownField(unknown, MEMBERS);
  requireType(body.type);
  const violations: Violation[] = [];
  const source = readSource(firstOf(body.redirect_source), fields, violations);
  const { target, title } = readTarget(firstOf(body.redirect_redirect), violations);
  const statusCode = Number(read(STATUS_CODE) ?? 301);
  if (!STATUS_CODES.includes(statusCode) && violations.every(({ path }) => !path.startsWith('status_code')))
    violations.push({ path: 'status_code.0', message: `This must be one of ${STATUS_CODES.join(', ')}.` });
  const langcode = read(LANGUAGE) ?? defaultLanguage;
  const uuid = read(UUID) ?? Bun.randomUUIDv7();
  if (violations.length > 0) throw validationFailed(violations);
  return { uuid, source, target, title, statusCode, langcode };

  function read(definition: FieldDefinition): string | undefined {
    const items = parseItems(body[definition.name] ?? null, definition, fields.types);
    violations.push(...validateField(items, definition, fields));
    return items[0] === undefined ? undefined : String(items[0].value);
  }
}

/** Returns the first item of a member, which may be bare. */
function firstOf(raw: JsonValue | undefined): JsonObject {
  const first = Array.isArray(raw) ? raw[0] : raw;
  return isMap(first) ? first : {};
}

function requireType(raw: JsonValue | undefined): void {
  if (raw === undefined || raw === null) return;
  const first = Array.isArray(raw) ? raw[0] : raw;
  const name = isMap(first) ? (first.value ?? first.target_id) : first;
  if (name !== 'redirect') throw unprocessable('The "type" of a redirect must be "redirect".');
}

function readSource(item: JsonObject, fields: Fields, violations: Violation[]): SentSource {
  const at = 'redirect_source.0.path';
  const { path: sent, query } = item;
  if (typeof sent !== 'string' || sent === '') {
    violations.push({ path: 'redirect_source', message: MISSING });
    return NO_SOURCE;
  }
  // An address copied from a browser may have a query. The member `query` takes precedence.
  const [path = '', search = ''] = sent.split(/\?(.*)/s);
  const problem = problemOf(path, sent, fields);
  if (problem !== undefined) {
    violations.push({ path: at, message: problem });
    return NO_SOURCE;
  }
  const parameters = readQuery(query);
  if (parameters === undefined)
    violations.push({ path: 'redirect_source.0.query', message: 'This must be an object whose values are texts.' });
  const isGiven = parameters !== undefined && parameters.length > 0;
  const known = sourceQuery(isGiven ? parameters : new URLSearchParams(search));
  if (known === undefined)
    violations.push({
      path: 'redirect_source.0.query',
      message: `This may not be longer than ${MAX_QUERY_CHARS} characters.`,
    });
  return { path: sourcePath(path), query: known ?? '', asSent: withSlash(path) };
}

const NO_SOURCE: SentSource = { path: '', query: '', asSent: '' };

const withSlash = (path: string) => `/${path.replace(/^\/+|\/+$/g, '')}`;

function problemOf(path: string, sent: string, { isOwnPath }: Fields): string | undefined {
  if (sent.length > MAX_SOURCE_CHARS) return `This may not be longer than ${MAX_SOURCE_CHARS} characters.`;
  const source = sourcePath(path);
  const [unstorable] = unstorableText({ value: source });
  if (unstorable !== undefined || source.includes('\0')) return unstorable?.message ?? 'U+0000 cannot be stored.';
  if (sent.includes('#')) return 'The anchor fragments are not allowed.';
  if (/^[a-z][a-z0-9+.-]*:/i.test(path)) return 'The source must be a path of this site, without scheme and host.';
  if (source === '') return 'It is not allowed to create a redirect from the front page.';
  return isOwnPath(`/${source}`) || isOwnPath(withSlash(path))
    ? `The source path "/${source}" is an address of the repository itself.`
    : undefined;
}

/** Returns the parameters of a query: an object of texts or lists of texts. PHP sends an empty list for an empty object. */
function readQuery(query: JsonValue | undefined): [name: string, value: string][] | undefined {
  if (query === undefined || query === null || query === '' || (Array.isArray(query) && query.length === 0)) return [];
  if (!isMap(query)) return undefined;
  const parameters: [string, string][] = [];
  for (const [name, value] of Object.entries(query)) {
    for (const each of Array.isArray(value) ? value : [value]) {
      if (typeof each === 'object') return undefined;
      parameters.push([name, String(each)]);
    }
  }
  const isStorable = parameters.every((pair) => pair.every((text) => text.isWellFormed() && !text.includes('\0')));
  return isStorable ? parameters : undefined;
}

function readTarget(item: JsonObject, violations: Violation[]): Pick<NewRedirect, 'target' | 'title'> {
  const { uri, title } = item;
  const at = 'redirect_redirect.0';
  if (typeof uri !== 'string' || uri === '') {
    violations.push({ path: 'redirect_redirect', message: MISSING });
    return { target: '', title: null };
  }
  const target = uri.length > MAX_URI_CHARS ? undefined : normalizeTarget(uri);
  if (target === undefined)
    violations.push({ path: `${at}.uri`, message: `The path '${uri.slice(0, 100)}' is invalid.` });
  const text = title === undefined || title === null || title === '' ? null : title;
  if (text !== null && (typeof text !== 'string' || text.length > MAX_TITLE_CHARS))
    violations.push({ path: `${at}.title`, message: `This must be text of at most ${MAX_TITLE_CHARS} characters.` });
  const storable = unstorableText({ uri, title: text });
  violations.push(...storable.map(({ path, message }) => ({ path: `${at}.${path}`, message })));
  return { target: target ?? '', title: typeof text === 'string' ? text : null };
}
