import { createPrivateKey, createPublicKey, generateKeyPair, type KeyObject } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type CryptoKey, calculateJwkThumbprint, importJWK, importPKCS8, type JWK } from 'jose';
import { fileProblem, loadOrCreatePrivateFile } from './private-file.ts';

export const SIGNING_KEY_FILE = 'jwt-rsa.pem';

/** Signs three times as fast as 3072 bits. The file may contain a longer key. */
const NEW_KEY_BITS = 2048;
/** The minimum of RS256 (RFC 7518, 3.3). */
const MIN_KEY_BITS = 2048;

/** The public key that verifies tokens. */
export interface VerifyingKey {
  /** The thumbprint of the key (RFC 7638). */
  kid: string;
  publicKey: CryptoKey;
  publicJwk: JWK;
}

/** The key that signs tokens. */
export interface SigningKey extends VerifyingKey {
  privateKey: CryptoKey;
}

/**
 * Returns the RSA key of this installation from `jwt-rsa.pem` in a folder. Creates a missing file. Throws ConfigError for a
 * file that others may read, or without an RSA key of at least 2048 bits.
 */
export async function loadSigningKey(folder: string): Promise<SigningKey> {
  const file = join(folder, SIGNING_KEY_FILE);
  return parseSigningKey(await loadOrCreatePrivateFile(file, generatePem), file);
}

/** Parses a key in PEM format (PKCS#8 or PKCS#1, not encrypted). Throws ConfigError with the name of the file for other text. */
export async function parseSigningKey(pem: string, file: string): Promise<SigningKey> {
  const key = readPem(pem, file);
  const bits = key.asymmetricKeyDetails?.modulusLength ?? 0;
  if (key.asymmetricKeyType !== 'rsa')
    throw fileProblem(file, `the key must be an RSA key, found ${key.asymmetricKeyType}`);
  if (bits < MIN_KEY_BITS) throw fileProblem(file, `the RSA key must have ${MIN_KEY_BITS} bits or more, found ${bits}`);
  const { kty, n, e } = createPublicKey(key).export({ format: 'jwk' }) as { kty: 'RSA'; n: string; e: string };
  const kid = await calculateJwkThumbprint({ kty, n, e });
  const publicJwk = { kty, n, e, kid, alg: 'RS256', use: 'sig' };
  const publicKey = (await importJWK(publicJwk, 'RS256')) as CryptoKey;
  const privateKey = await importPKCS8(toPem(key), 'RS256');
  return { kid, privateKey, publicKey, publicJwk };
}

/** Returns the response of `/.well-known/jwks.json`: the public keys (RFC 7517, 5). */
export function publicKeySet(keys: readonly VerifyingKey[]): { keys: JWK[] } {
  return { keys: keys.map((key) => key.publicJwk) };
}

/** Returns a new key in PEM format. Asynchronous, because the search for primes takes 0.1 s or much longer. */
export async function generatePem(): Promise<string> {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: NEW_KEY_BITS });
  return toPem(privateKey);
}

function toPem(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }) as string;
}

function readPem(pem: string, file: string): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch {
    // The messages of the cryptography library do not explain the problem.
    const isEncrypted = pem.includes('ENCRYPTED');
    throw fileProblem(
      file,
      isEncrypted
        ? `the key is encrypted; decrypt it with: openssl pkey -in ${file} -out <new file>`
        : `this is no private key in PEM format; create one with: openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:${NEW_KEY_BITS} -out ${file}`,
    );
  }
}
