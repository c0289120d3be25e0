import { madeOnce } from '../../base/made-once.ts';
import type { Draft } from './base-field.ts';
import type { ContentKind } from './kinds.ts';

/** Facts about a revision that the documents of some kinds lack. */
export type RevisionFacts = Pick<Draft, 'uuid' | 'bundle' | 'ownerId' | 'status' | 'revisionLog'>;

/**
 * Returns the SHA-256 (base64url) of a revision: of its facts, and of its document without its leading identity
 * (`restOf`) and without the members of the entity. The identity holds ids that the database assigns only during the
 * write; verification compares them with the row.
 */
export function revisionChecksum(kind: ContentKind, facts: RevisionFacts, rest: string): string {
  const { uuid, bundle, ownerId, status, revisionLog } = facts;
  const log = revisionLog === null ? '' : JSON.stringify(revisionLog);
  let text = `${uuid}\n${bundle}\n${ownerId}\n${status}\n${log}\n`;
  let from = 0;
  for (const begin of membersOfEntity(kind)) {
    const at = rest.indexOf(begin, from);
    if (at < 0) continue;
    text += rest.slice(from, at);
    from = endOfList(rest, at + begin.length);
  }
  return Bun.CryptoHasher.hash('sha256', text + rest.slice(from), 'base64url');
}

/** The beginnings of the entity's members, in document order. Texts cannot match: their quotes are escaped. */
const membersOfEntity = madeOnce(({ baseFields }: ContentKind): readonly string[] =>
  baseFields.flatMap(({ definition, isOfEntity }) => (isOfEntity ? [`,"${definition.name}":`] : [])),
);

const [QUOTE, BACKSLASH, OPENING, CLOSING] = [34, 92, 91, 93];

/** Returns the index after the JSON list that begins at `from`. */
function endOfList(text: string, from: number): number {
  let depth = 0;
  let isInString = false;
  for (let at = from; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (isInString && char === BACKSLASH) at++;
    else if (char === QUOTE) isInString = !isInString;
    else if (!isInString && char === OPENING) depth++;
    else if (!isInString && char === CLOSING && --depth === 0) return at + 1;
  }
  return text.length;
}
