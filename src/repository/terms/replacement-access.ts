import { termAccess, termUriAccess } from '../access.ts';
import { type Access, ALLOWED, type ContentFacts } from '../access-rule.ts';
import type { Actor } from '../actor.ts';

/** Two terms of which the first one is replaced by the second in all content. */
interface TermReplacementFacts {
  readonly from: ContentFacts;
  readonly into: ContentFacts;
  /** The URIs of the first one. */
  readonly uris: readonly string[];
  /** True if the first one stays. */
  readonly keeps: boolean;
}

/**
 * Returns the access to the merge of a term: that of users who may delete it and change the other one. All content follows, as with a
 * deletion. To replace it and keep it, users must be able to change both.
 */
export function termReplacementAccess(
  actor: Actor,
  { from, into, uris, keeps }: TermReplacementFacts,
  configured: ReadonlySet<string>,
): Access {
  const steps = [
    termAccess.view(actor, from),
    termAccess.view(actor, into),
    keeps ? termAccess.update(actor, from) : termAccess.remove(actor, from),
    termAccess.update(actor, into),
    termUriAccess(actor, uris, configured),
  ];
  return steps.find(({ isAllowed }) => !isAllowed) ?? ALLOWED;
}
