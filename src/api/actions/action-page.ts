import { type TObject, type TUnsafe, Type as t } from '@sinclair/typebox';
import { etagOf } from '../../http/etag.ts';
import type { Action } from '../../representation/action.ts';
import type { Call } from '../call.ts';
import type { resource } from '../check.ts';
import { PAGE_FORMATS } from '../formats.ts';
import { describe, PAGE_TYPE, READ_CONDITIONS, versioned } from '../openapi/describe.ts';
import { id, queryOf } from '../parameters.ts';
import { representation } from '../respond.ts';

/** Maximum number of entries that a page lists. */
export const MAX_ENTRIES = 50;

export type Answer = (call: Call, query: Readonly<Record<string, string>>) => Promise<Action>;

/** A page at the address of a core link. */
interface ActionPage {
  /** The name of its operation, without `get` and `Page`. */
  readonly operation: string;
  readonly summary: string;
  readonly params?: TObject;
  readonly query?: TObject<Record<string, TUnsafe<string>>>;
}

/** Adds the route of a page that shows how to do something. The page requires the same right as its link. */
export function addAction(
  app: ReturnType<typeof resource>,
  path: string,
  { operation, summary, params, query = queryOf({}) }: ActionPage,
  action: Answer,
): void {
  app.get(path, async (context) => answer(context.call, await action(context.call, context.query)), {
    check: { formats: PAGE_FORMATS },
    ...(params && { params }),
    query,
    detail: describe({
      operationId: `get${operation}Page`,
      tag: 'pages',
      summary,
      isForAnyone: false,
      headers: READ_CONDITIONS,
      responses: versioned('The page with the request or command.', { [PAGE_TYPE]: t.String() }, [
        'Content-Security-Policy',
      ]),
      failures: [403, 404, 412],
    }),
  });
}

function answer(call: Call, action: Action): Response {
  const page = call.api.pages.action(action, call.site);
  return representation(call, { ...page, etag: etagOf(page.body), changed: undefined });
}

/** Returns the schema of a path that names an entity of a type. */
export function idOf(type: string): TObject {
  return t.Object({ [type]: id(`The id of the ${type.replace('_', ' ')}.`) });
}

/** Returns the page that shows how to delete the entity at an address. */
export function deletionOf(call: Call, heading: string, address: string, entries: Action['entries']): Action {
  const text = 'A DELETE removes it permanently.';
  return { heading, text, commands: [`DELETE ${call.baseUrl}${address}?_format=json`], entries };
}
