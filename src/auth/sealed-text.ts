import { createHmac, timingSafeEqual } from 'node:crypto';

/** 128 bits: a forgery succeeds once in 2^128 attempts. */
const MAC_BYTES = 16;
/** No sealed text of this program is longer. */
const MAX_CHARS = 4_096;

/**
 * Returns a text with an HMAC, in URL-safe characters, so that a client can return it but cannot change it. Everyone can read
 * it. `purpose` separates uses: a text sealed for one is invalid for any other.
 */
export function sealText(purpose: string, text: string, secret: Buffer): string {
  return `${Buffer.from(text).toString('base64url')}.${macOf(purpose, text, secret).toString('base64url')}`;
}

/** Returns the text that `sealText` sealed for a purpose. Undefined for any other text. */
export function openSealedText(purpose: string, sealed: string, secret: Buffer): string | undefined {
  if (sealed.length > MAX_CHARS) return undefined;
  const [, body, mac] = /^([\w-]+)\.([\w-]+)$/.exec(sealed) ?? [];
  if (body === undefined || mac === undefined) return undefined;
  const text = Buffer.from(body, 'base64url').toString();
  const [given, right] = [Buffer.from(mac, 'base64url'), macOf(purpose, text, secret)];
  return given.length === right.length && timingSafeEqual(given, right) ? text : undefined;
}

function macOf(purpose: string, text: string, secret: Buffer): Buffer {
  return createHmac('sha256', secret).update(`${purpose}:${text}`).digest().subarray(0, MAC_BYTES);
}
