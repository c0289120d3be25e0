import { Type as t } from '@sinclair/typebox';
import {
  anonymousCsrfToken,
  csrfToken,
  isSameToken,
  logoutToken,
  sessionCookieName,
  storedSessionKey,
} from '../../auth/session-token.ts';
import { ServiceError } from '../../base/errors.ts';
import { closed, oneOf, text } from '../../field-types/schemas.ts';
import { endedSessionCookie } from '../../http/cookies.ts';
import { isCrossSite, isForm } from '../../http/form-body.ts';
import { signInByForm } from '../../pages/account/sign-in-form.tsx';
import { paths } from '../../paths.ts';
import type { ApiServices } from '../../web/api-services.ts';
import { beginSession, isSecure, NOT_BASIC } from '../../web/begin-session.ts';
import type { Call } from '../../web/call.ts';
import { ANY_TYPE, resource } from '../../web/check.ts';
import { MOVED_HEADERS, seeOther } from '../../web/form-answer.ts';
import { describe, JSON_TYPE } from '../../web/openapi/describe.ts';
import { CONTENT_HEADERS, type HeaderName } from '../../web/openapi/headers.ts';
import { parameter, queryOf } from '../../web/parameters.ts';
import { empty, json } from '../../web/respond.ts';
import { type Credentials, credentials } from './credentials.ts';

/** Maximum size of the body of a login in bytes. */
const MAX_LOGIN_BYTES = 64 * 1024;
const TEXT_HEADERS: readonly HeaderName[] = ['Cache-Control', 'X-Content-Type-Options'];
const ALLOWED = { isAllowed: true } as const;

const LogoutQuery = queryOf({
  token: parameter(
    { type: 'string', description: 'The `logout_token` of the session.' },
    () => true,
    () => new ServiceError('forbidden', "'csrf_token' URL query argument is missing."),
  ),
});

/** Routes of sessions with a cookie, for browsers and scripts (spec: rest-behaviour, 8.3 and 8.4). */
export const sessionRoutes = (api: ApiServices) =>
  resource(api)
    .post(
      paths.login,
      async ({ call, body }) => (body.form ? signInByForm(call, body, body.form) : login(call, body)),
      {
        check: {
          authentication: NOT_BASIC,
          json: true,
          form: 'open',
          accepts: ANY_TYPE,
          maxBytes: MAX_LOGIN_BYTES,
          needsCsrfToken: false,
          access: mayLogIn,
        },
        body: credentials,
        detail: describe({
          operationId: 'logIn',
          tag: 'accounts',
          summary: 'Begin a session',
          isForAnyone: true,
          responses: {
            200: {
              description: 'The cookie holds the session.',
              headers: [...CONTENT_HEADERS, 'Set-Cookie'],
              content: {
                [JSON_TYPE]: closed({
                  current_user: closed({ uid: t.String({ pattern: '^\\d+$' }), roles: t.Array(text), name: text }),
                  csrf_token: t.String({ description: 'For X-CSRF-Token.' }),
                  logout_token: t.String({ description: 'The token for `/user/logout`.' }),
                }),
              },
            },
          },
          failures: [403, 413],
        }),
      },
    )
    .post(paths.logout, async ({ call, query }) => logout(call, query.token), {
      check: { authentication: NOT_BASIC, needsCsrfToken: false, access: mayLogOut },
      query: LogoutQuery,
      detail: describe({
        operationId: 'logOut',
        tag: 'accounts',
        summary: 'End a session',
        responses: {
          204: { description: 'The session has ended.', headers: ['X-Content-Type-Options', 'Set-Cookie'] },
          303: { description: 'The same, for the form of a page.', headers: [...MOVED_HEADERS, 'Set-Cookie'] },
        },
        failures: [403],
      }),
    })
    .get(
      paths.loginStatus,
      async ({ call }) => {
        call.allow(ALLOWED);
        return plainText(call.actor.isAuthenticated ? '1' : '0');
      },
      {
        check: { authentication: NOT_BASIC },
        detail: describe({
          operationId: 'getLoginStatus',
          tag: 'accounts',
          summary: 'Check whether the caller is signed in',
          responses: {
            200: { description: '1 or 0.', headers: TEXT_HEADERS, content: { 'text/plain': oneOf(['0', '1']) } },
          },
          failures: [403],
        }),
      },
    )
    .get(
      paths.sessionToken,
      async ({ call }) => {
        call.allow(ALLOWED);
        const { sessionId } = call.identity;
        return plainText(sessionId === undefined ? anonymousCsrfToken() : csrfToken(sessionId, api.secret));
      },
      {
        check: { authentication: NOT_BASIC, formats: 'single' },
        detail: describe({
          operationId: 'getSessionToken',
          tag: 'accounts',
          summary: 'Read the X-CSRF-Token of a session',
          responses: {
            200: {
              description: 'The token. Without a session it is not valid for any request.',
              headers: TEXT_HEADERS,
              content: { 'text/plain': t.String({ pattern: '^[A-Za-z0-9_-]{43}$' }) },
            },
          },
          failures: [403],
        }),
      },
    );

function mayLogIn(call: Call): void {
  call.allow(ALLOWED);
  if (call.actor.isAuthenticated)
    throw new ServiceError('forbidden', 'This route can only be accessed by anonymous users.');
  refuseOtherSites(call);
}

async function login(call: Call, { name, pass }: Credentials): Promise<Response> {
  const { id, user, cookie } = await beginSession(call, name, pass);
  const { secret } = call.api;
  const answer = {
    current_user: { uid: String(user.id), roles: ['authenticated', ...user.roles], name: user.name },
    csrf_token: csrfToken(id, secret),
    logout_token: logoutToken(id, secret),
  };
  return json(JSON.stringify(answer), 200, { 'Set-Cookie': cookie });
}

/** Throws 403 even for a configured origin: its page could sign its victim in with the account of an attacker. */
function refuseOtherSites({ request }: Call): void {
  if (!isCrossSite(request)) return;
  throw new ServiceError('forbidden', 'Signing in from another site is not allowed.');
}

function mayLogOut(call: Call): string {
  call.allow(ALLOWED);
  const { sessionId } = call.identity;
  if (sessionId === undefined)
    throw new ServiceError('forbidden', 'This route can only be accessed by authenticated users.');
  return sessionId;
}

async function logout(call: Call, token: string): Promise<Response> {
  const { api, baseUrl } = call;
  const sessionId = mayLogOut(call);
  if (!isSameToken(token, logoutToken(sessionId, api.secret)))
    throw new ServiceError('forbidden', "'csrf_token' URL query argument is invalid.");
  await api.sessions.end(storedSessionKey(sessionId));
  const headers = { 'Set-Cookie': endedSessionCookie(sessionCookieName(baseUrl), isSecure(baseUrl)) };
  return isForm(call.request) ? seeOther(call, paths.home, undefined, headers) : empty(204, headers);
}

function plainText(body: string): Response {
  const headers = { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store, private' };
  return new Response(body, { headers: { ...headers, 'X-Content-Type-Options': 'nosniff' } });
}
