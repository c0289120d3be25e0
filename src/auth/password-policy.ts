import { passwordProblem } from './password.ts';

/** The minimum length of a password that is set over HTTP, in characters. */
export const MIN_PASSWORD_CHARS = 10;

/** Returns the problem of a password that a person sets over HTTP for the user `name`, as a sentence. Undefined for a valid one. */
export function newPasswordProblem(password: string, name: string): string | undefined {
  return passwordProblem(password) ?? passwordWeakness(password, name);
}

/**
 * Returns the weakness of a password as a sentence: too short, the user's name, or one of the most common ones, in any
 * case. Undefined for a strong one. The first call reads the list of common passwords.
 */
export function passwordWeakness(password: string, name: string): string | undefined {
  const folded = foldCase(password);
  if ([...password].length < MIN_PASSWORD_CHARS)
    return `The password must have at least ${MIN_PASSWORD_CHARS} characters.`;
  if (folded === foldCase(name)) return 'The password must differ from the user name.';
  return commonPasswords().has(folded) ? 'The password is one of the most common ones. Choose another one.' : undefined;
}

let common: ReadonlySet<string> | undefined;

/** Returns the 49,000 most common passwords, of those that are long enough (OWASP ASVS 4.0.3, 2.1.7). */
function commonPasswords(): ReadonlySet<string> {
  if (common === undefined) {
    // Loaded with the first new password: the lists are half a megabyte.
    const { dictionary }: typeof import('@zxcvbn-ts/language-common') = require('@zxcvbn-ts/language-common');
    const isLong = ({ length }: string) => length >= MIN_PASSWORD_CHARS;
    common = new Set(dictionary['passwords-common'].filter(isLong).map(foldCase));
  }
  return common;
}

const foldCase = (text: string) => text.normalize('NFC').toLowerCase();
