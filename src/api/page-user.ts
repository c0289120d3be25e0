import type { Actor } from '../repository/actor.ts';
import { adminPagesFor } from '../representation/admin-pages.ts';
import type { PageUser } from '../representation/page-data.ts';
import type { ApiServices } from './api-services.ts';

/** Returns a signed-in caller for pages. Undefined for anonymous callers. */
export function pageUser({ kinds }: Pick<ApiServices, 'kinds'>, actor: Actor): PageUser | undefined {
  const { isAuthenticated, id, name } = actor;
  if (!isAuthenticated) return undefined;
  const { access, bundles } = kinds.node;
  const managed = adminPagesFor(actor, kinds).map(({ path }) => path);
  return {
    id,
    name,
    mayAdd: access.createAny(actor, bundles.keys()).isAllowed,
    mayManage: managed.length > 0,
    managed,
  };
}
