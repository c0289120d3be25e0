import type { JsonValue } from '../base/json.ts';
import type { FieldDefinition } from '../model/content-model.ts';
import type { Violation } from './field-type.ts';

/** The texts of violations that several field types share (spec: rest-behaviour, 1.4). */
export const WRONG_TYPE = 'This value should be of the correct primitive type.';
export const NOT_A_CHOICE = 'The value you selected is not a valid choice.';
export const MISSING = 'This value should not be null.';

/** A value that is of another type than its member. */
export function wrongType(path: string): Violation {
  return { path, message: WRONG_TYPE };
}

/** A value that is none of those that the field takes. */
export function notAChoice(path: string): Violation {
  return { path, message: NOT_A_CHOICE };
}

/** Names the text members of an item that are something else than text or null. */
export function nonTexts(item: { [member: string]: JsonValue }, members: readonly string[]): Violation[] {
  return members.flatMap((path) => {
    const value = item[path] ?? null;
    return value === null || typeof value === 'string' ? [] : wrongType(path);
  });
}

/** Says when a text has more characters (code points) than it may; without a limit, or of anything else, nothing. */
export function tooLong(
  value: JsonValue | undefined,
  maxCharacters: number | undefined,
  path: string,
  { label }: FieldDefinition,
): Violation[] {
  if (typeof value !== 'string' || maxCharacters === undefined || !isLonger(value, maxCharacters)) return [];
  return [{ path, message: `${label}: may not be longer than ${maxCharacters} characters.` }];
}

function isLonger(text: string, maxCharacters: number): boolean {
  // A code point is one or two UTF-16 units, so that most lengths need no count.
  if (text.length <= maxCharacters) return false;
  if (text.length > 2 * maxCharacters) return true;
  let characters = 0;
  for (const _ of text) characters += 1;
  return characters > maxCharacters;
}
