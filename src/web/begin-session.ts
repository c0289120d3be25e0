import { newSessionId, sessionCookieName, storedSessionKey } from '../auth/session-token.ts';
import { malformed } from '../base/errors.ts';
import { sessionCookie } from '../http/cookies.ts';
import type { Account } from '../repository/users/find-account.ts';
import type { BegunSession as StoredSession } from '../repository/users/sessions.ts';
import type { Call } from './call.ts';
import { addressOf, signIn } from './identify.ts';

const NOT_RECOGNISED = 'Sorry, unrecognized username or password.';

/** A session that has begun. */
interface BegunSession {
  readonly id: string;
  readonly user: Account;
  /** The value of `Set-Cookie`. */
  readonly cookie: string;
}

/**
 * Begins a session of the user with a name and password. Throws `malformed` if they are wrong or the user is blocked, and
 * `too-many-requests` after too many failed attempts.
 */
export async function beginSession(call: Call, name: string, pass: string): Promise<BegunSession> {
  const { api } = call;
  const user = await signIn(api, name, pass, addressOf(api, call.request, call.peer), { evenBlocked: true });
  if (user === undefined) throw malformed(NOT_RECOGNISED);
  if (!user.status) throw malformed('The user has not been activated or is blocked.');
  const { id, stored, cookie } = newSession(call);
  const hasBegun = await api.sessions.begin(stored.idHash, user, stored.expires, stored);
  if (!hasBegun) throw malformed(NOT_RECOGNISED);
  return { id, user, cookie };
}

/** Returns a new session of the browser of a caller, before it is stored. `cookie` is the value of `Set-Cookie`. */
export function newSession({ api, request, peer, baseUrl }: Call) {
  const id = newSessionId();
  const { absoluteSeconds } = api.sessions.limits;
  const stored: StoredSession = {
    idHash: storedSessionKey(id),
    expires: api.services.now() + absoluteSeconds,
    address: addressOf(api, request, peer),
    userAgent: request.headers.get('user-agent') ?? undefined,
  };
  return {
    id,
    stored,
    cookie: sessionCookie(sessionCookieName(baseUrl), id, { isSecure: isSecure(baseUrl), maxAge: absoluteSeconds }),
  };
}

/** Returns true if cookies of a site are sent over https only. */
export const isSecure = (baseUrl: string) => baseUrl.startsWith('https:');

/** Callers with basic authentication have no session (spec: rest-behaviour, 8.1). */
export const NOT_BASIC = ['jwt_auth', 'cookie'] as const;
