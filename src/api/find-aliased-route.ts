import { paths } from '../paths.ts';
import { findAliased } from '../repository/content/find-alias.ts';
import type { Services } from '../repository/services.ts';
import type { OfferedRoute } from './routes.ts';

/** The routes of the entity that an alias stands for, and what its address says. */
export interface AliasedRoutes {
  readonly routes: readonly OfferedRoute[];
  readonly params: Record<string, string>;
}

/** What can have an alias. */
const ALIASED = [paths.node, paths.media, paths.term];

/** Finds what an address stands for that is no route's own: `/islandora/letters` is answered as `/node/12` is. */
export function createFindRoute(
  { database }: Services,
  methodsOf: ReadonlyMap<string, readonly OfferedRoute[]>,
): (path: string) => Promise<AliasedRoutes | undefined> {
  const patterns = ALIASED.map((pattern) => {
    const [prefix = '', parameter = ''] = pattern.split(':');
    return { prefix, parameter, routes: methodsOf.get(pattern) ?? [] };
  });
  return async (path) => {
    const canonical = await findAliased(database, path);
    if (canonical === undefined) return undefined;
    const found = patterns.find(({ prefix }) => canonical.startsWith(prefix));
    return found && { routes: found.routes, params: { [found.parameter]: canonical.slice(found.prefix.length) } };
  };
}
