import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { createHmac } from 'node:crypto';
import { decodeJwt, decodeProtectedHeader, type JWK } from 'jose';
import type { SigningKey } from '../../../src/auth/signing-key.ts';
import { createTokenVerifier } from '../../../src/auth/verify-token.ts';
import { loadKeys } from '../../../src/server/load-keys.ts';
import { createKey, signToken, type TestKey } from '../../support/key-server.ts';
import { signIn, tokenOf } from '../../support/repository-routes.ts';
import { ADMIN_PASSWORD, basic, createTestRepository, type TestRepository } from '../../support/test-repository.ts';

let repository: TestRepository;
let own: SigningKey;
let stranger: TestKey;
const seconds = () => Math.floor(Date.now() / 1000);

beforeAll(async () => {
  repository = await createTestRepository();
  ({ signingKey: own } = await loadKeys(repository.running.services.database, repository.dataFolder));
  stranger = await createKey(own.kid);
});
afterAll(() => repository.stop());

const asBearer = (token: string) =>
  repository.get('/user/login_status?_format=json', undefined, { Authorization: `Bearer ${token}` });
const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
const good = () => ({
  webid: '1',
  sub: 'admin',
  roles: ['authenticated'],
  iss: 'https://a',
  iat: seconds(),
  exp: seconds() + 60,
});
const ownKey = () => ({ kid: own.kid, privateKey: own.privateKey, publicKey: own.publicKey });

describe('/jwt/token', () => {
  it('returns a token with its user, lifetime and issuer', async () => {
    const id = await repository.user('loader', 'workbench_user');
    const before = seconds();
    const response = await repository.get('/jwt/token', 'loader');
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(response.headers.get('cache-control')).toContain('no-store');
    const body = (await response.json()) as { token: string };
    expect(Object.keys(body)).toEqual(['token']);
    expect(decodeProtectedHeader(body.token)).toEqual({ typ: 'JWT', alg: 'RS256', kid: own.kid });
    const { iat = 0, exp = 0, ...claims } = decodeJwt(body.token);
    expect(claims).toEqual({
      drupal: { uid: String(id) },
      webid: String(id),
      iss: repository.url,
      sub: 'loader',
      roles: ['authenticated', 'workbench_user'],
      aud: ['islandora'],
      credentials_changed: 0,
    });
    expect(iat).toBeGreaterThanOrEqual(before);
    expect(exp - iat).toBe(2 * 60 * 60);
  });

  it('issues a token to a session', async () => {
    const { cookie } = await signIn(repository, 'admin', ADMIN_PASSWORD);
    const response = await repository.get('/jwt/token', undefined, { Cookie: cookie });
    const { token } = (await response.json()) as { token: string };
    expect({ status: response.status, subject: decodeJwt(token).sub }).toEqual({ status: 200, subject: 'admin' });
  });

  it('refuses a token, in either header and beside a session', async () => {
    const bearer = `Bearer ${await tokenOf(repository, 'admin')}`;
    const { cookie } = await signIn(repository, 'admin', ADMIN_PASSWORD);
    for (const headers of [
      { Authorization: bearer },
      { 'JWT-Authorization': bearer },
      { 'JWT-Authorization': bearer, Authorization: basic('admin') },
      { Authorization: bearer, Cookie: cookie },
    ]) {
      const response = await repository.get('/jwt/token', undefined, headers as unknown as Record<string, string>);
      expect({ status: response.status, body: await response.json() }).toEqual({
        status: 403,
        body: { message: 'This address does not accept this authentication method.' },
      });
    }
  });

  it('returns 401 without credentials', async () => {
    const response = await repository.get('/jwt/token');
    expect({ status: response.status, body: await response.json() }).toEqual({
      status: 401,
      body: { message: 'No authentication credentials provided.' },
    });
    expect(response.headers.get('www-authenticate')).toBe('Basic realm="Repository"');
  });

  it('returns a token that works repeatedly in either header', async () => {
    const token = await tokenOf(repository, 'admin');
    for (const header of ['Authorization', 'JWT-Authorization', 'Authorization']) {
      const body = { type: 'page', title: ['by token'] };
      const created = await repository.post('/node?_format=json', body, undefined, { [header]: `Bearer ${token}` });
      expect(created.status).toBe(201);
    }
  });

  it('returns a token that survives a restart', async () => {
    const token = await tokenOf(repository, 'admin');
    await repository.restart();
    expect((await asBearer(token)).status).toBe(200);
  });
});

describe('the key set', () => {
  it('contains only the public part of the key', async () => {
    const response = await repository.get('/.well-known/jwks.json');
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/json');
    const { keys } = (await response.json()) as { keys: JWK[] };
    expect(keys.map((key) => Object.keys(key).sort())).toEqual([['alg', 'e', 'kid', 'kty', 'n', 'use']]);
    expect(keys[0]).toMatchObject({ kty: 'RSA', alg: 'RS256', use: 'sig', kid: own.kid });
  });

  it('verifies our tokens in a processor', async () => {
    const jwksUri = new URL('/.well-known/jwks.json', repository.url);
    const verify = createTokenVerifier({ jwksUri, issuers: [repository.url], audiences: ['islandora'] });
    expect(await verify(await tokenOf(repository, 'admin'))).toMatchObject({ sub: 'admin', webid: '1' });
    const foreign = await signToken(stranger, good());
    await expect(verify(foreign)).rejects.toThrow('The signature of the token does not match.');
  });
});

