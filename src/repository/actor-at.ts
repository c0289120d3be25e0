import type { ContentFacts, ContentType, NodeFacts } from './access-rule.ts';
import type { Actor } from './actor.ts';

/** Returns the actor with the permissions at a node (`Actor.at`). */
export const atNode = (actor: Actor, { accessSet }: Pick<NodeFacts, 'accessSet'>): Actor => actor.at([accessSet]);

/** Returns the actor with the permissions at a media: those at all of its nodes. */
export function atMedia(actor: Actor, { belongsTo }: Pick<ContentFacts, 'belongsTo'>): Actor {
  return actor.at((belongsTo?.nodes ?? []).map(({ accessSet }) => accessSet));
}

/** Returns the actor with the permissions at content. Those at a paragraph are those at the topmost entity that contains it. */
export function actorAt(actor: Actor, type: ContentType, content: Omit<ContentFacts, 'bundle' | 'ownerId'>): Actor {
  if (type === 'node') return atNode(actor, content);
  if (type === 'media') return atMedia(actor, content);
  const host = type === 'paragraph' ? content.hosts?.at(-1) : undefined;
  return host === undefined || host.type === 'paragraph' ? actor.at([]) : actorAt(actor, host.type, host);
}
