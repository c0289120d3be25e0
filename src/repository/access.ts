import { type Permission, permissionOf } from '../model/permissions.ts';
import {
  type Access,
  ALLOWED,
  type ContentAccess,
  type ContentFacts,
  denied,
  EVERYTHING,
  isVisible,
  type MediaNodes,
  mayCreateAny,
  type NodeFacts,
  oneOf,
  owns,
  type TermAccess,
  when,
} from './access-rule.ts';
import type { Actor } from './actor.ts';
import { atMedia, atNode } from './actor-at.ts';

/** The access rules (spec: rest-behaviour, 2.2 "403 reason texts"): pure functions of actors and facts. */

export const nodeAccess: ContentAccess = {
  visibility(actor) {
    if (actor.may('bypass node access')) return EVERYTHING;
    const published = actor.may('access content');
    if (published && actor.may('view any unpublished content')) return EVERYTHING;
    return { published, unpublished: published && actor.may('view own unpublished content') ? 'own' : 'none' };
  },
  view(actor, node) {
    const visibility = nodeAccess.visibility(atNode(actor, node));
    if (!isVisible(actor, node, visibility))
      return denied(visibility.published ? '' : "The 'access content' permission is required.");
    return when(actor.sight.sees(node.accessSet) || isExempt(actor, node), RESTRICTED);
  },
  createAny: (actor, bundles) => mayCreateAny(nodeAccess, actor, bundles, ''),
  create: (actor, bundle) =>
    when(
      actor.may('bypass node access') ||
        (actor.may('access content') && actor.may(permissionOf('create NAME content', bundle))),
      `You may not create content of the type ${bundle}.`,
    ),
  update: (actor, node) => mayChangeNode(actor, node, 'edit'),
  remove: (actor, node) => mayChangeNode(actor, node, 'delete'),
  viewRevisions: (actor, node) => mayUseRevisions(actor, node, 'view'),
  revert: (actor, node) => mayUseRevisions(actor, node, 'revert'),
};

const RESTRICTED = 'The access to this item is restricted.';

/** Returns true for those whom the access rules of a node never restrict: its owner, and its editors. */
function isExempt(actor: Actor, node: NodeFacts): boolean {
  return owns(actor, node) || atNode(actor, node).may(permissionOf('edit any NAME content', node.bundle));
}

/** Returns true if the actor sees the files of a node: those with some uses, or without uses all of them. */
export function seesFilesOf(actor: Actor, node: NodeFacts, uses: readonly number[] = []): boolean {
  if (!nodeAccess.view(actor, node).isAllowed) return false;
  return actor.sight.seesFiles(node.accessSet, uses) || isExempt(actor, node);
}

/**
 * Returns the access to requests for the files of a node, and to links that open them: that of its editors. `hasOwnRule` is false
 * for a rule of a collection above it, past which its owner alone lets nobody.
 */
export function linkAccess(actor: Actor, node: NodeFacts, hasOwnRule: boolean): Access {
  const update = nodeAccess.update(actor, node);
  if (!update.isAllowed) return update;
  const any = permissionOf('edit any NAME content', node.bundle);
  const mayOpen = hasOwnRule || actor.may('bypass node access') || atNode(actor, node).may(any);
  return when(mayOpen, () => `The '${any}' permission is required, because a collection restricts this item.`);
}

function mayChangeNode(caller: Actor, node: NodeFacts, verb: 'edit' | 'delete'): Access {
  const actor = atNode(caller, node);
  if (actor.may('bypass node access')) return ALLOWED;
  if (!actor.may('access content')) return denied("The 'access content' permission is required.");
  const any = permissionOf(`${verb} any NAME content`, node.bundle);
  const isAllowed =
    actor.may(any) || (owns(actor, node) && actor.may(permissionOf(`${verb} own NAME content`, node.bundle)));
  return when(isAllowed, () => `The '${any}' permission is required.`);
}

