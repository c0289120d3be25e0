import { createChallenge, type Payload, verifySolution } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2';
import { openSealedText, sealText } from './sealed-text.ts';

/** The time for which a pass is valid, in seconds. */
export const PASS_S = 86_400;
/** The time to solve a challenge, in seconds. */
const CHALLENGE_S = 600;
/** A browser needs 256 keys on average: half a second on a desk, two on a phone. */
const ALGORITHM = 'PBKDF2/SHA-256';
const ROUNDS = 5_000;
const PREFIX = '00';
const MAX_PAYLOAD_CHARS = 4_096;
const PURPOSE = 'pass';

/** Returns a signed challenge as JSON, which the browser of a person solves. `now` is in seconds since 1970. */
export async function createPassChallenge(secret: Buffer, now: number): Promise<string> {
  const challenge = await createChallenge({
    algorithm: ALGORITHM,
    cost: ROUNDS,
    keyPrefix: PREFIX,
    expiresAt: Math.floor(now) + CHALLENGE_S,
    hmacSignatureSecret: keyOf(secret),
    deriveKey,
  });
  return JSON.stringify(challenge);
}

/**
 * Returns the pass for a solved challenge: JSON with `challenge` and `solution`. Undefined for any other text. The same
 * challenge yields the same pass, so it gives one budget however often it is sent.
 */
export async function redeemChallenge(payload: string, secret: Buffer, now: number): Promise<string | undefined> {
  const parsed = payload.length > MAX_PAYLOAD_CHARS ? undefined : parsePayload(payload);
  if (parsed === undefined) return undefined;
  const { challenge, solution } = parsed;
  const verdict = await verifySolution({ challenge, solution, hmacSignatureSecret: keyOf(secret), deriveKey });
  if (!verdict.verified) return undefined;
  return sealText(PURPOSE, `${Math.floor(now) + PASS_S} ${challenge.parameters.nonce}`, secret);
}

/** Returns the id of a valid pass. Undefined for any other text. */
export function readPass(pass: string | undefined, secret: Buffer, now: number): string | undefined {
  const [expiresAt, id] = (pass && openSealedText(PURPOSE, pass, secret)?.split(' ')) || [];
  return id !== undefined && Number(expiresAt) > now ? id : undefined;
}

/** Returns the key of signatures. It differs from that of other uses of the secret. */
function keyOf(secret: Buffer): string {
  return sealText('challenge', '', secret);
}

function parsePayload(text: string): Payload | undefined {
  try {
    const payload: Partial<Payload> | null = JSON.parse(text);
    const { challenge, solution } = payload ?? {};
    const isWhole = typeof challenge?.parameters?.nonce === 'string' && typeof challenge.signature === 'string';
    return isWhole && typeof solution === 'object' && solution !== null ? { challenge, solution } : undefined;
  } catch {
    return undefined;
  }
}
