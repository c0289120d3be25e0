import { type TSchema, Type as t } from '@sinclair/typebox';
import { malformed, type ServiceError } from '../../base/errors.ts';
import { closed, text } from '../../field-types/schemas.ts';
import type { ExposedFilter, View, ViewField } from '../../model/content-model.ts';
import { permissionAccess } from '../../repository/access.ts';
import { type Content, parseDocument } from '../../repository/content/content.ts';
import { listView, type ViewQuestion } from '../../repository/content/lists/list-view.ts';
import { contentJson } from '../../representation/content-json.ts';
import type { ApiServices } from '../../web/api-services.ts';
import type { Call } from '../../web/call.ts';
import { resource } from '../../web/check.ts';
import { type Description, describe, listOf } from '../../web/openapi/describe.ts';
import { PAGE_QUERY, pageOf, pageOrFirst, parameter, queryOf } from '../../web/parameters.ts';
import { json } from '../../web/respond.ts';
import { CONTENT_SCHEMAS } from '../content/content-schemas.ts';
import { answerList } from '../lists/list-answer.ts';

/** The page size of a list without a configured one. */
const PAGE_SIZE = 50;
/** Maximum length of a value. SQLite rejects patterns of more than 50,000 bytes. */
const MAX_VALUE_CHARS = 1_000;

/** Routes of the configured lists of a site (spec: loader-api, 4 "Entity JSON and Views"). */
export function viewRoutes(api: ApiServices) {
  const app = resource(api);
  for (const view of api.services.model.views.values())
    app.get(view.path, async ({ call, query }) => answer(call, view, query), {
      check: {
        ...(view.authentication && { authentication: view.authentication }),
        access: (call: Call) => mayAsk(call, view),
      },
      query: queryOf({ ...PAGE_QUERY, ...Object.fromEntries(view.exposed.map(filterOf)) }),
      detail: describe(describeView(view)),
    });
  return app;
}

type Query = Readonly<Record<string, string | undefined>>;

function mayAsk(call: Call, { permission }: View): void {
  call.allow(permission === undefined ? { isAllowed: true } : permissionAccess(call.actor, permission));
}

async function answer(call: Call, view: View, query: Query): Promise<Response> {
  const { api, actor } = call;
  const { fields, entityType, pageSize, exposed } = view;
  const { page: asked } = query;
  const pageQuery = asked === undefined ? {} : { page: asked };
  const page = pageSize === undefined ? pageOf(pageQuery, PAGE_SIZE) : pageOrFirst(pageQuery, pageSize);
  if (exposed.some(({ isRequired, parameter }) => isRequired && query[parameter] === undefined)) return json('[]');
  const questions = exposed.flatMap((filter) => questionOf(filter, query[filter.parameter]) ?? []);
  const entries = listView(api.services, api.kinds[entityType], view, questions, actor, page);
  return answerList(call, entries, (content) =>
    fields === undefined ? contentJson(content, call) : viewEntry(content, fields),
  );
}

/** Returns the schema of a parameter that filters by a field. */
function filterOf(filter: ExposedFilter): [string, TSchema] {
  const { parameter: name } = filter;
  const refuse = (text: unknown) => refusal(filter, String(text));
  return [name, t.Optional(parameter(shownFilter(filter), (text) => refuse(text) === undefined, refuse))];
}

/** Returns the error for a text that is no value of a field. Undefined for a valid one. */
function refusal({ field, parameter: name }: ExposedFilter, text: string): ServiceError | undefined {
  if (text.length > MAX_VALUE_CHARS)
    return malformed(`The query parameter "${name}" is longer than ${MAX_VALUE_CHARS} characters.`);
  if (text.includes('\0')) return malformed(`The query parameter "${name}" holds the character U+0000.`);
  switch (field.kind) {
    case 'text':
      return undefined;
    case 'boolean':
      return /^(true|1|false|0)$/i.test(text) ? undefined : unreadable(name, 'true or false', text);
    case 'number':
      return /^-?\d{1,15}(\.\d{1,15})?$/.test(text) ? undefined : unreadable(name, 'a number', text);
    case 'id': {
      const isTerm = field.targetType === 'taxonomy_term';
      // The anonymous user has the id 0.
      const isId = /^\d{1,15}$/.test(text) && (Number(text) > 0 || field.targetType === 'user');
      if (isId || (isTerm && text.includes(':'))) return undefined;
      return unreadable(name, isTerm ? 'the id or the URI of a term' : 'an id', text);
    }
  }
}

/** Returns the condition of a filter. Undefined if the request does not use it. */
function questionOf({ field, operator }: ExposedFilter, text: string | undefined): ViewQuestion | undefined {
  if (text === undefined) return undefined;
  switch (field.kind) {
    case 'text':
      return { field, operator, value: text };
    case 'boolean':
      return { field, operator, value: /^(true|1)$/i.test(text) };
    case 'number':
      return { field, operator, value: Number(text) };
    case 'id':
      return { field, operator, value: /^\d+$/.test(text) ? Number(text) : text };
  }
}

const MAX_SHOWN_CHARS = 20;

function unreadable(parameter: string, wanted: string, text: string) {
  return malformed(`The query parameter "${parameter}" must be ${wanted}, found "${text.slice(0, MAX_SHOWN_CHARS)}".`);
}

function describeView({ name, fields, entityType, pageSize }: View): Description {
  const entry =
    fields === undefined
      ? CONTENT_SCHEMAS[entityType].answer
      : closed(Object.fromEntries(fields.map((field) => [field.text, text])));
  return {
    operationId: `view_${name}`,
    tag: 'lists',
    summary: `The list ${name} of this site`,
    description:
      pageSize === undefined ? 'The whole list, or one page of 50.' : `A page of ${pageSize}. Default: the first.`,
    responses: listOf(entry),
    failures: [403],
  };
}

/** Returns the JSON Schema of the parameter of a filter. */
function shownFilter({ field, operator, isRequired }: ExposedFilter): Readonly<Record<string, unknown>> {
  const words = { equals: 'is this', contains: 'contains this', starts: 'begins with this' }[operator];
  const description = `${field.text} ${words}.${isRequired ? ' Without it the list is empty.' : ''}`;
  return { type: field.kind === 'boolean' || field.kind === 'number' ? field.kind : 'string', description };
}

/** Returns an entry with the configured fields as texts. Several items are separated by commas. */
function viewEntry(content: Content, fields: readonly ViewField[]): string {
  const { members } = parseDocument(content);
  const entry = fields.map(({ text, name, property }) => {
    const values = (members[name] ?? []).map((item) => item[property] ?? '');
    return [text, values.map(asText).join(', ')];
  });
  return JSON.stringify(Object.fromEntries(entry));
}

function asText(value: unknown): string {
  return typeof value === 'boolean' ? String(Number(value)) : String(value);
}