function mayUseRevisions(actor: Actor, node: ContentFacts, verb: 'view' | 'revert'): Access {
  const onEntity = verb === 'view' ? nodeAccess.view(actor, node) : nodeAccess.update(actor, node);
  if (!onEntity.isAllowed) return onEntity;
  return permissionAccess(
    atNode(actor, node),
    `${verb} all revisions`,
    permissionOf(`${verb} NAME revisions`, node.bundle),
    'administer nodes',
  );
}

export const mediaAccess: ContentAccess = {
  visibility(actor) {
    if (actor.may('administer media')) return EVERYTHING;
    return {
      published: actor.may('view media'),
      unpublished: actor.may('view own unpublished media') ? 'own' : 'none',
    };
  },
  view(actor, media) {
    const isFollowing = followsNode(actor, media) && actor.sight.seesFiles(media.accessSet, media.useIds ?? []);
    const isAllowed = isVisible(
      actor,
      { ...media, status: media.status && isFollowing },
      mediaAccess.visibility(atMedia(actor, media)),
    );
    if (media.status && !isFollowing) return when(isAllowed, 'The media belongs to a node that you may not view.');
    if (media.status)
      return when(isAllowed, "The 'view media' permission is required when the media item is published.");
    return when(
      isAllowed,
      "The user must be the owner and the 'view own unpublished media' permission is required when the media item is unpublished.",
    );
  },
  createAny: (actor, bundles) => mayCreateAny(mediaAccess, actor, bundles, oneOf(['administer media', 'create media'])),
  create: (actor, bundle) => {
    return permissionAccess(actor, 'administer media', 'create media', permissionOf('create NAME media', bundle));
  },
  update: (actor, media) => mayChangeMedia(actor, media, 'update', 'edit'),
  remove: (actor, media) => mayChangeMedia(actor, media, 'delete', 'delete'),
  viewRevisions(actor, media) {
    const view = mediaAccess.view(actor, media);
    if (!view.isAllowed) return view;
    return permissionAccess(atMedia(actor, media), 'view all media revisions', 'administer media');
  },
  revert(actor, media) {
    const view = mediaAccess.viewRevisions(actor, media);
    return view.isAllowed ? mediaAccess.update(actor, media) : view;
  },
};

/**
 * Returns true if a media's own status decides its visibility: the actor may view one of its nodes and the files of its uses,
 * or it never had a node (decision 32). Otherwise it counts as unpublished.
 */
function followsNode(actor: Actor, { belongsTo, useIds }: Pick<ContentFacts, 'belongsTo' | 'useIds'>): boolean {
  if (belongsTo === undefined) return false;
  const { nodes, hasLostNode }: MediaNodes = belongsTo;
  return nodes.length === 0 ? !hasLostNode : nodes.some((node) => seesFilesOf(actor, node, useIds));
}

/** The older permission names `update media` and `delete media` apply to the actor's own media. */
function mayChangeMedia(
  caller: Actor,
  media: ContentFacts,
  verb: 'update' | 'delete',
  bundleVerb: 'edit' | 'delete',
): Access {
  const actor = atMedia(caller, media);
  const ofAny: Permission[] = [
    'administer media',
    `${verb} any media`,
    permissionOf(`${bundleVerb} any NAME media`, media.bundle),
  ];
  const ofOwn: Permission[] = [`${verb} media`, permissionOf(`${bundleVerb} own NAME media`, media.bundle)];
  if (ofAny.some(actor.may) || (owns(actor, media) && ofOwn.some(actor.may))) return ALLOWED;
  return denied(
    oneOf([
      `${verb} any media`,
      `${verb} own media`,
      `${media.bundle}: ${bundleVerb} any media`,
      `${media.bundle}: ${bundleVerb} own media`,
    ]),
  );
}

