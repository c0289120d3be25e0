import { randomInt } from 'node:crypto';
import { coreCount } from '../base/env.ts';
import { malformed, ServiceError } from '../base/errors.ts';
import { HashQueue } from './hash-queue.ts';

/**
 * The cost of one guess: what OWASP asks for with argon2id. More memory would be held by a small server that otherwise
 * needs little. Each stored hash names its own cost, so a change here leaves old ones valid.
 */
const MEMORY_KIB = 19 * 1024;
const PASSES = 2;
const ALGORITHM = { algorithm: 'argon2id', memoryCost: MEMORY_KIB, timeCost: PASSES } as const;

/** More than anyone types, and little enough to read through at no cost. */
export const MAX_PASSWORD_BYTES = 4096;

/** More at once than cores gains nothing. */
const MAX_CONCURRENT_HASHES = Math.min(coreCount(), 4);
/** At a tenth of a second each, the last in the queue waits some three seconds. */
const MAX_WAITING_HASHES = 32 * MAX_CONCURRENT_HASHES;

/** One for the process, for it is the process that runs out of memory. */
const queue = new HashQueue({ maxConcurrent: MAX_CONCURRENT_HASHES, maxWaiting: MAX_WAITING_HASHES });

/** Why a text cannot be a password, as a sentence; undefined if it can. */
export function passwordProblem(password: string): string | undefined {
  if (password === '') return 'The password must not be empty.';
  if (Buffer.byteLength(password) > MAX_PASSWORD_BYTES)
    return `The password must not be longer than ${MAX_PASSWORD_BYTES} bytes.`;
  return undefined;
}

/**
 * The argon2id hash of a password in PHC form, salt and cost included. Throws `malformed` for an empty or
 * overlong password and `over-capacity` when too many passwords are being hashed already.
 */
export async function hashPassword(password: string): Promise<string> {
  const problem = passwordProblem(password);
  if (problem !== undefined) throw malformed(problem);
  return queue.run(() => Bun.password.hash(usualForm(password), ALGORITHM));
}

/**
 * Whether a password is the one that was hashed; an empty hash is that of nobody's password. Throws `over-capacity`,
 * and `misconfigured` for a stored text that is no password hash.
 */
export async function verifyPassword(password: string, hash: string): Promise<boolean> {
  if (passwordProblem(password) !== undefined) return false;
  if (hash === '') return verifyAgainstNothing(password);
  try {
    return await queue.run(() => Bun.password.verify(usualForm(password), hash));
  } catch (cause) {
    if (cause instanceof ServiceError) throw cause;
    throw new ServiceError('misconfigured', 'The stored password of this user cannot be checked.', { cause });
  }
}

/**
 * Refuses a password after the work of checking one, for a user that is unknown or blocked: the time of an answer
 * must not tell who has an account.
 */
export async function verifyAgainstNothing(password: string): Promise<false> {
  if (passwordProblem(password) === undefined) await hashPassword(password);
  return false;
}

/** Lower case and digits without `0 o 1 l i`, so that a password can be read out and typed. */
const READABLE = 'abcdefghjkmnpqrstuvwxyz23456789';
const GROUPS = 5;
const CHARS_PER_GROUP = 5;

/** A new password of five groups such as `k3mfp`, joined by hyphens: 123 bits of chance. */
export function generatePassword(): string {
  const char = () => READABLE[randomInt(READABLE.length)];
  const group = () => Array.from({ length: CHARS_PER_GROUP }, char).join('');
  return Array.from({ length: GROUPS }, group).join('-');
}

/** One person's `é` is one character and another's two, depending on the keyboard (RFC 8265 section 4.2). */
function usualForm(password: string): string {
  return password.normalize('NFC');
}
