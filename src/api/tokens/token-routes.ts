import { jwt } from '@elysiajs/jwt';
import { Type as t } from '@sinclair/typebox';
import { TOKEN_HEADER, type TokenSubject, tokenClaims } from '../../auth/issue-token.ts';
import { publicKeySet } from '../../auth/signing-key.ts';
import { ServiceError } from '../../base/errors.ts';
import { closed, text } from '../../field-types/schemas.ts';
import { paths } from '../../paths.ts';
import type { ApiServices } from '../../web/api-services.ts';
import type { Call } from '../../web/call.ts';
import { resource } from '../../web/check.ts';
import { answered, describe } from '../../web/openapi/describe.ts';
import { json } from '../../web/respond.ts';

const publicKey = closed({
  kty: t.Literal('RSA'),
  n: text,
  e: text,
  kid: text,
  alg: t.Literal('RS256'),
  use: t.Literal('sig'),
});

/** The claims beyond RFC 7519. */
const Claims = t.Object({
  drupal: t.Object({ uid: text }),
  webid: text,
  roles: t.Array(text),
  credentials_changed: t.Number(),
});

/** Routes of tokens and of the keys that verify them (spec: repository, "Authentication"; rest-behaviour, 8.2). */
export const tokenRoutes = (api: ApiServices) =>
  resource(api)
    .use(
      jwt({
        ...TOKEN_HEADER,
        name: 'signer',
        secret: api.signingKey.privateKey,
        kid: api.signingKey.kid,
        schema: Claims,
      }),
    )
    .get(paths.jwtToken, async ({ call, signer }) => answerToken(await signer.sign(tokenClaims(subjectOf(call)))), {
      check: { resource: 'jwt.token', formats: 'single' },
      detail: describe({
        operationId: 'getToken',
        tag: 'accounts',
        summary: 'Issue a token',
        description:
          'A JWT for `Authorization: Bearer …`. It expires at `exp`, and when the password, status or roles of its user ' +
          'change. A token cannot be used to get another one.',
        isForAnyone: false,
        responses: answered('The token.', closed({ token: t.String({ pattern: '^[\\w-]+\\.[\\w-]+\\.[\\w-]+$' }) })),
        failures: [403],
      }),
    })
    .get(paths.keySet, () => keySet(api), {
      check: { formats: 'single' },
      detail: describe({
        operationId: 'getKeySet',
        tag: 'accounts',
        summary: 'Read the public keys of the tokens',
        responses: answered('A JWK set (RFC 7517).', closed({ keys: t.Array(publicKey) })),
        failures: [],
      }),
    });

/** Returns the user of a new token. Throws 401 or 403 if the caller may not have one. */
function subjectOf(call: Call): TokenSubject {
  const { api, actor, identity, baseUrl } = call;
  call.allow(actor.isAuthenticated ? { isAllowed: true } : { isAllowed: false, reason: '' });
  // Not configurable: a stolen token could be renewed indefinitely.
  if (identity.authentication === 'jwt_auth')
    throw new ServiceError('forbidden', 'A token cannot be used to get another token. Sign in with a password.');
  return {
    uid: actor.id,
    name: actor.name,
    roles: actor.roles,
    credentialsChanged: identity.credentialsChanged,
    issuer: baseUrl,
    now: Date.now(),
    expirySeconds: api.tokenExpirySeconds,
  };
}

function answerToken(token: string): Response {
  return json(JSON.stringify({ token }), 200, { 'Cache-Control': 'no-store, private' });
}

function keySet(api: ApiServices): Response {
  const body = JSON.stringify(publicKeySet([api.signingKey]));
  return json(body, 200, { 'Cache-Control': 'public, max-age=300' });
}
