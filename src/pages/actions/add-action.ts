import { type TObject, Type as t } from '@sinclair/typebox';
import type { Call } from '../../web/call.ts';
import type { resource } from '../../web/check.ts';
import { PAGE_FORMATS } from '../../web/formats.ts';
import { id } from '../../web/parameters.ts';
import { pageRepresentation } from '../../web/respond.ts';
import { type Action, actionPage } from './action-page.tsx';

/** Maximum number of entries that a page lists. */
export const MAX_ENTRIES = 50;

export type Answer = (call: Call) => Promise<Action>;

/** Adds the route of a page that shows how to do something. The page requires the same right as its link. */
export function addAction(app: ReturnType<typeof resource>, path: string, action: Answer, params?: TObject): void {
  app.get(path, async ({ call }) => pageRepresentation(call, actionPage(await action(call), call.site)), {
    check: { formats: PAGE_FORMATS },
    ...(params && { params }),
  });
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
