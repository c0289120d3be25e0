import { afterAll, describe, expect, it } from 'bun:test';
import { SignJWT } from 'jose';
import { createKey, publicPem, serveKeys, signToken } from '../../support/key-server.ts';
import { createTestProcessor } from '../../support/test-processor.ts';

const key = await createKey('one');
const stranger = await createKey('stranger');
const keys = serveKeys([key]);
let fetched = 0;
const source = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch(request) {
    fetched += 1;
    return new Response(request.headers.get('authorization'), { headers: { 'Content-Type': 'text/plain' } });
  },
});
const processor = await createTestProcessor(
  `
jwksUri: ${keys.url}
jwtIssuer: ["https://repository.example.org"]
allowedMimeTypes: ["*"]
cmdByMimeType:
  text/x-env: { cmd: env }
  default: { cmd: cat }
`,
  '127.0.0.1',
);
afterAll(async () => {
  await processor.stop();
  await source.stop(true);
  keys.stop();
});

const iss = 'https://repository.example.org';
const now = Math.floor(Date.now() / 1000);
const unsigned = (header: object, claims: object) =>
  `${[header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')}.`;

describe('a processor with jwksUri', () => {
  it('passes a valid token to the source and to the command', async () => {
    const token = await signToken(key, { iss });
    const fromSource = await processor.get(`http://127.0.0.1:${source.port}/`, { Authorization: `Bearer ${token}` });
    expect(await fromSource.text()).toBe(`Bearer ${token}`);
    const environment = await processor.post('text/x-env', 'x', { Authorization: `bearer ${token}` });
    const variables = await environment.text();
    expect(variables).toContain(`\nSERVICE_AUTH=${token}\n`);
    expect(variables).toContain(`\nSCYLLARIDAE_AUTH=bearer ${token}\n`);
  });

  it('accepts a token without a key id', async () => {
    const token = await signToken(key, { iss }, {});
    expect((await processor.post('text/plain', 'x', { Authorization: `Bearer ${token}` })).status).toBe(200);
  });

  it.each([
    ['no Authorization', undefined, 'The Authorization header is missing.'],
    ['basic credentials', 'Basic YWRtaW46YWRtaW4=', 'The Authorization header must have the form "Bearer <token>".'],
    ['no token', 'Bearer ', 'The Authorization header must have the form "Bearer <token>".'],
  ])('returns 400 for %s', async (_, authorization, sentence) => {
    const response = await processor.post('text/plain', 'x', authorization ? { Authorization: authorization } : {});
    expect(response.status).toBe(400);
    expect(await response.text()).toBe(`${sentence}\n`);
  });

  const bad: [string, () => Promise<string> | string, string][] = [
    ['has expired', () => signToken(key, { iss, exp: now - 60 }), 'The token has expired.'],
    ['is not valid yet', () => signToken(key, { iss, nbf: now + 60 }), 'The token is not valid yet.'],
    ['never expires', () => signToken(key, { iss, exp: undefined }), 'The token has no claim "exp".'],
    ['is not signed', () => unsigned({ alg: 'none' }, { iss, exp: now + 60 }), 'must be signed with RS256'],
    ['is signed with the public key', hmacToken, 'must be signed with RS256'],
    ['is signed by a stranger', () => signToken(stranger, { iss }), 'a key that is not in the key set'],
    [
      "is signed by a stranger in the key's name",
      () => signToken({ ...stranger, kid: 'one' }, { iss }),
      'does not match',
    ],
    ['is of another issuer', () => signToken(key, { iss: 'https://evil.example' }), 'claim "iss" of the token is not'],
    ['names no issuer', () => signToken(key), 'The token has no claim "iss".'],
    ['is rubbish', () => 'not.a.token', 'The token is not a valid JWT.'],
    ['is not even that', () => '!!!', 'The token is not a valid JWT.'],
  ];
  it.each(bad)('returns 401 for a token that %s, before any fetch', async (_, make, sentence) => {
    fetched = 0;
    const response = await processor.get(`http://127.0.0.1:${source.port}/`, {
      Authorization: `Bearer ${await make()}`,
    });
    expect(response.status).toBe(401);
    expect(response.headers.get('WWW-Authenticate')).toBe('Bearer error="invalid_token"');
    expect(await response.text()).toContain(sentence);
    expect(fetched).toBe(0);
  });

  async function hmacToken() {
    const secret = new TextEncoder().encode(await publicPem(key));
    return new SignJWT({ iss, exp: now + 60 }).setProtectedHeader({ alg: 'HS256', kid: 'one' }).sign(secret);
  }

  it('returns 401 before any other error', async () => {
    const response = await fetch(processor.url, { method: 'POST', headers: { Authorization: 'Bearer x.y.z' } });
    expect(response.status).toBe(401);
  });

  it('requires no token at /healthcheck', async () => {
    const response = await fetch(`${processor.url}healthcheck`);
    expect(await response.text()).toBe('OK');
  });

  it('keeps secrets out of the log', async () => {
    const token = await signToken(key, { iss });
    await (await processor.post('text/plain', 'x', { Authorization: `Bearer ${token}` })).text();
    expect(JSON.stringify(processor.log)).not.toContain(token.split('.')[2] as string);
  });
});

describe('a processor without usable keys', () => {
  it.each([
    ['fails', () => new Response('no', { status: 500 })],
    ['answers rubbish', () => new Response('<html>')],
    ['answers something else', () => Response.json({ keys: 'none' })],
    ['answers without end', () => new Response('x'.repeat(2 * 1024 * 1024))],
  ])('returns 503 and rejects requests while the key server %s', async (_, fail) => {
    const broken = serveKeys([key]);
    broken.state.fail = fail;
    const service = await createTestProcessor(
      `jwksUri: ${broken.url}\nallowedMimeTypes: ["*"]\ncmdByMimeType:\n  default: { cmd: cat }\n`,
      '127.0.0.1',
    );
    const headers = { Authorization: `Bearer ${await signToken(key)}` };
    const response = await service.post('text/plain', 'x', headers);
    expect(response.status).toBe(503);
    expect(response.headers.get('Retry-After')).toBe('30');
    expect(await response.text()).toBe('The keys that verify tokens are temporarily unavailable.\n');
    broken.state.fail = undefined;
    expect((await service.post('text/plain', 'x', headers)).status).toBe(200);
    await service.stop();
    broken.stop();
  });
});
