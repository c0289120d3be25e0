import { nodeAccess } from '../../repository/access.ts';
import { nodeOverviewAccess } from '../../repository/core-right.ts';
import type { AdminPage } from '../../web/api-services.ts';

/** The access to imports: callers who may create items of any type, and those who may open the list of items to change them. */
export const importAccess: AdminPage['access'] = (actor, { node }) => {
  const creates = nodeAccess.createAny(actor, node.bundles.keys());
  return creates.isAllowed ? creates : nodeOverviewAccess(actor);
};
