import type { RepositoryConfig } from '../config/server-config.ts';
import { clientAddress, parseNetworks, type TrustedProxies } from '../http/trusted-proxies.ts';
import type { Actor, ActorFacts } from '../repository/actor.ts';
import type { ApiServices } from '../web/api-services.ts';
import type { Identity } from '../web/known-callers.ts';

const NONE: readonly string[] = [];

/**
 * Returns true for a request of a script of another site. It gets what strangers get: every site may read public answers (CORS),
 * and one that a user of a network visits would otherwise read what the network alone may see.
 */
function isOfOtherSite({ headers }: Request): boolean {
  const origin = headers.get('origin');
  return origin !== null && URL.parse(origin)?.host !== headers.get('host');
}

/** Creates the functions that identify callers by their network. Each combination of networks has one anonymous actor. */
export function createNetworks(
  { networks }: Pick<RepositoryConfig, 'networks'>,
  makeActor: (facts: ActorFacts) => Actor,
  anonymous: Actor,
  proxies: TrustedProxies,
): Pick<ApiServices, 'networksOf' | 'anonymousIn' | 'anonymousWith'> {
  const namesOf = parseNetworks(networks);
  const identityOf = (actor: Actor): Identity => {
    return { actor, authentication: undefined, sessionId: undefined, credentialsChanged: 0 };
  };
  const { id, uuid, name, roles } = anonymous;
  const nowhere = identityOf(anonymous);
  const known = new Map<string, Identity>();
  return {
    networksOf: (request, peer) =>
      networks.size === 0 || isOfOtherSite(request) ? NONE : namesOf(clientAddress(request.headers, peer, proxies)),
    anonymousWith: (names, granted) => identityOf(makeActor({ id, uuid, name, roles, networks: names, granted })),
    anonymousIn(names) {
      if (names.length === 0) return nowhere;
      const key = names.join(' ');
      const identity = known.get(key) ?? identityOf(makeActor({ id, uuid, name, roles, networks: names }));
      known.set(key, identity);
      return identity;
    },
  };
}
