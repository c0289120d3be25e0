/** Tells whether what was said of something is still the same: equal for equal JSON. */
export function fingerprintOf(said: unknown): string {
  return new Bun.CryptoHasher('sha256').update(JSON.stringify(said)).digest('base64url').slice(0, 22);
}
