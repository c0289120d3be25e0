import { split } from 'shlex';
import { malformed } from '../base/errors.ts';

/** Half the maximum length of an argument on Linux (MAX_ARG_STRLEN, 128 KiB). */
export const MAX_ARGS_BYTES = 64 * 1024;

const SAFE_WORD = /^[a-zA-Z0-9._\-:/@ =]+$/;

/**
 * Splits an `X-Repo-Args` value into words as a shell would, quotes included. Throws `malformed` for an unbalanced quote,
 * and for a value that is too long.
 */
export function splitArguments(text: string): string[] {
  const bytes = Buffer.byteLength(text);
  if (bytes > MAX_ARGS_BYTES) {
    throw malformed(`The X-Repo-Args header is ${bytes} bytes long; at most ${MAX_ARGS_BYTES} are accepted.`);
  }
  let words: string[];
  try {
    words = split(text);
  } catch (cause) {
    throw malformed('The X-Repo-Args header has an unbalanced quote or ends in a backslash.', cause);
  }
  if (words.some((word) => word.includes('\0'))) {
    throw malformed('The X-Repo-Args header must not hold a NUL character.');
  }
  return words;
}

/** Throws `malformed` for a word with characters that only `allowInsecureArgs` accepts. */
export function requireSafeWords(words: readonly string[]): void {
  if (words.every((word) => SAFE_WORD.test(word))) return;
  throw malformed('The X-Repo-Args header may hold only letters, digits, blanks and . _ - : / @ = in each argument.');
}
