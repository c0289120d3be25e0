import type { JsonValue } from '../base/json.ts';
import type { FieldDefinition } from '../model/content-model.ts';
import type { Violation } from './field-type.ts';
import { tooLongMessage } from './text-check.ts';

/** The texts of violations that several field types share (spec: rest-behaviour, 1.4). */
export const WRONG_TYPE = 'This value should be of the correct primitive type.';
export const NOT_A_CHOICE = 'The value you selected is not a valid choice.';
export const MISSING = 'This value should not be null.';

/** Returns the violation for a value of the wrong type. */
export function wrongType(path: string): Violation {
  return { path, message: WRONG_TYPE };
}

/** Returns the violation for a value that the field does not allow. */
export function notAChoice(path: string): Violation {
  return { path, message: NOT_A_CHOICE };
}

/** Returns violations for members that are neither text nor null. */
export function nonTexts(item: { [member: string]: JsonValue }, members: readonly string[]): Violation[] {
  return members.flatMap((path) => {
    const value = item[path] ?? null;
    return value === null || typeof value === 'string' ? [] : wrongType(path);
  });
}

/** Returns the violation for a text with too many characters (code points). None for other values, and without a limit. */
export function tooLong(
  value: JsonValue | undefined,
  maxCharacters: number | undefined,
  path: string,
  definition: FieldDefinition,
): Violation[] {
  if (typeof value !== 'string' || maxCharacters === undefined || !isLonger(value, maxCharacters)) return [];
  return [{ path, message: tooLongMessage(definition, maxCharacters) }];
}

function isLonger(text: string, maxCharacters: number): boolean {
  // A code point is one or two UTF-16 units, so that most lengths need no count.
  if (text.length <= maxCharacters) return false;
  if (text.length > 2 * maxCharacters) return true;
  let characters = 0;
  for (const _ of text) characters += 1;
  return characters > maxCharacters;
}

/** SQLite truncates text at NUL, and UTF-8 cannot encode a lone surrogate. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: matches this control character.
const NUL = /\u0000/;
const LONE_SURROGATE = /\p{Surrogate}/u;

/** Returns violations for characters that the database cannot store, in texts and in names of inner members. */
export function unstorableText(item: { [member: string]: JsonValue }): Violation[] {
  const violations: Violation[] = [];
  for (const path of Object.keys(item)) {
    const value = item[path] as JsonValue;
    const character = typeof value === 'string' ? unstorableIn(value) : findUnstorable(value);
    if (character !== undefined)
      violations.push({ path, message: `The character ${character} cannot be stored. Remove it.` });
  }
  return violations;
}

function unstorableIn(text: string): string | undefined {
  if (!text.includes('\0') && text.isWellFormed()) return undefined;
  const match = NUL.exec(text) ?? LONE_SURROGATE.exec(text);
  return match ? `U+${match[0].charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}` : undefined;
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
