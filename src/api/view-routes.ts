import { malformed } from '../base/errors.ts';
import type { ExposedFilter, View } from '../model/views.ts';
import { permissionAccess } from '../repository/access.ts';
import { listView } from '../repository/content/list-view.ts';
import type { ViewQuestion } from '../repository/content/view-conditions.ts';
import { viewEntry } from '../representation/view-entry.ts';
import type { Call } from './call.ts';
import { bodyOf } from './content-routes.ts';
import { answerList } from './list-answer.ts';
import { pageOf, pageOrFirst } from './list-routes.ts';
import { describeView } from './openapi/describe-views.ts';
import { json } from './respond.ts';
import type { Route } from './routes.ts';

/** Of a list that is answered whole, where a page is asked for. */
const PAGE_SIZE = 50;
/** Longer texts are looked for by nobody, and patterns of more than 50,000 bytes by no database. */
const MAX_VALUE_CHARS = 1_000;

/** The lists that a site has configured for itself (spec: loader-api, 4 "Entity JSON and Views"). */
export function createViewRoutes(views: Iterable<View>): Route[] {
  return Array.from(
    views,
    (view): Route => ({
      method: 'GET',
      path: view.path,
      ...(view.authentication && { authentication: view.authentication }),
      description: describeView(view),
      answer: (call) => answer(call, view),
    }),
  );
}

async function answer(call: Call, view: View): Promise<Response> {
  const { api, actor } = call;
  const { permission, fields, entityType, pageSize } = view;
  call.allow(permission === undefined ? { isAllowed: true } : permissionAccess(actor, permission));
  const page = pageSize === undefined ? pageOf(call, PAGE_SIZE) : pageOrFirst(call, pageSize);
  const questions = view.exposed.flatMap((filter) => questionOf(call, filter) ?? []);
  const isAsked = view.exposed.every(({ isRequired, parameter }) => !isRequired || call.query(parameter) !== undefined);
  if (!isAsked) return json('[]');
  const found = listView(api.services, api.kinds[entityType], view, questions, actor, page);
  return answerList(call, found, (content) =>
    fields === undefined ? bodyOf(call, content) : viewEntry(content, fields),
  );
}

/** What a request filters by; undefined where it does not. Throws `malformed` for what the field cannot hold. */
function questionOf(call: Call, filter: ExposedFilter): ViewQuestion | undefined {
  const { field, operator, parameter } = filter;
  const text = call.query(parameter);
  if (text === undefined) return undefined;
  if (text.length > MAX_VALUE_CHARS)
    throw malformed(`The query parameter "${parameter}" is longer than ${MAX_VALUE_CHARS} characters.`);
  if (text.includes('\0')) throw malformed(`The query parameter "${parameter}" holds the character U+0000.`);
  switch (field.kind) {
    case 'text':
      return { field, operator, value: text };
    case 'boolean':
      if (/^(true|1)$/i.test(text)) return { field, operator, value: true };
      if (/^(false|0)$/i.test(text)) return { field, operator, value: false };
      throw unreadable(parameter, 'true or false', text);
    case 'number':
      if (!/^-?\d{1,15}(\.\d{1,15})?$/.test(text)) throw unreadable(parameter, 'a number', text);
      return { field, operator, value: Number(text) };
    case 'id':
      // The anonymous user has the id 0.
      if (/^\d{1,15}$/.test(text) && (Number(text) > 0 || field.targetType === 'user'))
        return { field, operator, value: Number(text) };
      if (field.targetType === 'taxonomy_term' && text.includes(':')) return { field, operator, value: text };
      throw unreadable(parameter, field.targetType === 'taxonomy_term' ? 'the id or the URI of a term' : 'an id', text);
  }
}

const MAX_SHOWN_CHARS = 20;

function unreadable(parameter: string, wanted: string, text: string) {
  return malformed(`The query parameter "${parameter}" must be ${wanted}, found "${text.slice(0, MAX_SHOWN_CHARS)}".`);
}
