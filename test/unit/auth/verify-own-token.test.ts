import { beforeAll, beforeEach, describe, expect, it, spyOn } from 'bun:test';
import { join } from 'node:path';
import fc from 'fast-check';
import { base64url, type CryptoKey, exportJWK, exportSPKI, SignJWT } from 'jose';
import { issueToken } from '../../../src/auth/issue-token.ts';
import { loadSigningKey, type SigningKey } from '../../../src/auth/signing-key.ts';
import { createOwnTokenVerifier, type OwnTokenVerifier } from '../../../src/auth/verify-own-token.ts';
import { emptyFolder } from '../../support/empty-folder.ts';
import { serviceError } from '../../support/service-error.ts';

const refused = (sentence: RegExp) => serviceError('unauthenticated', sentence);

let folder: string;
let key: SigningKey;
let other: SigningKey;
let now: number;
let verify: OwnTokenVerifier;
beforeAll(async () => {
  folder = await emptyFolder();
  [key, other] = await Promise.all([loadSigningKey(join(folder, 'one')), loadSigningKey(join(folder, 'two'))]);
});
beforeEach(() => {
  now = 1_700_000_000_000;
  verify = createOwnTokenVerifier({ keys: [key], now: () => now });
});

const issue = (changes: Partial<Parameters<typeof issueToken>[0]> = {}, by = key) =>
  issueToken(
    {
      uid: 7,
      name: 'admin',
      roles: [],
      credentialsChanged: 5,
      issuer: 'http://a',
      now,
      expirySeconds: 7200,
      ...changes,
    },
    by,
  );
/** Whom such a token speaks for. */
const admin = () => ({ uid: 7, name: 'admin', credentialsChanged: 5, issuedAt: 1_700_000_000 });

const claims = () => ({ webid: '7', sub: 'admin', roles: ['authenticated'], iss: 'http://a', exp: now / 1000 + 60 });

/** Claims under a header of any kind, signed with any key. */
const sign = (
  header: Record<string, unknown>,
  by: CryptoKey | Uint8Array = key.privateKey,
  payload: object = claims(),
) => new SignJWT({ ...payload }).setProtectedHeader({ alg: 'RS256', typ: 'JWT', kid: key.kid, ...header }).sign(by);

const assemble = (header: unknown, payload: unknown, signature: string) =>
  `${[header, payload].map((part) => base64url.encode(JSON.stringify(part))).join('.')}.${signature}`;

describe('a token of this site', () => {
  it('identifies its user', async () => {
    expect(await verify(await issue())).toEqual(admin());
  });

  it('may have been issued under another address of the site', async () => {
    expect(await verify(await issue({ issuer: 'https://other.example' }))).toEqual(admin());
  });

  it('may be signed with an older key that is still listed', async () => {
    verify = createOwnTokenVerifier({ keys: [other, key], now: () => now });
    expect(await verify(await issue())).toEqual(admin());
  });

  it.each([
    [7_199_000, undefined],
    [7_204_000, undefined],
    [7_205_000, /^The token has expired\.$/],
  ])('is valid until it expires, within a tolerance of seconds: %p ms', async (later, sentence) => {
    const token = await issue();
    now += later;
    if (sentence) await expect(verify(token)).rejects.toThrow(refused(sentence));
    else expect(await verify(token)).toEqual(admin());
  });

  it('has its claims checked after its signature', async () => {
    const token = await sign({}, key.privateKey, { ...claims(), aud: ['somebody-else'] });
    await expect(verify(token)).rejects.toThrow(refused(/^The claim "aud" of the token is not accepted/));
  });
});

describe('a token that was seen before', () => {
  it('is remembered until it expires', async () => {
    const token = await issue({ expirySeconds: 30 });
    expect(await verify(token)).toBe(await verify(token));
    now += 35_000;
    await expect(verify(token)).rejects.toThrow(refused(/expired/));
  });

  it('is verified again after a minute', async () => {
    const token = await issue();
    const first = await verify(token);
    now += 59_999;
    expect(await verify(token)).toBe(first);
    now += 1;
    expect(await verify(token)).not.toBe(first);
  });

  it('does not validate a changed token', async () => {
    const token = await issue();
    await verify(token);
    const [header, payload, signature = ''] = token.split('.');
    const flipped = `${signature[0] === 'A' ? 'B' : 'A'}${signature.slice(1)}`;
    await expect(verify(`${header}.${payload}.${flipped}`)).rejects.toThrow(refused(/signature.*not match/));
  });

  it('is not remembered when it was refused', async () => {
    const token = await sign({}, key.privateKey, { ...claims(), nbf: now / 1000 + 30 });
    await expect(verify(token)).rejects.toThrow(refused(/not valid yet/));
    now += 30_000;
    expect(await verify(token)).toMatchObject({ uid: 7, name: 'admin' });
  });

  it('is verified quickly', async () => {
    const token = await issue();
    const signatures = spyOn(crypto.subtle, 'verify');
    for (let i = 0; i < 1_000; i += 1) await verify(token);
    const { length: checked } = signatures.mock.calls;
    signatures.mockRestore();
    // Only the first time: the cryptography takes longer than all else.
    expect(checked).toBe(1);
  });
});

