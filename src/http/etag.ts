/** A parsed entity tag. `opaque` has no quotes. */
export interface EntityTag {
  readonly isWeak: boolean;
  readonly opaque: string;
}

const ENTITY_TAG = /^(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"$/;
const LIST_MEMBER = /[ \t]*(?:(W\/)?"([\x21\x23-\x7e\x80-\xff]*)")?[ \t]*(?:,|$)/y;

/** Returns the strong `ETag` of a body, a hash of its bytes. */
export function etagOf(body: string | Uint8Array): string {
  return strongEtag(Bun.hash(body).toString(16).padStart(16, '0'));
}

/** Returns the strong `ETag` of an identifier, such as a checksum. */
export function strongEtag(opaque: string): string {
  return `"${opaque}"`;
}

/** Parses an entity tag. Returns undefined for other text. */
export function parseEtag(text: string): EntityTag | undefined {
  const [, weak, opaque] = ENTITY_TAG.exec(text) ?? [];
  return opaque === undefined ? undefined : { isWeak: weak !== undefined, opaque };
}

/**
 * Parses the entity tags of `If-Match` or `If-None-Match` (RFC 9110, 13.1). An invalid list is empty: `If-Match` then fails,
 * and a read returns 200.
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

/** Returns true if two tags are equal and neither is weak (RFC 9110, 8.8.3.2). */
export function matchesStrongly(a: EntityTag, b: EntityTag): boolean {
  return !a.isWeak && !b.isWeak && a.opaque === b.opaque;
}

/** Separates the hashes of the state and of the view in a tag. */
const STATE_END = '.';

/**
 * Returns the strong `ETag` of a view of an entity. `state` identifies the state, in every representation and for every
 * caller; `seen` identifies the view of it.
 */
export function viewEtag(state: string, seen: string): string {
  const hash = (text: string) => Bun.hash(text).toString(36);
  return strongEtag(`${hash(state)}${STATE_END}${hash(seen)}`);
}

/**
 * Returns true if two strong tags are of the same state of an entity, in any representation. Writes compare states: links
 * that have changed since the read are no conflict.
 */
export function matchesState(a: EntityTag, b: EntityTag): boolean {
  return !a.isWeak && !b.isWeak && matchesStateWeakly(a, b);
}

/** Returns true if two tags, weak or not, are of the same state of an entity. */
export function matchesStateWeakly(a: EntityTag, b: EntityTag): boolean {
  return stateOf(a) === stateOf(b);
}

function stateOf({ opaque }: EntityTag): string {
  const end = opaque.indexOf(STATE_END);
  return end < 0 ? opaque : opaque.slice(0, end);
}

/** Returns true if two tags are equal, weak or not. */
export function matchesWeakly(a: EntityTag, b: EntityTag): boolean {
  return a.opaque === b.opaque;
}
