import type { JsonValue } from '../base/json.ts';
import type { Violation } from './field-type.ts';

/** SQLite ends text at NUL, and half of a surrogate pair is no character in UTF-8. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: this control character is what it is about.
const NUL = /\u0000/;
const LONE_SURROGATE = /\p{Surrogate}/u;

/** Names the first character of an item's texts, names of inner members included, that a database cannot keep. */
export function unstorableText(item: { [member: string]: JsonValue }): Violation[] {
  const found: Violation[] = [];
  for (const path of Object.keys(item)) {
    const value = item[path] as JsonValue;
    // Most members are short texts and numbers; this runs for each of them.
    const character = typeof value === 'string' ? unstorableIn(value) : findUnstorable(value);
    if (character !== undefined)
      found.push({ path, message: `The character ${character} cannot be stored. Leave it out.` });
  }
  return found;
}

function unstorableIn(text: string): string | undefined {
  if (!text.includes('\0') && text.isWellFormed()) return undefined;
  const found = NUL.exec(text) ?? LONE_SURROGATE.exec(text);
  return found ? `U+${found[0].charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}` : undefined;
}

function findUnstorable(value: JsonValue): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const waiting: JsonValue[] = [value];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (typeof next === 'string') {
      const character = unstorableIn(next);
      if (character !== undefined) return character;
    } else if (typeof next === 'object' && next !== null) {
      for (const [name, inner] of Object.entries(next)) waiting.push(name, inner);
    }
  }
  return undefined;
}
