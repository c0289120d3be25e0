/** An entity tag as it came: `opaque` without its quotes. */
export interface EntityTag {
  readonly isWeak: boolean;
  readonly opaque: string;
}

const ENTITY_TAG = /^(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"$/;
const LIST_MEMBER = /[ \t]*(?:(W\/)?"([\x21\x23-\x7e\x80-\xff]*)")?[ \t]*(?:,|$)/y;

/** The strong `ETag` of a body: one for the same bytes, another for any other. */
export function etagOf(body: string | Uint8Array): string {
  return strongEtag(Bun.hash(body).toString(16).padStart(16, '0'));
}

/** The strong `ETag` of something that is known by a name of its own, such as its checksum. */
export function strongEtag(opaque: string): string {
  return `"${opaque}"`;
}

/** One entity tag, or undefined for what is none. */
export function parseEtag(text: string): EntityTag | undefined {
  const [, weak, opaque] = ENTITY_TAG.exec(text) ?? [];
  return opaque === undefined ? undefined : { isWeak: weak !== undefined, opaque };
}

/**
 * The entity tags of `If-Match` or `If-None-Match` (RFC 9110, 13.1). A value that is no such list names
 * nothing: a condition on it fails where it guards a write, and a read is answered in full.
 */
export function parseEtagList(text: string): '*' | EntityTag[] {
  if (text.trim() === '*') return '*';
  const tags: EntityTag[] = [];
  LIST_MEMBER.lastIndex = 0;
  while (LIST_MEMBER.lastIndex < text.length) {
    const member = LIST_MEMBER.exec(text);
    if (member === null) return [];
    const [, weak, opaque] = member;
    if (opaque !== undefined) tags.push({ isWeak: weak !== undefined, opaque });
  }
  LIST_MEMBER.lastIndex = 0;
  return tags;
}

/** Whether two tags are the same and neither is weak (RFC 9110, 8.8.3.2). */
export function matchesStrongly(a: EntityTag, b: EntityTag): boolean {
  return !a.isWeak && !b.isWeak && a.opaque === b.opaque;
}

/** What stands between the state of an entity and how a caller sees it, in the tag of a representation. */
const STATE_END = '.';

/**
 * The strong `ETag` of one view of an entity, made of texts that tell apart its states and the views of each: `state` is
 * the same for every representation and every caller, `seen` is not.
 */
export function viewEtag(state: string, seen: string): string {
  const hash = (text: string) => Bun.hash(text).toString(36);
  return strongEtag(`${hash(state)}${STATE_END}${hash(seen)}`);
}

/**
 * Whether two strong tags are of the same state of an entity, whatever its representation: what a write has to know.
 * Someone may have been shown links that are others by now; that is no reason to refuse their change.
 */
export function matchesState(a: EntityTag, b: EntityTag): boolean {
  return !a.isWeak && !b.isWeak && matchesStateWeakly(a, b);
}

/** The same of tags that may be weak. */
export function matchesStateWeakly(a: EntityTag, b: EntityTag): boolean {
  return stateOf(a) === stateOf(b);
}

function stateOf({ opaque }: EntityTag): string {
  const end = opaque.indexOf(STATE_END);
  return end < 0 ? opaque : opaque.slice(0, end);
}

/** Whether two tags are the same, weak or not. */
export function matchesWeakly(a: EntityTag, b: EntityTag): boolean {
  return a.opaque === b.opaque;
}
