/** The limits of sessions, in seconds. They apply to sessions that have begun, too. */
export interface SessionLimits {
  /** The time without a request after which a session ends. */
  readonly idleSeconds: number;
  /** The time after the sign-in at which a session ends. */
  readonly absoluteSeconds: number;
}

const HOUR_S = 3_600;
const DAY_S = 24 * HOUR_S;

export const DEFAULT_SESSION_LIMITS: SessionLimits = { idleSeconds: 12 * HOUR_S, absoluteSeconds: 14 * DAY_S };

/** A session's last use is written when it is older than this part of the idle limit: not every request writes. */
const WRITTEN_PARTS = 60;

/** Returns the latest time of a use, in seconds, after which a use at `now` has to be written. */
export function dueSince(now: number, { idleSeconds }: SessionLimits): number {
  return now - Math.ceil(idleSeconds / WRITTEN_PARTS);
}
