import { DEFAULT_SESSION_LIMITS } from '../auth/session-limits.ts';
import { time, yesOrNo } from './entry-types.ts';
import { setting } from './setting.ts';

const MAX_HSTS_S = 730 * 86_400;
const MAX_SESSION_S = 366 * 86_400;

/** The settings of `Strict-Transport-Security`. */
export const HSTS_SETTINGS = {
  /** Undefined: the header is not sent. */
  maxAgeSeconds: setting('hsts.maxAge', time('from 1 s to 730d', MAX_HSTS_S)),
  /** True if it applies to all hosts below the host, too. */
  includesSubDomains: setting('hsts.includeSubDomains', yesOrNo, { default: false }),
};

/** The settings of sessions of browsers. */
export const SESSION_SETTINGS = {
  /** The time without a request after which a session ends. */
  idleLimitSeconds: setting('sessions.idleLimit', time('from 1 s to 366d', MAX_SESSION_S), {
    default: DEFAULT_SESSION_LIMITS.idleSeconds,
  }),
  /** The time after the sign-in at which a session ends. */
  absoluteLimitSeconds: setting('sessions.absoluteLimit', time('from 1 s to 366d', MAX_SESSION_S), {
    default: DEFAULT_SESSION_LIMITS.absoluteSeconds,
  }),
};
