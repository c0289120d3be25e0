import { type CryptoKey, exportJWK, exportSPKI, generateKeyPair, type JWTPayload, SignJWT } from 'jose';

export interface TestKey {
  kid: string;
  privateKey: CryptoKey;
  publicKey: CryptoKey;
}

/** A new RSA key pair with an id. */
export async function createKey(kid: string): Promise<TestKey> {
  return { kid, ...(await generateKeyPair('RS256', { extractable: true })) };
}

type Claims = { readonly [Name in keyof JWTPayload]: JWTPayload[Name] | undefined };

/** A token as the repository issues it, valid for a minute unless the claims say otherwise. It has none that is undefined. */
export function signToken(key: TestKey, claims: Claims = {}, header: { kid?: string } = { kid: key.kid }) {
  const now = Math.floor(Date.now() / 1000);
  const all = { webid: '1', sub: 'admin', roles: ['authenticated'], iat: now, exp: now + 60, ...claims };
  // JSON leaves out what is undefined; the type of the library does not.
  return new SignJWT(all as JWTPayload)
    .setProtectedHeader({ alg: 'RS256', typ: 'JWT', ...header })
    .sign(key.privateKey);
}

/** The public key as a PEM text: what an attacker has. */
export const publicPem = (key: TestKey) => exportSPKI(key.publicKey);

/** A key server whose set can be changed, and which can be made to fail. */
export function serveKeys(keys: TestKey[]) {
  const state = { keys, requests: 0, fail: undefined as (() => Response | Promise<Response>) | undefined };
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch() {
      state.requests += 1;
      if (state.fail) return state.fail();
      const jwks = state.keys.map(async (key) => ({ ...(await exportJWK(key.publicKey)), kid: key.kid, alg: 'RS256' }));
      return Response.json({ keys: await Promise.all(jwks) });
    },
  });
  return { state, url: `http://127.0.0.1:${server.port}/jwks.json`, stop: () => server.stop(true) };
}
