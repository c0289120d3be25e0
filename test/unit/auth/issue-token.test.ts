import { beforeAll, expect, it } from 'bun:test';
import { decodeJwt, decodeProtectedHeader, jwtVerify } from 'jose';
import { issueToken, TOKEN_EXPIRY_S } from '../../../src/auth/issue-token.ts';
import { loadSigningKey, publicKeySet, type SigningKey } from '../../../src/auth/signing-key.ts';
import { createTokenVerifier } from '../../../src/auth/verify-token.ts';
import { emptyFolder } from '../../support/empty-folder.ts';

let folder: string;
let key: SigningKey;
beforeAll(async () => {
  folder = await emptyFolder();
  key = await loadSigningKey(folder);
});

const subject = (changes: Partial<Parameters<typeof issueToken>[0]> = {}) => ({
  uid: 7,
  name: 'Zoë',
  roles: ['authenticated', 'administrator'],
  credentialsChanged: 1_699_999_999_123,
  issuer: 'https://repo.example.org/base',
  now: Date.now(),
  expirySeconds: TOKEN_EXPIRY_S,
  ...changes,
});

it('an issued token has exactly the documented header and claims', async () => {
  const token = await issueToken(subject({ now: 1_700_000_000_999 }), key);
  expect(decodeProtectedHeader(token)).toEqual({ typ: 'JWT', alg: 'RS256', kid: key.kid });
  expect(decodeJwt(token)).toEqual({
    iat: 1_700_000_000,
    exp: 1_700_007_200,
    drupal: { uid: '7' },
    webid: '7',
    iss: 'https://repo.example.org/base',
    sub: 'Zoë',
    roles: ['authenticated', 'administrator'],
    aud: ['islandora'],
    credentials_changed: 1_699_999_999_123,
  });
});

it.each([
  [[], ['authenticated']],
  [['editor'], ['authenticated', 'editor']],
  [
    ['editor', 'authenticated', 'editor'],
    ['authenticated', 'editor'],
  ],
])('an issued token adds the role authenticated to %p, each once', async (roles, named) => {
  expect(decodeJwt(await issueToken(subject({ roles }), key)).roles).toEqual(named);
});

it('an issued token verifies with the public key', async () => {
  const token = await issueToken(subject(), key);
  const { payload } = await jwtVerify(token, key.publicKey, { algorithms: ['RS256'], audience: 'islandora' });
  expect(payload.sub).toBe('Zoë');
});

it('an issued token is accepted by a processor that fetches the key set', async () => {
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => Response.json(publicKeySet([key])) });
  try {
    const verify = createTokenVerifier({ jwksUri: new URL(`http://127.0.0.1:${server.port}/jwks.json`) });
    expect(await verify(await issueToken(subject(), key))).toMatchObject({ webid: '7' });
  } finally {
    await server.stop(true);
  }
});
