import { describe, expect, it } from 'bun:test';
import { newPasswordProblem, passwordWeakness } from '../../../src/auth/password-policy.ts';

const SHORT = 'The password must have at least 10 characters.';
const COMMON = 'The password is one of the most common ones. Choose another one.';
const NAME = 'The password must differ from the user name.';

describe('a new password', () => {
  it.each<[string, string | undefined]>([
    ['', 'The password must not be empty.'],
    ['x'.repeat(5_000), 'The password must not be longer than 4096 bytes.'],
    ['nine char', SHORT],
    // Nine characters in eighteen units of UTF-16.
    ['🔑'.repeat(9), SHORT],
    ['🔑'.repeat(10), undefined],
    ['ten chars!', undefined],
    ['password123', COMMON],
    ['PassWord123', COMMON],
    ['1qaz2wsx3edc', COMMON],
    // Behind the first ten thousand.
    ['passwordpassword', COMMON],
    ['password123 of mine', undefined],
    ['Margaret Boyle', NAME],
    ['margaret boyle', NAME],
    ['Margaret Boyle 2', undefined],
  ])('%j: %p', (password, problem) => {
    expect(newPasswordProblem(password, 'Margaret Boyle')).toBe(problem as string);
  });

  it('is compared with the name however its letters are encoded', () => {
    expect(passwordWeakness('Cafe\u0301 keeper', 'caf\u00e9 keeper')).toBe(NAME);
  });
});
