import { permissionAccess } from './access.ts';
import { type Access, ALLOWED, type ContentAccess, type ContentFacts } from './access-rule.ts';
import type { Actor } from './actor.ts';

/** A right that the page of a core link asks for. */
export type CoreRight = 'view' | 'update' | 'remove' | 'create' | 'createAny' | 'viewRevisions' | 'list';

/** Returns whether an actor may open the page for a right on content that they may view. */
export function contentRight(
  actor: Actor,
  { access, bundles }: { readonly access: ContentAccess; readonly bundles: ReadonlyMap<string, unknown> },
  right: CoreRight,
  content: ContentFacts,
): Access {
  if (right === 'view') return ALLOWED;
  if (right === 'list') return mediaOverviewAccess(actor);
  if (right === 'createAny') return access.createAny(actor, bundles.keys());
  return right === 'create' ? access.create(actor, content.bundle) : access[right](actor, content);
}

/** Returns whether an actor may look through all media that they may view. */
export function mediaOverviewAccess(actor: Actor): Access {
  return permissionAccess(actor, 'access media overview', 'administer media');
}

/** Returns whether an actor may manage accounts. */
export function accountAccess(actor: Actor): Access {
  return permissionAccess(actor, 'administer users');
}
