import type { Call } from './call.ts';
import { answerKey } from './content-links.ts';
import type { Representation } from './respond.ts';

/** The time for which shared caches, and the cache of this process, may keep a list for strangers, in seconds. */
const SHARED_S = 60;
/** A browser asks each time. `s-maxage` is for the caches between. */
const SHARED = `public, max-age=0, s-maxage=${SHARED_S}`;
const OWN = 'must-revalidate, no-cache, private';

/** Returns true if the answer to a call is the same for all strangers: it has no credentials and no cookie. */
function isShared({ isAnonymous }: Call): boolean {
  return isAnonymous;
}

/** Returns `Cache-Control` of a search, a list or the first page. */
export function listCaching(call: Call): string {
  return isShared(call) ? SHARED : OWN;
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
  const { listAnswers } = call.api;
  const caching = listCaching(call);
  const key = `${answerKey(call, name)} ${caching}`;
  // The state must precede the reads.
  const state = listAnswers.state();
  const known = listAnswers.get(key);
  if (known !== undefined) return known;
  const made = await create();
  const answer = { ...made, headers: { ...made.headers, 'Cache-Control': caching } };
  listAnswers.set(key, answer, { state, expiresAtMs: Date.now() + SHARED_S * 1_000 });
  return answer;
}
