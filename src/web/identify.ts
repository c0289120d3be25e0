import { attemptLogin, readFailures } from '../auth/attempt-login.ts';
import { isOutdated } from '../auth/check-claims.ts';
import type { Failures, FloodEvent } from '../auth/flood.ts';
import { isSessionId, sessionCookieName, storedSessionKey } from '../auth/session-token.ts';
import { ServiceError } from '../base/errors.ts';
import { readCredentials } from '../http/authorization.ts';
import { readCookie } from '../http/cookies.ts';
import { clientAddress } from '../http/trusted-proxies.ts';
import type { AuthenticationType } from '../model/rest.ts';
import type { Circumstances } from '../repository/access/sight.ts';
import type { Account } from '../repository/users/find-account.ts';
import { grantedNodes } from './access-links.ts';
import type { ApiServices } from './api-services.ts';
import type { Identity } from './known-callers.ts';

interface Identification {
  readonly identity: Identity;
  /**
   * Resolves when the login limits allow the result of the password check to be used, and rejects if too many attempts
   * have failed meanwhile. Until then nothing may be changed or returned. Undefined if no check is pending.
   */
  readonly confirmed?: Promise<void>;
}

/** Returns true if a request has a header that may identify its caller. */
export function hasCredentials({ headers }: Request): boolean {
  return headers.has('authorization') || headers.has('cookie') || headers.has('jwt-authorization');
}

/** The part of a request that identifies its caller. */
interface Asked {
  readonly request: Request;
  readonly peer: string | undefined;
  readonly baseUrl: string;
  /** As in `ApiServices`. */
  readonly networks: readonly string[];
}

/**
 * Identifies the caller of a request by the `Authorization` header, or else by the session cookie. Throws 401 for invalid
 * credentials, which never count as missing ones (decision 90). An expired cookie counts as missing, because
 * browsers send it unasked. `beforeAsking` is called before the database is queried: queries that it begins share the
 * round trip to a database server.
 */
export async function identify(
  api: ApiServices,
  asked: Asked,
  beforeAsking: () => void = () => {},
): Promise<Identification> {
  const { request, peer, baseUrl, networks } = asked;
  const { headers } = request;
  const authorization = headers.get('authorization');
  // Scripts usually send the same header with every request, and no cookie.
  const isPlain = authorization !== null && !headers.has('cookie') && !headers.has('jwt-authorization');
  const lookup = isPlain ? api.knownCallers.find(authorization, addressKey(headers, peer)) : undefined;
  if (lookup?.identity !== undefined) return { identity: lookup.identity };
  const credentials = readCredentials(headers);
  const granted = await grantedNodes(api, request, baseUrl);
  const circumstances = { networks, granted };
  switch (credentials.type) {
    case 'none': {
      const session = await findSession(api, request, baseUrl, beforeAsking);
      if (session !== undefined)
        return { identity: identityOf(api, session.user, circumstances, 'cookie', session.id) };
      return { identity: granted.length === 0 ? api.anonymousIn(networks) : api.anonymousWith(networks, granted) };
    }
    case 'basic': {
      const { name, password } = credentials;
      const { promise: whenRight, resolve: onRight } = Promise.withResolvers<Account>();
      const signingIn = signIn(api, name, password, addressOf(api, request, peer), { beforeAsking, onRight });
      const [user, session] = await Promise.all([
        Promise.race([whenRight, signingIn]),
        findSession(api, request, baseUrl, beforeAsking),
      ]);
      if (user === undefined) throw unauthenticated(api, 'The user name or the password is wrong.');
      const identity = identityOf(api, user, circumstances, 'basic_auth', session?.id);
      const confirmed = signingIn.then(() => lookup?.remember(identity));
      // The request awaits it later.
      confirmed.catch(() => {});
      return { identity, confirmed };
    }
    case 'bearer': {
      const token = await api.verifyToken(credentials.token);
      beforeAsking();
      const [user, session] = await Promise.all([
        api.findAccount.byId(token.uid),
        findSession(api, request, baseUrl, beforeAsking),
      ]);
      if (user === undefined || user.name !== token.name || !user.status)
        throw invalidToken('The user of this token does not exist, or is blocked.');
      if (isOutdated(token, user.credentialsChanged))
        throw invalidToken('The password, status or roles of the user changed after this token was issued.');
      return { identity: identityOf(api, user, circumstances, 'jwt_auth', session?.id) };
    }
    case 'invalid':
      if (credentials.scheme === 'bearer') throw invalidToken('The token is not a valid JWT.');
      throw unauthenticated(api, 'The credentials in the Authorization header are malformed.');
  }
}

