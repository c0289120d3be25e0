import type { Actor } from './actor.ts';

/** The permission for an action, or the reason of its refusal. */
export type Access = { readonly isAllowed: true } | { readonly isAllowed: false; readonly reason: string };

export const ALLOWED: Access = { isAllowed: true };

type Reason = string | (() => string);

/** A refusal. Most refusals only hide a member or a list entry, so the reason is a function: few callers read it. */
class Denial {
  readonly isAllowed = false;
  readonly #reason: Reason;

  constructor(reason: Reason) {
    this.#reason = reason;
  }

  get reason(): string {
    return typeof this.#reason === 'string' ? this.#reason : this.#reason();
  }
}

export const denied = (reason: Reason): Access => new Denial(reason);

/** Returns a permission or a refusal. */
export const when = (isAllowed: boolean, reason: Reason): Access => (isAllowed ? ALLOWED : denied(reason));

/** Content with its own address, to which links and lists lead. */
export type LinkedType = 'node' | 'media' | 'taxonomy_term';
export type ContentType = LinkedType | 'paragraph';

/** The facts of any content that access depends on. */
export interface StatusFacts {
  readonly bundle: string;
  readonly ownerId: number;
  readonly status: boolean;
}

/** The facts of content that access depends on. */
export interface ContentFacts extends StatusFacts {
  /** The id of the access set of a node, or of a media with access terms of its own; 0 for none, and for other content. */
  readonly accessSet: number;
  /** The ids of the uses of a media. Without them, no rule leaves it open that closes files. */
  readonly useIds?: readonly number[] | undefined;
  /** The hosts of a paragraph, the nearest first; none while nothing refers to it. */
  readonly hosts?: readonly HostFacts[];
  /** The nodes that a media belongs to. Without them, the media counts as hidden. */
  readonly belongsTo?: MediaNodes | undefined;
}

/** The facts of a node that access depends on. */
export type NodeFacts = Pick<ContentFacts, 'bundle' | 'ownerId' | 'status' | 'accessSet'>;

/** The nodes that a media belongs to. */
export interface MediaNodes {
  readonly nodes: readonly NodeFacts[];
  /** True if the media's node was deleted and the media has got no other. */
  readonly hasLostNode: boolean;
}

/** An entity that contains a paragraph. */
export interface HostFacts {
  readonly type: ContentType;
  readonly id: number;
  readonly bundle: string;
  readonly ownerId: number;
  readonly status: boolean;
  readonly accessSet: number;
  /** True if it refers to the paragraph now, not only in previous revisions. */
  readonly isNaming: boolean;
  /** As in `ContentFacts`. */
  readonly useIds?: readonly number[];
  readonly belongsTo?: MediaNodes;
}

/** The content of a kind that an actor may view, for conditions of queries. */
export interface Visibility {
  readonly published: boolean;
  readonly unpublished: 'all' | 'own' | 'none';
}

export const EVERYTHING: Visibility = { published: true, unpublished: 'all' };

/** The access rules of a kind of content. */
export interface ContentAccess {
  visibility(actor: Actor): Visibility;
  view(actor: Actor, content: ContentFacts): Access;
  /** Decides before the body is read: may the actor create content of any of the bundles? */
  createAny(actor: Actor, bundles: Iterable<string>): Access;
  create(actor: Actor, bundle: string): Access;
  update(actor: Actor, content: ContentFacts): Access;
  remove(actor: Actor, content: ContentFacts): Access;
  viewRevisions(actor: Actor, content: ContentFacts): Access;
  revert(actor: Actor, content: ContentFacts): Access;
}

/** The access rules of terms, which no access rule restricts, and no role for a collection opens. */
export interface TermAccess extends ContentAccess {
  update(actor: Actor, content: StatusFacts): Access;
  remove(actor: Actor, content: StatusFacts): Access;
  view(actor: Actor, term: StatusFacts): Access;
}

/** Returns the access of an actor who may create content of any of the bundles. */
export function mayCreateAny(
  { create }: Pick<ContentAccess, 'create'>,
  actor: Actor,
  bundles: Iterable<string>,
  reason: Reason,
): Access {
  for (const bundle of bundles) if (create(actor, bundle).isAllowed) return ALLOWED;
  return denied(reason);
}

/** Returns true if the actor owns the content. */
export const owns = (actor: Actor, content: StatusFacts) => actor.isAuthenticated && actor.id === content.ownerId;

export function isVisible(actor: Actor, content: StatusFacts, { published, unpublished }: Visibility): boolean {
  if (content.status) return published;
  return unpublished === 'all' || (unpublished === 'own' && owns(actor, content));
}

/** Returns the reason of a refusal without one of the permissions. */
export const oneOf = (permissions: string[]) => () =>
  `The following permissions are required: ${permissions.map((each) => `'${each}'`).join(' OR ')}.`;
