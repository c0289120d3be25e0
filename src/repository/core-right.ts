import { permissionAccess } from './access.ts';
import { type Access, ALLOWED, type ContentAccess, type ContentFacts } from './access-rule.ts';
import type { Actor } from './actor.ts';

/** A right that the page of a core link requires. */
export type CoreRight = 'view' | 'update' | 'remove' | 'create' | 'createAny' | 'viewRevisions' | 'list';

/** Returns the access to the page for a right on content that the actor may view. */
export function contentRight(
  actor: Actor,
  { access, bundles }: { readonly access: ContentAccess; readonly bundles: ReadonlyMap<string, unknown> },
  right: CoreRight,
  content: ContentFacts,
): Access {
  if (right === 'view') return ALLOWED;
  if (right === 'list') return mediaOverviewAccess(actor);
  if (right === 'createAny') return access.createAny(actor.anywhere(), bundles.keys());
  return right === 'create' ? access.create(actor.anywhere(), content.bundle) : access[right](actor, content);
}

/** Returns the access to the list of all nodes for editors. */
export function nodeOverviewAccess(actor: Actor): Access {
  return permissionAccess(actor.anywhere(), 'access content overview', 'administer nodes', 'bypass node access');
}

/** Returns the access to the list of all media. */
export function mediaOverviewAccess(actor: Actor): Access {
  return permissionAccess(actor.anywhere(), 'access media overview', 'administer media');
}

/** Returns the access to the management of accounts. */
export function accountAccess(actor: Actor): Access {
  return permissionAccess(actor, 'administer users');
}
