import type { TokenVerifier } from '../auth/verify-token.ts';
import { malformed } from '../base/errors.ts';
import { bearerToken } from '../http/authorization.ts';

/** The caller's credentials that are passed on. */
export interface Caller {
  /** The `Authorization` header for the download of the source; undefined where `forwardAuth` is off. */
  authorization: string | undefined;
  /** The environment variables of the command with the caller's token; empty if `forwardAuth` is off. */
  environment: Record<string, string>;
}

/**
 * Identifies a caller. Throws `malformed` without a bearer token, `unauthenticated` for an invalid one, `unavailable`
 * without keys to verify it. Without a verifier every caller is accepted.
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
  if (!forwardAuth) return { authorization: undefined, environment: {} };
  // Scripts of the original service require SCYLLARIDAE_AUTH, even if it is empty.
  const environment = { ...(token && { SERVICE_AUTH: token }), SCYLLARIDAE_AUTH: authorization ?? '' };
  return { authorization, environment };
}
