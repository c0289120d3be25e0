import { mediaAccess, nodeAccess, termAccess } from './access.ts';
import {
  type Access,
  ALLOWED,
  type ContentAccess,
  type ContentFacts,
  denied,
  EVERYTHING,
  type HostFacts,
  oneOf,
  owns,
  type Visibility,
  when,
} from './access-rule.ts';
import type { Actor } from './actor.ts';

const BYPASS = 'bypass paragraphs type content access';
const NOTHING: Visibility = { published: false, unpublished: 'none' };

type Verb = 'create' | 'update' | 'delete';

/**
 * A paragraph is part of what it belongs to: whoever may not see that sees nothing of it, and whoever may not change that
 * changes nothing of it.
 */
export const paragraphAccess: ContentAccess = {
  visibility: (actor) => (actor.may(BYPASS) ? EVERYTHING : NOTHING),
  view: (actor, paragraph) =>
    when(
      reachesHost(actor, paragraph, 'view') && (paragraph.status || mayChange(actor, paragraph, 'update').isAllowed),
      'A paragraph is seen by those who see what it belongs to, and while it is unpublished by those who may change it.',
    ),
  createAny: (actor, bundles) => {
    for (const bundle of bundles) if (paragraphAccess.create(actor, bundle).isAllowed) return ALLOWED;
    return denied(oneOf([BYPASS]));
  },
  create: (actor, bundle) => permitted(actor, bundle, 'create'),
  update: (actor, paragraph) => mayChange(actor, paragraph, 'update'),
  remove: (actor, paragraph) => mayChange(actor, paragraph, 'delete'),
  viewRevisions: (actor, paragraph) => mayChange(actor, paragraph, 'update'),
  revert: (actor, paragraph) => mayChange(actor, paragraph, 'update'),
};

/** The rules of every kind of content. */
export const CONTENT_ACCESS = {
  node: nodeAccess,
  media: mediaAccess,
  taxonomy_term: termAccess,
  paragraph: paragraphAccess,
} as const;

function permitted(actor: Actor, bundle: string, verb: Verb): Access {
  const permissions = [`${verb} paragraph content ${bundle}`, BYPASS];
  return when(permissions.some(actor.may), oneOf(permissions));
}

function mayChange(actor: Actor, paragraph: ContentFacts, verb: 'update' | 'delete'): Access {
  const permission = permitted(actor, paragraph.bundle, verb);
  if (!permission.isAllowed) return permission;
  const isHostOpen = reachesHost(actor, paragraph, 'view') && reachesHost(actor, paragraph, 'update');
  return when(isHostOpen, 'A paragraph is changed and deleted by those who may change what it belongs to.');
}

/** Whether an actor may do this with what a paragraph belongs to; with none, it is a matter of whose paragraph it is. */
function reachesHost(actor: Actor, paragraph: ContentFacts, act: 'view' | 'update'): boolean {
  const [host, ...above] = paragraph.hosts ?? [];
  if (host === undefined) return owns(actor, paragraph) || actor.may(BYPASS);
  const facts: ContentFacts & HostFacts = host.type === 'paragraph' ? { ...host, hosts: above } : host;
  const access = CONTENT_ACCESS[host.type];
  // What was taken out is part of former revisions alone.
  const isThere = host.isNaming || access.viewRevisions(actor, facts).isAllowed;
  return isThere && access[act](actor, facts).isAllowed;
}