describe('a forged token', () => {
  it.each([
    ['none'],
    ['None'],
    ['NONE'],
    ['HS256'],
    ['PS256'],
    ['RS512'],
    ['ES256'],
    [''],
    [undefined],
    [null],
    [256],
    [['RS256']],
  ])('is refused with the algorithm %p', async (alg) => {
    const [, , good = ''] = (await issue()).split('.');
    for (const signature of ['', 'c2lnbmF0dXJl', good]) {
      const token = assemble({ alg, typ: 'JWT', kid: key.kid }, claims(), signature);
      await expect(verify(token)).rejects.toThrow(refused(/^The token /));
    }
  });

  it('is refused when keyed with the public key as a secret', async () => {
    const jwk = await exportJWK(key.publicKey);
    for (const text of [await exportSPKI(key.publicKey), JSON.stringify(jwk), jwk.n as string]) {
      const token = await sign({ alg: 'HS256' }, new TextEncoder().encode(text));
      await expect(verify(token)).rejects.toThrow(refused(/^The token must be signed with RS256\.$/));
    }
  });

  it("is refused when signed by another key under the site's key id", async () => {
    await expect(verify(await sign({}, other.privateKey))).rejects.toThrow(refused(/signature.*not match/));
  });

  it('is refused when signed by an embedded key under its own id', async () => {
    const header = { kid: other.kid, jwk: await exportJWK(other.publicKey), jku: 'http://127.0.0.1:1/' };
    await expect(verify(await sign(header, other.privateKey))).rejects.toThrow(
      refused(/not signed with a key of this/),
    );
  });

  it.each([[undefined], [''], ['../jwt-rsa.pem'], ['__proto__'], [null], [0], [{}], [['x']]])(
    'is refused with the key id %p',
    async (kid) => {
      await expect(verify(await sign({ kid }))).rejects.toThrow(
        refused(/not signed with a key of this|not a valid JWT/),
      );
    },
  );

  it.each([[undefined], [''], ['jwt'], ['at+jwt'], ['logout+jwt'], [null], [1]])(
    'is refused with the type %p',
    async (typ) => {
      await expect(verify(await sign({ typ }))).rejects.toThrow(refused(/^The token is not a valid JWT\.$/));
    },
  );

  it('is refused with an unknown critical extension', async () => {
    const [, payload, signature] = (await issue()).split('.');
    const header = base64url.encode(JSON.stringify({ alg: 'RS256', typ: 'JWT', kid: key.kid, crit: ['x'], x: 1 }));
    await expect(verify(`${header}.${payload}.${signature}`)).rejects.toThrow(refused(/not a valid JWT/));
  });

  it('is refused when its claims were changed', async () => {
    const [header, , signature] = (await issue()).split('.');
    const payload = base64url.encode(JSON.stringify({ ...claims(), sub: 'root', webid: '1' }));
    await expect(verify(`${header}.${payload}.${signature}`)).rejects.toThrow(refused(/signature.*not match/));
  });

  it('is refused without parsing if it is very long', async () => {
    await expect(verify('a'.repeat(8_193))).rejects.toThrow(refused(/longer than 8192 characters/));
  });

  it.each([
    '',
    '.',
    '..',
    'a.b',
    'a.b.c',
    'a.b.c.d',
    'e30.e30.',
    '....',
    '{"alg":"none"}',
    'e30.e30.e30',
    '\u0000',
    '☃.☃.☃',
  ])('is refused when it is not a token: %p', async (token) => {
    await expect(verify(token)).rejects.toThrow(refused(/^The token/));
    await expect(verify(token)).rejects.toMatchObject({
      headers: { 'WWW-Authenticate': 'Bearer error="invalid_token"' },
    });
  });

  it('is refused in any format', async () => {
    const good = await issue();
    const mangled = fc
      .tuple(fc.nat(good.length - 1), fc.string({ minLength: 1, maxLength: 3 }), fc.nat(3))
      .map(([at, text, cut]) => good.slice(0, at) + text + good.slice(at + cut))
      .filter((token) => token !== good);
    /** Base64 has bits to spare at its end: another spelling of the same signature is no forgery. */
    const bytesOf = (token: string) => {
      const [, signed, signature = ''] = /^([\w-]+\.[\w-]+)\.([\w-]+)$/.exec(token) ?? [];
      return `${signed}.${Buffer.from(signature, 'base64url').toString('hex')}`;
    };
    await fc.assert(
      fc.asyncProperty(fc.oneof(mangled, fc.string()), async (token) => {
        const outcome = await verify(token).then(
          () => 'accepted',
          (error) => error.kind,
        );
        return outcome === (bytesOf(token) === bytesOf(good) ? 'accepted' : 'unauthenticated');
      }),
      { numRuns: 1_000 },
    );
  });
});
