import { issueToken } from '../auth/issue-token.ts';
import { publicKeySet } from '../auth/signing-key.ts';
import { ServiceError } from '../base/errors.ts';
import { paths } from '../paths.ts';
import type { Call } from './call.ts';
import { keySet as keys, issueToken as tokenIssued } from './openapi/describe-accounts.ts';
import { json } from './respond.ts';
import type { Route } from './routes.ts';

/** Tokens, and the keys by which others check them (spec: repository, "Authentication"; rest-behaviour, 8.2). */
export const tokenRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: paths.jwtToken,
    resource: 'jwt.token',
    hasFormats: false,
    description: tokenIssued,
    answer: token,
  },
  { method: 'GET', path: paths.keySet, hasFormats: false, description: keys, answer: keySet },
];

async function token(call: Call): Promise<Response> {
  const { api, actor, identity, baseUrl } = call;
  const access = actor.isAuthenticated ? { isAllowed: true as const } : { isAllowed: false as const, reason: '' };
  call.allow(access);
  // The configuration cannot allow this: a stolen token could be renewed for ever.
  if (identity.authentication === 'jwt_auth')
    throw new ServiceError('forbidden', 'A token cannot be used to get another token. Sign in with a password.');
  const subject = {
    uid: actor.id,
    name: actor.name,
    roles: actor.roles,
    credentialsChanged: identity.credentialsChanged,
    issuer: baseUrl,
    now: Date.now(),
    expirySeconds: api.tokenExpirySeconds,
  };
  const issued = await issueToken(subject, api.signingKey);
  return json(JSON.stringify({ token: issued }), 200, { 'Cache-Control': 'no-store, private' });
}

async function keySet({ api }: Call): Promise<Response> {
  const body = JSON.stringify(publicKeySet([api.signingKey]));
  return json(body, 200, { 'Cache-Control': 'public, max-age=300' });
}
