import type { Actor } from '../repository/actor.ts';
import type { AdminPage, ApiServices } from './api-services.ts';
import type { PageUser } from './site.ts';

/** Returns a signed-in caller for pages. Undefined for anonymous callers. */
export function pageUser(api: Pick<ApiServices, 'kinds' | 'adminPages'>, actor: Actor): PageUser | undefined {
  const { isAuthenticated, id, name } = actor;
  if (!isAuthenticated) return undefined;
  const { access, bundles } = api.kinds.node;
  const managed = adminPagesFor(api, actor);
  return {
    id,
    name,
    mayAdd: access.createAny(actor.anywhere(), bundles.keys()).isAllowed,
    mayManage: managed.length > 0,
    managed,
  };
}

/** Returns the pages for the management of the repository that an actor may open. */
export function adminPagesFor(
  { adminPages, kinds }: Pick<ApiServices, 'kinds' | 'adminPages'>,
  actor: Actor,
): readonly AdminPage[] {
  return adminPages.filter(({ access }) => access(actor, kinds).isAllowed);
}