export const termAccess: TermAccess = {
  visibility: (actor) =>
    actor.may('administer taxonomy') ? EVERYTHING : { published: actor.may('access content'), unpublished: 'none' },
  view: (actor, term) =>
    when(
      isVisible(actor, term, termAccess.visibility(actor)),
      "The 'access content' permission is required and the taxonomy term must be published.",
    ),
  createAny: (actor, vocabularies) =>
    mayCreateAny(termAccess, actor, vocabularies, "The 'administer taxonomy' permission is required."),
  create: (actor, vocabulary) => mayChangeTerm(actor, vocabulary, 'create'),
  update: (actor, term) => mayChangeTerm(actor, term.bundle, 'edit'),
  remove: (actor, term) => mayChangeTerm(actor, term.bundle, 'delete'),
  viewRevisions: (actor) => when(actor.may('administer taxonomy'), "The 'administer taxonomy' permission is required."),
  revert: (actor, term) => mayChangeTerm(actor, term.bundle, 'edit'),
};

function mayChangeTerm(actor: Actor, vocabulary: string, verb: 'create' | 'edit' | 'delete'): Access {
  return permissionAccess(actor, permissionOf(`${verb} terms in NAME`, vocabulary), 'administer taxonomy');
}

/** Returns the access to a write that adds or removes these URIs. `configured`: `Services.configuredUris`. */
export function termUriAccess(actor: Actor, uris: Iterable<string>, configured: ReadonlySet<string>): Access {
  if (actor.may(CONFIGURED_TERMS)) return ALLOWED;
  for (const uri of uris)
    if (configured.has(uri))
      return denied(
        `The configuration refers to the term by ${uri}: the '${CONFIGURED_TERMS}' permission is required.`,
      );
  return ALLOWED;
}

const CONFIGURED_TERMS = 'administer configured terms';

/** Returns whether the actor administers the files of all users, including unreferenced ones. */
export const isFileAdministrator = (actor: Actor): boolean => actor.may(DELETE_ANY_FILE);

const DELETE_ANY_FILE = 'delete any file';

/** Returns the access to a file, which `content/read/readable-files.ts` decides. */
export const fileReadAccess = (mayRead: boolean): Access =>
  when(mayRead, 'You may read a file if you may view an item that refers to it.');

export function fileRemoveAccess(actor: Actor, file: { readonly ownerId: number }): Access {
  const isOwn = actor.isAuthenticated && actor.id === file.ownerId;
  return when(
    isFileAdministrator(actor) || (isOwn && actor.may('delete own files')),
    "The 'delete any file' permission is required.",
  );
}

/** Files are created by uploads only (spec: rest-behaviour, 10.2). */
export const fileCreateAccess: Access = denied('');

/** Returns the access to the list of all files. */
export const fileListAccess = (actor: Actor): Access => permissionAccess(actor, DELETE_ANY_FILE);

/** Returns the access to a PUT of a file to a node (spec: rest-behaviour, 5.1 step 2). */
export function attachAccess(actor: Actor, node: NodeFacts): Access {
  return when(nodeAccess.update(actor, node).isAllowed && atNode(actor, node).may('create media'), '');
}

/** Returns the access to uploads in parts: that of users who may create some media, or replace their files. */
export function uploadAccess(actor: Actor, mediaTypes: readonly string[]): Access {
  const { may } = actor.anywhere();
  const create = mediaAccess.createAny(actor.anywhere(), mediaTypes);
  const mayReplace = may('update media') || may('update any media');
  return actor.isAuthenticated && mayReplace ? ALLOWED : when(actor.isAuthenticated && create.isAllowed, CREATE_MEDIA);
}

const CREATE_MEDIA = "The 'create media' permission is required.";

/** Returns the access to a PUT of a media's source: that of a PATCH, with the reason of rest-behaviour, 5.3. */
export function replaceSourceAccess(actor: Actor, media: ContentFacts): Access {
  const update = mediaAccess.update(actor, media);
  return update.isAllowed || atMedia(actor, media).may('update media')
    ? update
    : denied("The 'update media' permission is required.");
}

/** Returns the access with any of the permissions. */
export function permissionAccess(actor: Actor, ...permissions: Permission[]): Access {
  const reason = permissions.length === 1 ? `The '${permissions[0]}' permission is required.` : oneOf(permissions);
  return when(permissions.some(actor.may), reason);
}
