import { jwt } from '@elysiajs/jwt';
import { Type as t } from '@sinclair/typebox';
import { TOKEN_HEADER, type TokenSubject, tokenClaims } from '../../auth/issue-token.ts';
import { publicKeySet } from '../../auth/signing-key.ts';
import { ServiceError } from '../../base/errors.ts';
import { closed, text } from '../../field-types/schemas.ts';
import { paths } from '../../paths.ts';
import type { ApiServices } from '../api-services.ts';
import type { Call } from '../call.ts';
import { resource } from '../check.ts';
import { JSON_TYPE } from '../openapi/answers.ts';
import { describe } from '../openapi/describe.ts';
import { CONTENT_HEADERS } from '../openapi/headers.ts';
import { json } from '../respond.ts';

const publicKey = closed({
  kty: t.Literal('RSA'),
  n: text,
  e: text,
  kid: text,
  alg: t.Literal('RS256'),
  use: t.Literal('sig'),
});

/** The claims that are not of RFC 7519. */
const Claims = t.Object({
  drupal: t.Object({ uid: text }),
  webid: text,
  roles: t.Array(text),
  credentials_changed: t.Number(),
});

/** Tokens, and the keys by which others check them (spec: repository, "Authentication"; rest-behaviour, 8.2). */
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
        summary: 'Fetch a token for a program',
        description:
          'A JWT, to be sent as `Authorization: Bearer …`. It ends at its `exp`, and with the next change of the password, ' +
          'status or roles of its user. A token cannot be used to get another one.',
        isForAnyone: false,
        responses: {
          200: {
            description: 'The token.',
            headers: CONTENT_HEADERS,
            content: { [JSON_TYPE]: closed({ token: t.String({ pattern: '^[\\w-]+\\.[\\w-]+\\.[\\w-]+$' }) }) },
          },
        },
        failures: [403],
      }),
    })
    .get(paths.keySet, () => keySet(api), {
      check: { formats: 'single' },
      detail: describe({
        operationId: 'getKeySet',
        tag: 'accounts',
        summary: 'Fetch the public keys of the tokens',
        responses: {
          200: {
            description: 'A JWK set (RFC 7517).',
            headers: CONTENT_HEADERS,
            content: { [JSON_TYPE]: closed({ keys: t.Array(publicKey) }) },
          },
        },
        failures: [],
      }),
    });

/** Returns the user whom a token is for. Throws 401 or 403 if the caller may have none. */
function subjectOf(call: Call): TokenSubject {
  const { api, actor, identity, baseUrl } = call;
  call.allow(actor.isAuthenticated ? { isAllowed: true } : { isAllowed: false, reason: '' });
  // The configuration cannot allow this: a stolen token could be renewed for ever.
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
