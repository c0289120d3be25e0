import { attemptLogin } from '../auth/attempt-login.ts';
import { isSessionId, sessionCookieName, storedSessionKey } from '../auth/session-token.ts';
import { ServiceError } from '../base/errors.ts';
import { readCredentials } from '../http/authorization.ts';
import { readCookie } from '../http/cookies.ts';
import { clientAddress } from '../http/trusted-proxies.ts';
import type { AuthenticationType } from '../model/content-model.ts';
import type { Actor } from '../repository/actor.ts';
import type { Account } from '../repository/users/find-account.ts';
import type { ApiServices } from './api-services.ts';

/** Whoever sent a request, and how that is known. */
export interface Identity {
  readonly actor: Actor;
  /** Undefined for someone who sent no credentials. */
  readonly authentication: AuthenticationType | undefined;
  /** The session of the cookie, if one came along. */
  readonly sessionId: string | undefined;
}

/** Whether a request says anything of who it is from; whoever says nothing is nobody in particular. */
export function hasCredentials({ headers }: Request): boolean {
  return headers.has('authorization') || headers.has('cookie') || headers.has('jwt-authorization');
}

/**
 * Reads who a request is from: the `Authorization` header, else the session cookie. Credentials that are
 * wrong are refused with 401 and are never taken for none (decisions: repository). A stale cookie is none:
 * a browser sends it without being asked.
 */
export async function identify(
  api: ApiServices,
  request: Request,
  peer: string | undefined,
  baseUrl: string,
): Promise<Identity> {
  const { headers } = request;
  const authorization = headers.get('authorization');
  // The usual case of a script: the same header with every request, and nothing beside it.
  const isPlain = authorization !== null && !headers.has('cookie') && !headers.has('jwt-authorization');
  const looked = isPlain ? await api.knownCallers.look(authorization, addressKey(headers, peer)) : undefined;
  if (looked?.identity !== undefined) return looked.identity;
  const credentials = readCredentials(headers);
  const session = await findSession(api, request, baseUrl);
  const sessionId = session?.id;
  switch (credentials.type) {
    case 'none': {
      if (session === undefined) return { actor: api.anonymous, authentication: undefined, sessionId };
      return { actor: actorOf(api, session.user), authentication: 'cookie', sessionId };
    }
    case 'basic': {
      const user = await signIn(api, credentials.name, credentials.password, addressOf(api, request, peer));
      if (user === undefined) throw unauthenticated(api, 'The user name or the password is wrong.');
      const identity: Identity = { actor: actorOf(api, user), authentication: 'basic_auth', sessionId };
      looked?.remember(identity);
      return identity;
    }
    case 'bearer': {
      const { uid, name } = await api.verifyToken(credentials.token);
      const user = await api.findAccount.byId(uid);
      if (user === undefined || user.name !== name || !user.status)
        throw invalidToken('The user of this token does not exist, or is blocked.');
      return { actor: actorOf(api, user), authentication: 'jwt_auth', sessionId };
    }
    case 'invalid':
      if (credentials.scheme === 'bearer') throw invalidToken('The token is not a valid JWT.');
      throw unauthenticated(api, 'The credentials in the Authorization header cannot be read.');
  }
}

/** All that the client's address is made of (`addressOf`), at less cost than that. */
function addressKey(headers: Headers, peer: string | undefined): string {
  return `${peer ?? ''} ${headers.get('x-forwarded-for') ?? ''}`;
}

/**
 * The user of a name and password, or undefined. Throws `too-many-requests` where too many attempts have
 * failed, and works as long for a user who is unknown or blocked. A blocked one is answered only where
 * `evenBlocked` is said, for them to be told why they cannot come in: the password must be right for that, too.
 */
export async function signIn(
  api: ApiServices,
  name: string,
  password: string,
  address: string | undefined,
  evenBlocked = false,
): Promise<Account | undefined> {
  const user = await api.findAccount.byName(name);
  const mayCount = user !== undefined && (user.status || evenBlocked);
  const hash = mayCount ? user.passwordHash : undefined;
  const shown = { name, password, storedHash: hash, address };
  if (api.credentials.isKnown(shown)) return user;
  const verify = () => api.credentials.check(shown);
  const outcome = await attemptLogin({ name, address, verify }, api.flood, Date.now);
  if (outcome.type === 'blocked') throw tooManyFailures(outcome.event, outcome.retryAfterSeconds);
  return outcome.type === 'right' ? user : undefined;
}

/** Where a request comes from, for limits: the client behind the proxies that are trusted. */
export function addressOf(api: ApiServices, request: Request, peer: string | undefined): string | undefined {
  return clientAddress(request.headers, peer, api.proxies);
}

/** The answer to someone who has to say who they are (RFC 9110 section 11.6.1). */
export function unauthenticated(api: ApiServices, message: string): ServiceError {
  const realm = api.siteName.replace(/["\\]/g, '');
  return new ServiceError('unauthenticated', message, { headers: { 'WWW-Authenticate': `Basic realm="${realm}"` } });
}

function invalidToken(message: string): ServiceError {
  return new ServiceError('unauthenticated', message, {
    headers: { 'WWW-Authenticate': 'Bearer error="invalid_token"' },
  });
}

const FLOOD_MESSAGES = {
  'login-by-user': 'Too many failed login attempts from your IP address. This IP address is temporarily blocked.',
  'login-by-address': 'Access is blocked because of IP based flood prevention.',
};

function tooManyFailures(event: keyof typeof FLOOD_MESSAGES, retryAfterSeconds: number): ServiceError {
  return new ServiceError('too-many-requests', FLOOD_MESSAGES[event], {
    headers: { 'Retry-After': String(retryAfterSeconds) },
  });
}

function actorOf(api: ApiServices, { id, uuid, name, roles }: Account): Actor {
  return api.makeActor({ id, uuid, name, roles });
}

/** The session of a cookie, if it is one of ours, has not expired, and its user is not blocked. */
async function findSession(
  api: ApiServices,
  request: Request,
  baseUrl: string,
): Promise<{ id: string; user: Account } | undefined> {
  const cookies = request.headers.get('cookie');
  if (cookies === null) return undefined;
  const id = readCookie(cookies, sessionCookieName(baseUrl));
  if (id === undefined || !isSessionId(id)) return undefined;
  const userId = await api.sessions.userOf(storedSessionKey(id));
  const user = userId === undefined ? undefined : await api.findAccount.byId(userId);
  return user?.status ? { id, user } : undefined;
}
