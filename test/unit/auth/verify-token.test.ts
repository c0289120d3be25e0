import { afterAll, afterEach, beforeAll, describe, expect, it, setSystemTime } from 'bun:test';
import { base64url, exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { createTokenVerifier, type TokenVerifierOptions } from '../../../src/auth/verify-token.ts';
import { freePort } from '../../support/free-port.ts';
import { createKey, publicPem, serveKeys, signToken, type TestKey } from '../../support/key-server.ts';
import { serviceError } from '../../support/service-error.ts';

const MINUTE_MS = 60_000;
const nowSeconds = () => Math.floor(Date.now() / 1000);
const refused = (sentence: RegExp) => serviceError('unauthenticated', sentence);
const unavailable = serviceError('unavailable', /^The keys that verify tokens are temporarily unavailable/);

let key: TestKey;
let other: TestKey;
let server: ReturnType<typeof serveKeys>;
beforeAll(async () => {
  [key, other] = await Promise.all([createKey('one'), createKey('two')]);
  server = serveKeys([key]);
});
afterEach(() => {
  setSystemTime();
  Object.assign(server.state, { keys: [key], requests: 0, fail: undefined });
});
afterAll(() => server.stop());

const verifier = (options: Partial<TokenVerifierOptions> = {}) =>
  createTokenVerifier({ jwksUri: new URL(server.url), ...options });

/** A token with any parts. */
const assemble = (header: unknown, payload: unknown, signature = 'c2lnbmF0dXJl') =>
  [header, payload].map((part) => base64url.encode(JSON.stringify(part))).join('.') + (`.${signature}` as const);

describe('a valid token', () => {
  it('returns its claims', async () => {
    expect(await verifier()(await signToken(key, { webid: '7' }))).toMatchObject({ webid: '7', sub: 'admin' });
  });

  it('uses the keys that were already fetched', async () => {
    const verify = verifier();
    await verify(await signToken(key));
    await verify(await signToken(key));
    expect(server.state.requests).toBe(1);
  });

  it.each([
    ['exp 3 s ago', () => ({ exp: nowSeconds() - 3 })],
    ['nbf in 3 s', () => ({ nbf: nowSeconds() + 3 })],
  ])('tolerates a difference of a few seconds: %s', async (_, claims) => {
    expect(await verifier()(await signToken(key, claims()))).toMatchObject({ sub: 'admin' });
  });

  it('may omit its key id if two keys match', async () => {
    server.state.keys = [other, key];
    expect(await verifier()(await signToken(key, {}, {}))).toMatchObject({ sub: 'admin' });
  });
});

describe('claims', () => {
  it.each<[string, () => JWTPayload, RegExp]>([
    ['expired', () => ({ exp: nowSeconds() - 60 }), /^The token has expired\.$/],
    ['not valid yet', () => ({ nbf: nowSeconds() + 60 }), /^The token is not valid yet\.$/],
    ['valid for ever', () => ({ exp: undefined }) as unknown as JWTPayload, /^The token has no claim "exp"\.$/],
    ['with an expiry that is not a number', () => ({ exp: 'never' }) as unknown as JWTPayload, /"exp".*not accepted/],
  ])('are refused: %s', async (_, claims, sentence) => {
    await expect(verifier()(await signToken(key, claims()))).rejects.toThrow(refused(sentence));
  });

  it.each<[string, Partial<TokenVerifierOptions>, JWTPayload, RegExp | undefined]>([
    ['the right issuer', { issuers: ['http://a', 'http://b'] }, { iss: 'http://b' }, undefined],
    ['another issuer', { issuers: ['http://a'] }, { iss: 'http://a.evil' }, /^The claim "iss" of the token is not acc/],
    ['no issuer', { issuers: ['http://a'] }, {}, /^The token has no claim "iss"/],
    ['the right audience', { audiences: ['repo'] }, { aud: ['x', 'repo'] }, undefined],
    ['another audience', { audiences: ['repo'] }, { aud: 'repository' }, /^The claim "aud" of the token is not acc/],
    ['no audience', { audiences: ['repo'] }, {}, /^The token has no claim "aud"/],
    ['any issuer if none is required', {}, { iss: 'http://anyone', aud: 'anything' }, undefined],
  ])('are checked for %s', async (_, options, claims, sentence) => {
    const checked = verifier(options)(await signToken(key, claims));
    if (sentence) await expect(checked).rejects.toThrow(refused(sentence));
    else expect(await checked).toMatchObject(claims);
  });
});

describe('a forged token', () => {
  const claims = () => ({ sub: 'admin', exp: nowSeconds() + 60 });

  it.each(['none', 'None', 'NONE', 'HS256', 'ES256', 'RS512', ''])('is refused with the algorithm %p', async (alg) => {
    const tokens = ['', 'c2lnbmF0dXJl'].map((signature) => assemble({ alg, kid: 'one' }, claims(), signature));
    for (const token of tokens) await expect(verifier()(token)).rejects.toThrow(refused(/^The token /));
    expect(server.state.requests).toBe(0);
  });

  it('is refused when signed with the public key as an HMAC secret', async () => {
    const secret = new TextEncoder().encode(await publicPem(key));
    const token = await new SignJWT(claims()).setProtectedHeader({ alg: 'HS256', kid: 'one' }).sign(secret);
    await expect(verifier()(token)).rejects.toThrow(refused(/^The token must be signed with RS256\.$/));
  });

  it('is refused when signed by another key with the same id', async () => {
    await expect(verifier()(await signToken({ ...other, kid: 'one' }))).rejects.toThrow(
      refused(/signature.*not match/),
    );
  });

  it('is refused when its claims were changed', async () => {
    const [header, , signature] = (await signToken(key)).split('.');
    const payload = base64url.encode(JSON.stringify({ ...claims(), sub: 'root' }));
    await expect(verifier()(`${header}.${payload}.${signature}`)).rejects.toThrow(refused(/signature.*not match/));
  });

  it('is not verified with a key that it contains', async () => {
    const header = { alg: 'RS256', kid: 'three', jwk: await exportJWK(other.publicKey), jku: 'http://evil.example/' };
    const token = await new SignJWT(claims()).setProtectedHeader(header).sign(other.privateKey);
    await expect(verifier()(token)).rejects.toThrow(refused(/key that is not in the key set/));
  });

  it('is refused without a key id if it fits no key, and when it has expired', async () => {
    server.state.keys = [other, key];
    const stranger = await signToken(await createKey('three'), {}, {});
    await expect(verifier()(stranger)).rejects.toThrow(refused(/signature.*not match/));
    const expired = await signToken(key, { exp: nowSeconds() - 60 }, {});
    await expect(verifier()(expired)).rejects.toThrow(refused(/has expired/));
  });

  it.each([
    [''],
    ['abc'],
    ['a.b'],
    ['a.b.c.d.e'],
    ['..'],
    ['%%%.%%%.%%%'],
    [`${base64url.encode('[]')}.${base64url.encode('{}')}.x`],
    [assemble('text', {})],
    [assemble(null, {})],
    [assemble({ alg: 5 }, {})],
    [assemble({ alg: 'RS256', crit: ['x'] }, {})],
    [assemble({ alg: 'RS256', kid: { a: 1 } }, {})],
    [assemble({ alg: 'RS256', kid: 'one' }, {}, '!!!')],
    ['x'.repeat(100_000)],
  ])('is refused if it is malformed: %.40s', async (token) => {
    await expect(verifier()(token)).rejects.toThrow(refused(/^The .*token|^The signature/));
  });

  it('is answered with a challenge', async () => {
    const failure = await verifier()('abc').catch((error: unknown) => error);
    expect(failure).toMatchObject({ headers: { 'WWW-Authenticate': 'Bearer error="invalid_token"' } });
  });
});

describe('an unknown key id', () => {
  it('is a hint: all keys are tried', async () => {
    server.state.keys = [other, key];
    const verify = verifier();
    expect(await verify(await signToken({ ...key, kid: 'renamed' }))).toMatchObject({ sub: 'admin' });
    server.state.keys = [key];
    expect(await verifier()(await signToken({ ...key, kid: 'renamed' }))).toMatchObject({ sub: 'admin' });
    const expired = await signToken({ ...key, kid: 'renamed' }, { exp: nowSeconds() - 60 });
    await expect(verifier()(expired)).rejects.toThrow(refused(/has expired/));
  });

  it('refreshes the key set once per cool-down', async () => {
    const start = Date.now();
    const verify = verifier();
    await verify(await signToken(key));
    const unknown = await signToken(other, { exp: nowSeconds() + 3600 });
    setSystemTime(start + MINUTE_MS / 2 + 1000);
    for (const _ of [1, 2, 3]) await expect(verify(unknown)).rejects.toThrow(refused(/key that is not in the key set/));
    expect(server.state.requests).toBe(2);
    setSystemTime(start + MINUTE_MS + 2000);
    server.state.keys = [key, other];
    expect(await verify(unknown)).toMatchObject({ sub: 'admin' });
    expect(server.state.requests).toBe(3);
  });
});

describe('a key server that fails', () => {
  it.each<[string, () => Response | Promise<Response>]>([
    ['500', () => new Response('oops', { status: 500 })],
    ['404 with keys', () => Response.json({ keys: [] }, { status: 404 })],
    ['a redirect', () => Response.redirect('http://127.0.0.1:9/')],
    ['text', () => new Response('no keys here')],
    ['nothing', () => new Response(null)],
    ['JSON of another structure', () => Response.json({ keys: 'none' })],
    ['invalid keys', () => Response.json({ keys: [{ kid: 'one', kty: 'RSA', alg: 'RS256' }] })],
    ['more than a mebibyte', () => Response.json({ keys: [], padding: 'x'.repeat(1024 * 1024) })],
  ])('with %s makes tokens unverifiable, not invalid', async (_, fail) => {
    server.state.fail = fail;
    await expect(verifier()(await signToken(key))).rejects.toThrow(unavailable);
  });

  it('that is unreachable makes tokens unverifiable, not valid', async () => {
    const jwksUri = new URL(`http://127.0.0.1:${await freePort()}/`);
    const failure = await verifier({ jwksUri })(await signToken(key)).catch((error: unknown) => error);
    expect(failure).toEqual(unavailable);
    expect(failure).toMatchObject({ headers: { 'Retry-After': '30' } });
  });

  it('has no effect while the cached keys are fresh', async () => {
    const start = Date.now();
    const verify = verifier();
    const token = await signToken(key, { exp: nowSeconds() + 3600 });
    await verify(token);
    server.state.fail = () => new Response('', { status: 500 });
    setSystemTime(start + 9 * MINUTE_MS);
    expect(await verify(token)).toMatchObject({ sub: 'admin' });
    setSystemTime(start + 11 * MINUTE_MS);
    await expect(verify(token)).rejects.toThrow(unavailable);
    server.state.fail = undefined;
    expect(await verify(token)).toMatchObject({ sub: 'admin' });
  });

  it('is used again after it recovers', async () => {
    const verify = verifier();
    server.state.fail = () => new Response('', { status: 500 });
    await expect(verify(await signToken(key))).rejects.toThrow(unavailable);
    server.state.fail = undefined;
    expect(await verify(await signToken(key))).toMatchObject({ sub: 'admin' });
  });
});

it('a token is refused if the key set has no RS256 key', async () => {
  const elliptic = await exportJWK((await generateKeyPair('ES256', { extractable: true })).publicKey);
  server.state.fail = () => Response.json({ keys: [{ ...elliptic, kid: 'one' }] });
  await expect(verifier()(await signToken(key))).rejects.toThrow(refused(/key that is not in the key set/));
});
