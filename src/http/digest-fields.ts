import { malformed } from '../base/errors.ts';

/** The request headers of RFC 9530 with digests of the body. Without content coding both mean the same. */
const DIGEST_FIELDS = ['Content-Digest', 'Repr-Digest'] as const;
const SHA_256_BYTES = 32;

/** A member of a dictionary of byte sequences (RFC 8941, 3.2 and 3.3.5). Parameters are ignored. */
const MEMBER = /[ \t]*([a-z*][a-z0-9_.*-]*)=:([A-Za-z0-9+/]*={0,2}):(?:;[^,"]*)?[ \t]*(,(?=[ \t]*[a-z*])|$)/y;

/** A digest of the body, from a request header. */
export interface ClaimedDigest {
  readonly field: (typeof DIGEST_FIELDS)[number];
  /** Lower-case hexadecimal. */
  readonly sha256: string;
}

/**
 * Returns the SHA-256 digests of the body in `Content-Digest` and `Repr-Digest`. Ignores other algorithms (RFC 9530, 2).
 * Throws `malformed` for an invalid value.
 */
export function parseDigests(headers: Headers): ClaimedDigest[] {
  return DIGEST_FIELDS.flatMap((field) => {
    const sha256 = sha256In(field, headers.get(field));
    return sha256 === undefined ? [] : [{ field, sha256 }];
  });
}

/** Throws `malformed` if the received body has another digest than the request claims. `sha256` is hexadecimal. */
export function checkDigest(claimed: readonly ClaimedDigest[], sha256: string): void {
  const wrong = claimed.find((claim) => claim.sha256 !== sha256);
  if (wrong === undefined) return;
  const [claim, actual] = [formatDigest(wrong.sha256), formatDigest(sha256)];
  throw malformed(`The body does not match its digest: ${wrong.field} is ${claim}, the received body has ${actual}.`);
}

/** Returns the value of `Repr-Digest` for a response: `sha-256=:…:`. */
export function formatDigest(sha256: string): string {
  return `sha-256=:${Buffer.from(sha256, 'hex').toString('base64')}:`;
}

function sha256In(field: string, value: string | null): string | undefined {
  if (value === null || value.trim() === '') return undefined;
  let sha256: string | undefined;
  MEMBER.lastIndex = 0;
  for (let at = 0; at < value.length; at = MEMBER.lastIndex) {
    const [, algorithm, digest = ''] = MEMBER.exec(value) ?? [];
    if (algorithm === undefined) {
      throw malformed(`The "${field}" header must be a list such as sha-256=:BASE64:.`);
    }
    if (algorithm === 'sha-256') sha256 = decodeSha256(field, digest);
  }
  MEMBER.lastIndex = 0;
  return sha256;
}

function decodeSha256(field: string, digest: string): string {
  const bytes = Buffer.from(digest, 'base64');
  if (bytes.byteLength !== SHA_256_BYTES) {
    throw malformed(
      `The sha-256 in the "${field}" header must be ${SHA_256_BYTES} bytes long, found ${bytes.byteLength}.`,
    );
  }
  return bytes.toString('hex');
}
