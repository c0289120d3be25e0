import { malformed, type ServiceError } from '../base/errors.ts';

/** Whether a text holds a character that SQLite would cut it off at, so that `admin\\0x` would mean `admin`. */
export function hasNul(text: string): boolean {
  return text.includes('\0');
}

/** The refusal of such a text (400). */
export function nulRefused(): ServiceError {
  return malformed('A text must not contain a NUL character.');
}
