import { Value } from '@sinclair/typebox/value';
import { t } from 'elysia';
import {
  anonymousCsrfToken,
  csrfToken,
  isSameToken,
  logoutToken,
  newSessionId,
  sessionCookieName,
  storedSessionKey,
} from '../auth/session-token.ts';
import { malformed, ServiceError } from '../base/errors.ts';
import { endedSessionCookie, SESSION_COOKIE_MAX_AGE_S, sessionCookie } from '../http/cookies.ts';
import { paths } from '../paths.ts';
import type { Call } from './call.ts';
import { addressOf, signIn } from './identify.ts';
import * as account from './openapi/describe-accounts.ts';
import { empty, json } from './respond.ts';
import type { Route } from './routes.ts';

/** Whoever sends name and password each time has no session to ask about (spec: rest-behaviour, 8.1). */
const NOT_BASIC = ['jwt_auth', 'cookie'] as const;

/** Signing in with a cookie, as browsers and some scripts do (spec: rest-behaviour, 8.3 and 8.4). */
export const sessionRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: paths.login,
    authentication: NOT_BASIC,
    needsCsrfToken: false,
    description: account.logIn,
    answer: login,
  },
  {
    method: 'POST',
    path: paths.logout,
    authentication: NOT_BASIC,
    needsCsrfToken: false,
    description: account.logOut,
    answer: logout,
  },
  {
    method: 'GET',
    path: paths.loginStatus,
    authentication: NOT_BASIC,
    description: account.loginStatus,
    answer: loginStatus,
  },
  {
    method: 'GET',
    path: paths.sessionToken,
    authentication: NOT_BASIC,
    hasFormats: false,
    description: account.sessionToken,
    answer: sessionToken,
  },
];

/** Anyone may send this much: a name, a password, and room for either to be escaped. */
const MAX_LOGIN_BYTES = 64 * 1024;

const Credentials = t.Object({ name: t.String({ minLength: 1 }), pass: t.String({ minLength: 1 }) });

const NOT_RECOGNISED = 'Sorry, unrecognized username or password.';

async function login(call: Call): Promise<Response> {
  const { api, actor, baseUrl } = call;
  call.allow({ isAllowed: true });
  if (actor.isAuthenticated) throw new ServiceError('forbidden', 'This route can only be accessed by anonymous users.');
  refuseOtherSites(call);
  const body = await call.json(MAX_LOGIN_BYTES);
  if (!Value.Check(Credentials, body)) throw missing(body);
  const user = await signIn(api, body.name, body.pass, addressOf(api, call.request, call.peer), {
    evenBlocked: true,
  });
  if (user === undefined) throw malformed(NOT_RECOGNISED);
  if (!user.status) throw malformed('The user has not been activated or is blocked.');
  const id = newSessionId();
  const now = api.services.now();
  const hasBegun = await api.sessions.begin(storedSessionKey(id), user, now + SESSION_COOKIE_MAX_AGE_S);
  if (!hasBegun) throw malformed(NOT_RECOGNISED);
  const answer = {
    current_user: { uid: String(user.id), roles: ['authenticated', ...user.roles], name: user.name },
    csrf_token: csrfToken(id, api.secret),
    logout_token: logoutToken(id, api.secret),
  };
  const cookie = sessionCookie(sessionCookieName(baseUrl), id, isSecure(baseUrl));
  return json(JSON.stringify(answer), 200, { 'Set-Cookie': cookie });
}

/**
 * A form of another site needs no permission of the browser to sign its victim in under a name of the attacker's.
 * Browsers say where a request comes from (W3C Fetch Metadata); programs do not.
 */
function refuseOtherSites({ request }: Call): void {
  if (request.headers.get('sec-fetch-site') !== 'cross-site') return;
  throw new ServiceError('forbidden', 'Nobody can be signed in from another site.');
}

function missing({ name, pass }: { name?: unknown; pass?: unknown }): ServiceError {
  const isGiven = (value: unknown) => value !== undefined && value !== null && value !== '';
  if (!isGiven(name) && !isGiven(pass)) return malformed('Missing credentials.');
  if (!isGiven(name)) return malformed('Missing credentials.name.');
  if (!isGiven(pass)) return malformed('Missing credentials.pass.');
  return malformed('The members "name" and "pass" must be text.');
}

async function logout(call: Call): Promise<Response> {
  const { api, identity, baseUrl } = call;
  call.allow({ isAllowed: true });
  if (identity.sessionId === undefined)
    throw new ServiceError('forbidden', 'This route can only be accessed by authenticated users.');
  const token = call.query('token');
  if (token === undefined) throw new ServiceError('forbidden', "'csrf_token' URL query argument is missing.");
  if (!isSameToken(token, logoutToken(identity.sessionId, api.secret)))
    throw new ServiceError('forbidden', "'csrf_token' URL query argument is invalid.");
  await api.sessions.end(storedSessionKey(identity.sessionId));
  return empty(204, { 'Set-Cookie': endedSessionCookie(sessionCookieName(baseUrl), isSecure(baseUrl)) });
}

async function loginStatus(call: Call): Promise<Response> {
  call.allow({ isAllowed: true });
  return text(call.actor.isAuthenticated ? '1' : '0');
}

async function sessionToken(call: Call): Promise<Response> {
  call.allow({ isAllowed: true });
  const { api, identity } = call;
  return text(identity.sessionId === undefined ? anonymousCsrfToken() : csrfToken(identity.sessionId, api.secret));
}

function text(body: string): Response {
  const headers = { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store, private' };
  return new Response(body, { headers: { ...headers, 'X-Content-Type-Options': 'nosniff' } });
}

const isSecure = (baseUrl: string) => baseUrl.startsWith('https:');