/** Returns a key that determines the address of the client (`addressOf`), at a lower cost. */
function addressKey(headers: Headers, peer: string | undefined): string {
  return `${peer ?? ''} ${headers.get('x-forwarded-for') ?? ''}`;
}

interface SignInOptions {
  /** True to return blocked users whose password is right, so that they get a reason. */
  readonly evenBlocked?: boolean;
  /** Called before a query of the database. */
  readonly beforeAsking?: (() => void) | undefined;
  /** Called when the password is right, before the login limits allow that result to be used. */
  readonly onRight?: ((user: Account) => void) | undefined;
}

/**
 * Returns the user of a name and password, or undefined. Takes as long for an unknown or blocked user. Throws
 * `too-many-requests` if too many attempts have failed.
 */
export async function signIn(
  api: ApiServices,
  name: string,
  password: string,
  address: string | undefined,
  { evenBlocked = false, beforeAsking = () => {}, onRight = () => {} }: SignInOptions = {},
): Promise<Account | undefined> {
  let user = api.findAccount.cachedByName(name);
  let before: Failures | undefined;
  if (user === undefined) {
    beforeAsking();
    // Saves a round trip to a database server, even if the failures turn out not to be needed.
    const reading = readFailures({ name, address }, api.flood, Date.now());
    [user, before] = await Promise.all([api.findAccount.byName(name), reading]);
  }
  const mayCount = user !== undefined && (user.status || evenBlocked);
  const counting = mayCount ? user : undefined;
  const shown = { name, password, storedHash: counting?.passwordHash, address };
  if (api.credentials.isKnown(shown)) return user;
  if (before === undefined) beforeAsking();
  const attempt = {
    name,
    address,
    pace: api.accountPace,
    before,
    verify: () => api.credentials.check(shown),
    onRight: () => counting && onRight(counting),
  };
  const outcome = await attemptLogin(attempt, api.flood, Date.now);
  if (outcome.type === 'blocked') throw tooManyFailures(outcome.event, outcome.retryAfterSeconds);
  if (outcome.type === 'wrong') return undefined;
  api.credentials.remember(shown);
  return user;
}

/** Returns the address of the client behind the trusted proxies, for limits. */
export function addressOf(api: ApiServices, request: Request, peer: string | undefined): string | undefined {
  return clientAddress(request.headers, peer, api.proxies);
}

/** Returns the error for a caller who must authenticate (RFC 9110, 11.6.1). */
export function unauthenticated(api: ApiServices, message: string): ServiceError {
  const realm = api.siteName.replace(/["\\]/g, '');
  return new ServiceError('unauthenticated', message, { headers: { 'WWW-Authenticate': `Basic realm="${realm}"` } });
}

function invalidToken(message: string): ServiceError {
  return new ServiceError('unauthenticated', message, {
    headers: { 'WWW-Authenticate': 'Bearer error="invalid_token"' },
  });
}

const FLOOD_MESSAGES: Record<FloodEvent, string> = {
  'login-by-user': 'Too many failed login attempts from your IP address. This IP address is temporarily blocked.',
  'login-by-address': 'Access is blocked because of IP based flood prevention.',
  'login-by-account': 'Too many attempts to sign in as this user are waiting. Try again shortly.',
};

function tooManyFailures(event: FloodEvent, retryAfterSeconds: number): ServiceError {
  return new ServiceError('too-many-requests', FLOOD_MESSAGES[event], {
    headers: { 'Retry-After': String(retryAfterSeconds) },
  });
}

function identityOf(
  api: ApiServices,
  { id, uuid, name, roles, credentialsChanged }: Account,
  circumstances: Pick<Circumstances, 'networks' | 'granted'>,
  authentication: AuthenticationType,
  sessionId: string | undefined,
): Identity {
  const actor = api.makeActor({ id, uuid, name, roles, ...circumstances });
  return { actor, authentication, sessionId, credentialsChanged };
}

interface UserSession {
  readonly id: string;
  readonly user: Account;
}

/** Returns the session of a cookie, if it exists, has not ended, and its user is not blocked. Records that it is in use. */
async function findSession(
  api: ApiServices,
  request: Request,
  baseUrl: string,
  beforeAsking: () => void,
): Promise<UserSession | undefined> {
  const cookies = request.headers.get('cookie');
  if (cookies === null) return undefined;
  const id = readCookie(cookies, sessionCookieName(baseUrl));
  if (id === undefined || !isSessionId(id)) return undefined;
  beforeAsking();
  const key = storedSessionKey(id);
  const session = await api.findAccount.bySession(key, api.services.now());
  if (!session?.user.status) return undefined;
  if (api.sessions.isDue(key, session.used)) api.background.start('The use of a session', () => api.sessions.use(key));
  return { id, user: session.user };
}
