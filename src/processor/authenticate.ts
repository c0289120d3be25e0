import type { TokenVerifier } from '../auth/verify-token.ts';
import { malformed } from '../base/errors.ts';
import { bearerToken } from '../http/authorization.ts';

/** Who asks, as far as it is passed on. Both members are unset where `forwardAuth` is off. */
export interface Caller {
  /** The `Authorization` header for the download of the source. */
  authorization: string | undefined;
  /** The token for the command. */
  token: string | undefined;
}

/**
 * Identifies a caller before anything else is looked at (spec: processor, "Authentication"). Throws
 * `malformed` without a bearer token, `unauthenticated` for a bad one, `unavailable` if no keys can
 * be had to check it by. Without a verifier everyone may call.
 */
export async function authenticate(
  headers: Headers,
  { verify, forwardAuth }: { verify: TokenVerifier | undefined; forwardAuth: boolean },
): Promise<Caller> {
  const authorization = headers.get('authorization') ?? undefined;
  const token = bearerToken(authorization);
  if (verify !== undefined) {
    if (authorization === undefined) throw malformed('The Authorization header is missing.');
    if (token === undefined) throw malformed('The Authorization header must have the form "Bearer <token>".');
    await verify(token);
  }
  return forwardAuth ? { authorization, token } : { authorization: undefined, token: undefined };
}