describe('a token', () => {
  const cases: [string, () => Promise<string> | string, string][] = [
    [
      'without a signature',
      () => `${encode({ typ: 'JWT', alg: 'none' })}.${encode(good())}.`,
      'The token is not a valid JWT.',
    ],
    [
      'with the algorithm "none" and a fake signature',
      () => `${encode({ typ: 'JWT', alg: 'none', kid: own.kid })}.${encode(good())}.AAAA`,
      'The token must be signed with RS256.',
    ],
    [
      'if signed by HMAC with our public key',
      () => {
        const signed = `${encode({ typ: 'JWT', alg: 'HS256', kid: own.kid })}.${encode(good())}`;
        const pem = JSON.stringify(own.publicJwk);
        return `${signed}.${createHmac('sha256', pem).update(signed).digest('base64url')}`;
      },
      'The token must be signed with RS256.',
    ],
    [
      'if signed with a foreign key under our key id',
      () => signToken(stranger, good()),
      'The signature of the token does not match.',
    ],
    [
      'if signed with another key',
      () => signToken(stranger, good(), { kid: 'x' }),
      'The token is not signed with a key of this repository.',
    ],
    [
      'without a key id',
      () => signToken(ownKey(), good(), {}),
      'The token is not signed with a key of this repository.',
    ],
    [
      'with an embedded key',
      async () => {
        const header = encode({
          typ: 'JWT',
          alg: 'RS256',
          jwk: { kty: 'RSA', n: 'AQ', e: 'AQAB' },
          jku: `${repository.url}/x`,
        });
        return `${header}.${encode(good())}.AAAA`;
      },
      'The token is not signed with a key of this repository.',
    ],
    [
      'with changed claims',
      async () => {
        const [head, , signature] = (await tokenOf(repository, 'admin')).split('.');
        return `${head}.${encode({ ...good(), webid: '2' })}.${signature}`;
      },
      'The signature of the token does not match.',
    ],
    ['after its expiry', () => signToken(ownKey(), { ...good(), exp: seconds() - 10 }), 'The token has expired.'],
    ['without an expiry', () => signToken(ownKey(), { ...good(), exp: undefined }), 'The token has no claim "exp".'],
    ['before its start', () => signToken(ownKey(), { ...good(), nbf: seconds() + 60 }), 'The token is not valid yet.'],
    [
      'for another audience',
      () => signToken(ownKey(), { ...good(), aud: ['another'] }),
      'The claim "aud" of the token is not accepted.',
    ],
    ['without an issuer', () => signToken(ownKey(), { ...good(), iss: undefined }), 'The token has no claim "iss".'],
    ['without roles', () => signToken(ownKey(), { ...good(), roles: undefined }), 'The token has no claim "roles".'],
    [
      'for the anonymous user',
      () => signToken(ownKey(), { ...good(), webid: '0', sub: '' }),
      'The claim "webid" of the token is not accepted.',
    ],
    [
      'for a missing user',
      () => signToken(ownKey(), { ...good(), webid: '999' }),
      'The user of this token does not exist, or is blocked.',
    ],
    [
      'for a user with another name',
      () => signToken(ownKey(), { ...good(), sub: 'Admin' }),
      'The user of this token does not exist, or is blocked.',
    ],
    ['if longer than 8192 characters', () => `${'a'.repeat(9000)}.b.c`, 'The token is longer than 8192 characters.'],
  ];
  it.each(cases)('is refused %s', async (_name, make, message) => {
    const response = await asBearer(await make());
    expect({ status: response.status, body: await response.json() }).toEqual({ status: 401, body: { message } });
    expect(response.headers.get('www-authenticate')).toBe('Bearer error="invalid_token"');
  });

  it('is accepted with any issuer, as a site has several names', async () => {
    const webid = String(await repository.user('abroad'));
    const token = await signToken(ownKey(), { ...good(), webid, sub: 'abroad', iss: 'https://other.example' });
    expect((await asBearer(token)).status).toBe(200);
  });

  it('is refused as soon as its user is blocked or renamed', async () => {
    await repository.user('passing', 'administrator');
    const token = await tokenOf(repository, 'passing');
    expect((await asBearer(token)).status).toBe(200);
    const { database } = repository.running.services;
    await database.write([{ sql: "UPDATE user SET name = 'passed' WHERE name = 'passing'", args: [] }]);
    expect((await asBearer(token)).status).toBe(401);
    await database.write([{ sql: "UPDATE user SET name = 'passing', status = 0 WHERE name = 'passed'", args: [] }]);
    expect((await asBearer(token)).status).toBe(401);
  });

  it('grants no role that its user lacks', async () => {
    const id = await repository.user('modest');
    const claims = { ...good(), webid: String(id), sub: 'modest', roles: ['authenticated', 'administrator'] };
    const token = await signToken(ownKey(), claims);
    const headers = { Authorization: `Bearer ${token}` };
    const created = await repository.post('/node?_format=json', { type: 'page', title: ['x'] }, undefined, headers);
    expect(created.status).toBe(403);
  });
});
