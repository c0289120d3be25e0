import type { Actor } from './actor.ts';

/** Whether an actor may do something, and if not, why. */
export type Access = { readonly isAllowed: true } | { readonly isAllowed: false; readonly reason: string };

export const ALLOWED: Access = { isAllowed: true };

type Reason = string | (() => string);

/** Most refusals only hide a member or an entry of a list: their reason is not put into words unless it is asked for. */
class Denied {
  readonly isAllowed = false;
  readonly #reason: Reason;

  constructor(reason: Reason) {
    this.#reason = reason;
  }

  get reason(): string {
    return typeof this.#reason === 'string' ? this.#reason : this.#reason();
  }
}

/** A refusal. */
export const denied = (reason: Reason): Access => new Denied(reason);

/** What is allowed under a condition, and refused without it. */
export const when = (isAllowed: boolean, reason: Reason): Access => (isAllowed ? ALLOWED : denied(reason));

/** Content with an address of its own, which links and lists lead to. */
export type LinkedType = 'node' | 'media' | 'taxonomy_term';
export type ContentType = LinkedType | 'paragraph';

/** The facts of content that access depends on. */
export interface ContentFacts {
  readonly bundle: string;
  readonly ownerId: number;
  readonly status: boolean;
  /** Of a paragraph: what it belongs to, and what that belongs to; none while nothing refers to it. */
  readonly hosts?: readonly HostFacts[];
  /** The nodes that a media belongs to. Without them, the media counts as hidden. */
  readonly belongsTo?: MediaNodes | undefined;
}

/** The nodes that a media names in `field_media_of`. */
export interface MediaNodes {
  readonly nodes: readonly Pick<ContentFacts, 'bundle' | 'ownerId' | 'status'>[];
  /** True if the media's node was deleted and it has no other since. */
  readonly hasLostNode: boolean;
}

/** Something that paragraphs belong to. */
export interface HostFacts {
  readonly type: ContentType;
  readonly id: number;
  readonly bundle: string;
  readonly ownerId: number;
  readonly status: boolean;
  /** Whether it refers to them now, and not in former revisions alone. */
  readonly isNaming: boolean;
  /** The nodes of a media, as in `ContentFacts`. */
  readonly belongsTo?: MediaNodes;
}

/** What of a kind an actor may see, in a form that a query can be given. */
export interface Visibility {
  readonly published: boolean;
  readonly unpublished: 'all' | 'own' | 'none';
}

export const EVERYTHING: Visibility = { published: true, unpublished: 'all' };

/** The rules of one kind of content. */
export interface ContentAccess {
  visibility(actor: Actor): Visibility;
  view(actor: Actor, content: ContentFacts): Access;
  /** Before the body is read: whether the actor could create anything of this kind at all. */
  createAny(actor: Actor, bundles: Iterable<string>): Access;
  create(actor: Actor, bundle: string): Access;
  update(actor: Actor, content: ContentFacts): Access;
  remove(actor: Actor, content: ContentFacts): Access;
  viewRevisions(actor: Actor, content: ContentFacts): Access;
  revert(actor: Actor, content: ContentFacts): Access;
}

/** Whether something is the actor's own. */
export const owns = (actor: Actor, content: ContentFacts) => actor.isAuthenticated && actor.id === content.ownerId;

/** Whether content is among what may be seen. */
export function isVisible(actor: Actor, content: ContentFacts, { published, unpublished }: Visibility): boolean {
  if (content.status) return published;
  return unpublished === 'all' || (unpublished === 'own' && owns(actor, content));
}

/** The words of a refusal for want of a permission. */
export const oneOf = (permissions: string[]) => () =>
  `The following permissions are required: ${permissions.map((each) => `'${each}'`).join(' OR ')}.`;
