import type { JsonValue } from '../base/json.ts';
import type { Violation } from './field-type.ts';

/** SQLite ends text at NUL, and half of a surrogate pair is no character in UTF-8. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: this control character is what it is about.
const NUL = /\u0000/;
const LONE_SURROGATE = /\p{Surrogate}/u;

/** Names the first character of an item's texts, names of inner members included, that a database cannot keep. */
export function unstorableText(item: { [member: string]: JsonValue }): Violation[] {
  return Object.entries(item).flatMap(([path, value]) => {
    const character = findUnstorable(value);
    if (character === undefined) return [];
    return { path, message: `The character ${character} cannot be stored. Leave it out.` };
  });
}

function findUnstorable(value: JsonValue): string | undefined {
  const waiting: JsonValue[] = [value];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (typeof next === 'string') {
      const found = NUL.exec(next) ?? (next.isWellFormed() ? undefined : LONE_SURROGATE.exec(next));
      if (found) return `U+${found[0].charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`;
    } else if (typeof next === 'object' && next !== null) {
      for (const [name, inner] of Object.entries(next)) waiting.push(name, inner);
    }
  }
  return undefined;
}
