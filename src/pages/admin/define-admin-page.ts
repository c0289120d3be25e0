import type { AnyElysia } from 'elysia';
import { permissionAccess } from '../../repository/access.ts';
import type { Actor } from '../../repository/actor.ts';
import type { AdminPage, ApiServices } from '../../web/api-services.ts';
import type { Call } from '../../web/call.ts';
import type { ManagedPage } from '../../web/site.ts';

interface Definition extends ManagedPage {
  /** The permission that opens the page, or the rule for it. */
  readonly permission: Parameters<typeof permissionAccess>[1] | AdminPage['access'];
  /** Creates the routes of the page. `access` makes the check of the permission. */
  readonly routes: (api: ApiServices, access: (call: Call) => void) => AnyElysia;
}

/** Defines a page for the management of the repository: its entry in the list of `/admin`, its tab, its access and its routes. */
export function defineAdminPage({ permission, routes, ...page }: Definition): AdminPage {
  const access = typeof permission === 'string' ? (actor: Actor) => permissionAccess(actor, permission) : permission;
  return {
    ...page,
    access,
    routes: (api) => routes(api, (call) => call.allow(access(call.actor, call.api.kinds))),
  };
}

/** Returns whether the caller may start, stop and change work on an admin page that others may read. */
export const mayConfigure = ({ actor }: Call) => permissionAccess(actor, 'administer site configuration');
