import { randomInt } from 'node:crypto';
import { coreCount } from '../base/env.ts';
import { malformed, ServiceError } from '../base/errors.ts';
import { HashQueue } from './hash-queue.ts';

/**
 * The cost of a hash, as OWASP recommends for argon2id. More memory would be a burden for small servers. Each stored hash
 * contains its cost, so a change here leaves old ones valid.
 */
const MEMORY_KIB = 19 * 1024;
const PASSES = 2;
const ALGORITHM = { algorithm: 'argon2id', memoryCost: MEMORY_KIB, timeCost: PASSES } as const;

/** Longer passwords are rejected without hashing. */
export const MAX_PASSWORD_BYTES = 4096;

const MAX_CONCURRENT_HASHES = Math.min(coreCount(), 4);
/** With 0.1 s for each hash, the last in the queue waits about three seconds. */
const MAX_WAITING_HASHES = 32 * MAX_CONCURRENT_HASHES;

/** One queue for the process, whose memory it protects. */
const queue = new HashQueue({ maxConcurrent: MAX_CONCURRENT_HASHES, maxWaiting: MAX_WAITING_HASHES });

/** Returns the problem of a password as a sentence. Undefined for a valid one. */
export function passwordProblem(password: string): string | undefined {
  if (password === '') return 'The password must not be empty.';
  if (Buffer.byteLength(password) > MAX_PASSWORD_BYTES)
    return `The password must not be longer than ${MAX_PASSWORD_BYTES} bytes.`;
  return undefined;
}

/**
 * Returns the argon2id hash of a password in PHC format, with salt and cost. Throws `malformed` for an empty or too long
 * password, and `over-capacity` if the queue is full.
 */
export async function hashPassword(password: string): Promise<string> {
  const problem = passwordProblem(password);
  if (problem !== undefined) throw malformed(problem);
  return queue.run(() => Bun.password.hash(usualForm(password), ALGORITHM));
}

/**
 * Returns true if a password matches a hash. An empty hash matches no password. Throws `over-capacity` if the queue is full,
 * and `misconfigured` for a text that is no hash.
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

/** Rejects the password of an unknown or blocked user as slowly as a wrong one: the time must not reveal who has an account. */
export async function verifyAgainstNothing(password: string): Promise<false> {
  if (passwordProblem(password) === undefined) await hashPassword(password);
  return false;
}

/** Lower-case letters and digits without `0 o 1 l i`, which are easily confused. */
const READABLE = 'abcdefghjkmnpqrstuvwxyz23456789';
const GROUPS = 5;
const CHARS_PER_GROUP = 5;

/** Returns a new password with 123 bits of entropy: five groups such as `k3mfp`, joined by hyphens. */
export function generatePassword(): string {
  const char = () => READABLE[randomInt(READABLE.length)];
  const group = () => Array.from({ length: CHARS_PER_GROUP }, char).join('');
  return Array.from({ length: GROUPS }, group).join('-');
}

/** Normalizes a password: depending on the keyboard, `é` is one or two characters (RFC 8265, 4.2). */
function usualForm(password: string): string {
  return password.normalize('NFC');
}
