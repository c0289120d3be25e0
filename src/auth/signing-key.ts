import { createPrivateKey, createPublicKey, generateKeyPair, type KeyObject } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type CryptoKey, calculateJwkThumbprint, importJWK, importPKCS8, type JWK } from 'jose';
import { ConfigError } from '../base/yaml-file.ts';
import { loadOrCreatePrivateFile } from './private-file.ts';

export const SIGNING_KEY_FILE = 'jwt-rsa.pem';

/** Signs three times as fast as 3072 bits. A longer key may be put into the file. */
const NEW_KEY_BITS = 2048;
/** What RS256 asks for (RFC 7518 section 3.3). */
const MIN_KEY_BITS = 2048;

/** What tokens of ours are verified with. */
export interface VerifyingKey {
  /** The RFC 7638 thumbprint, which is the same wherever it is computed. */
  kid: string;
  publicKey: CryptoKey;
  publicJwk: JWK;
}

/** What tokens are signed with. */
export interface SigningKey extends VerifyingKey {
  privateKey: CryptoKey;
}

/**
 * The RSA key of this installation from `jwt-rsa.pem` in a folder; a new one if there is none. Throws ConfigError
 * for a file that others may read or that holds no RSA key of 2048 bits or more.
 */
export async function loadSigningKey(folder: string): Promise<SigningKey> {
  const file = join(folder, SIGNING_KEY_FILE);
  return parseSigningKey(await loadOrCreatePrivateFile(file, generatePem), file);
}

/** The key in a PEM text (PKCS#8 or PKCS#1, not encrypted); `file` is named in the ConfigError for anything else. */
export async function parseSigningKey(pem: string, file: string): Promise<SigningKey> {
  const key = readPem(pem, file);
  const bits = key.asymmetricKeyDetails?.modulusLength ?? 0;
  if (key.asymmetricKeyType !== 'rsa')
    throw problem(file, `the key must be an RSA key, found ${key.asymmetricKeyType}`);
  if (bits < MIN_KEY_BITS) throw problem(file, `the RSA key must have ${MIN_KEY_BITS} bits or more, found ${bits}`);
  const { kty, n, e } = createPublicKey(key).export({ format: 'jwk' }) as { kty: 'RSA'; n: string; e: string };
  const kid = await calculateJwkThumbprint({ kty, n, e });
  const publicJwk = { kty, n, e, kid, alg: 'RS256', use: 'sig' };
  const publicKey = (await importJWK(publicJwk, 'RS256')) as CryptoKey;
  const privateKey = await importPKCS8(toPem(key), 'RS256');
  return { kid, privateKey, publicKey, publicJwk };
}

/** The answer of `/.well-known/jwks.json` (RFC 7517 section 5): the public parts only. */
export function publicKeySet(keys: readonly VerifyingKey[]): { keys: JWK[] } {
  return { keys: keys.map((key) => key.publicJwk) };
}

/** A new key in PEM form. Not the synchronous way: the search for primes takes a tenth of a second, and at times much more. */
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
    // What the cryptography library says of a bad PEM helps nobody.
    const isEncrypted = pem.includes('ENCRYPTED');
    throw problem(
      file,
      isEncrypted
        ? `the key is encrypted; decrypt it with: openssl pkey -in ${file} -out <new file>`
        : `this is no private key in PEM form; make one with: openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:${NEW_KEY_BITS} -out ${file}`,
    );
  }
}

function problem(file: string, message: string): ConfigError {
  return new ConfigError(file, [{ line: 1, message }]);
}
