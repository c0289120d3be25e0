import type { Call } from './call.ts';
import { answerKey } from './content-links.ts';
import type { Representation } from './respond.ts';

/** The time for which shared caches, and the cache of this process, may keep a list for strangers, in seconds. */
const SHARED_S = 60;
const OWN = 'must-revalidate, no-cache, private';

/**
 * Returns true if the answer to a call is the same for all strangers: it has no credentials and no cookie, and no access rule lets
 * a network in, whose callers see more.
 */
function isShared({ isAnonymous, api }: Call): boolean {
  return isAnonymous && !api.services.access.sets.dependsOnNetworks;
}

/**
 * Returns `Cache-Control` of a search, a list or the first page. A browser asks each time; `s-maxage` is for the caches between,
 * and ends before a rule may begin or end.
 */
export function listCaching(call: Call): string {
  return isShared(call) ? `public, max-age=0, s-maxage=${call.api.services.access.cacheSeconds(SHARED_S)}` : OWN;
}

/**
 * Returns a list from the cache, or creates it. It is kept until the next write, and at most as long as shared caches keep
 * it: the end of an embargo is no write.
 */
export async function listAnswer(
  call: Call,
  name: string,
  create: () => Promise<Representation>,
): Promise<Representation> {
  const { listAnswers, services } = call.api;
  const caching = listCaching(call);
  const seconds = services.access.cacheSeconds(SHARED_S);
  const key = `${answerKey(call, name)} ${isShared(call)}`;
  // The state must precede the reads.
  const state = listAnswers.state();
  const known = listAnswers.get(key);
  if (known !== undefined) return { ...known, headers: { ...known.headers, 'Cache-Control': caching } };
  const made = await create();
  const answer = { ...made, headers: { ...made.headers, 'Cache-Control': caching } };
  listAnswers.set(key, answer, { state, expiresAtMs: Date.now() + seconds * 1_000 });
  return answer;
}
