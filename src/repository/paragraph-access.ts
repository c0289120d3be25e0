import { permissionOf } from '../model/permissions.ts';
import { mediaAccess, nodeAccess, permissionAccess, termAccess } from './access.ts';
import {
  type Access,
  type ContentAccess,
  type ContentFacts,
  EVERYTHING,
  type HostFacts,
  mayCreateAny,
  oneOf,
  owns,
  type Visibility,
  when,
} from './access-rule.ts';
import type { Actor } from './actor.ts';
import { actorAt } from './actor-at.ts';

const BYPASS = 'bypass paragraphs type content access';
const NOTHING: Visibility = { published: false, unpublished: 'none' };

type Verb = 'create' | 'update' | 'delete';

/**
 * A paragraph is part of its host: actors who may not view the host may not view the paragraph, and those who may not
 * change the host may not change the paragraph.
 */
export const paragraphAccess: ContentAccess = {
  visibility: (actor) => (actor.may(BYPASS) ? EVERYTHING : NOTHING),
  view: (actor, paragraph) =>
    when(
      reachesHost(actor, paragraph, 'view') && (paragraph.status || mayChange(actor, paragraph, 'update').isAllowed),
      'You may view a paragraph if you may view the entity that contains it, and if the paragraph is published or you may change it.',
    ),
  createAny: (actor, bundles) => mayCreateAny(paragraphAccess, actor, bundles, oneOf([BYPASS])),
  create: (actor, bundle) => permitted(actor, bundle, 'create'),
  update: (actor, paragraph) => mayChange(actor, paragraph, 'update'),
  remove: (actor, paragraph) => mayChange(actor, paragraph, 'delete'),
  viewRevisions: (actor, paragraph) => mayChange(actor, paragraph, 'update'),
  revert: (actor, paragraph) => mayChange(actor, paragraph, 'update'),
};

/** The access rules of each type of content. */
export const CONTENT_ACCESS = {
  node: nodeAccess,
  media: mediaAccess,
  taxonomy_term: termAccess,
  paragraph: paragraphAccess,
} as const;

function permitted(actor: Actor, bundle: string, verb: Verb): Access {
  return permissionAccess(actor, permissionOf(`${verb} paragraph content NAME`, bundle), BYPASS);
}

function mayChange(actor: Actor, paragraph: ContentFacts, verb: 'update' | 'delete'): Access {
  const permission = permitted(actorAt(actor, 'paragraph', paragraph), paragraph.bundle, verb);
  if (!permission.isAllowed) return permission;
  const isHostOpen = reachesHost(actor, paragraph, 'view') && reachesHost(actor, paragraph, 'update');
  return when(isHostOpen, 'You may change or delete a paragraph if you may change the entity that contains it.');
}

/** Returns true if the actor has access to the host of a paragraph. Without a host, its owner has. */
function reachesHost(actor: Actor, paragraph: ContentFacts, act: 'view' | 'update'): boolean {
  const [host, ...above] = paragraph.hosts ?? [];
  if (host === undefined) return owns(actor, paragraph) || actor.may(BYPASS);
  const facts: ContentFacts & HostFacts = host.type === 'paragraph' ? { ...host, hosts: above } : host;
  const access = CONTENT_ACCESS[host.type];
  // A removed paragraph is part of previous revisions only.
  const isThere = host.isNaming || access.viewRevisions(actor, facts).isAllowed;
  return isThere && access[act](actor, facts).isAllowed;
}
