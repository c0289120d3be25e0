import { etagOf } from '../http/etag.ts';
import type { Action } from '../representation/action.ts';
import type { Call } from './call.ts';
import { PAGE_FORMATS } from './formats.ts';
import { representation } from './respond.ts';
import type { Route } from './routes.ts';

/** Maximum number of entries that a page lists. */
export const MAX_ENTRIES = 50;

export type Answer = (call: Call, path: string) => Promise<Action>;

/** Returns the route of a page at the address of a core link. The link and the page ask for the same right. */
export function actionRoute(path: string, description: Route['description'], action: Answer): Route {
  return {
    method: 'GET',
    path,
    formats: PAGE_FORMATS,
    description,
    async answer(call) {
      const { api, actor, baseUrl } = call;
      const site = { siteName: api.siteName, baseUrl };
      const made = api.pages.action(await action(call, path), site, actor.isAuthenticated ? actor.name : undefined);
      return representation(call, { ...made, etag: etagOf(made.body), changed: undefined });
    },
  };
}

/** Returns the page that shows how to delete the entity at an address. */
export function deletionOf(call: Call, heading: string, address: string, entries: Action['entries']): Action {
  const text = 'A DELETE removes it permanently.';
  return { heading, text, commands: [`DELETE ${call.baseUrl}${address}?_format=json`], entries };
}
