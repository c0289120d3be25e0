import { and, gt, sql } from 'drizzle-orm';
import type { SessionLimits } from '../../auth/session-limits.ts';
import { sessions } from '../../database/schema/users.ts';
import type { Named } from '../../database/statement.ts';

/** The values of `isActive`: seconds since 1970, and the limits in seconds. */
export type ActiveAt = { now: number; idle: number; absolute: number };

/** Returns the values of `isActive` at a time. */
export function activeAt(now: number, { idleSeconds, absoluteSeconds }: SessionLimits): ActiveAt {
  return { now, idle: idleSeconds, absolute: absoluteSeconds };
}

/** Returns the condition that a session has not ended. */
export const isActive = ({ now, idle, absolute }: Named<ActiveAt>) =>
  and(
    gt(sessions.expires, now),
    gt(sessions.created, sql`${now} - ${absolute}`),
    gt(sessions.used, sql`${now} - ${idle}`),
  );
