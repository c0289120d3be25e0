import { readdirSync, readFileSync, statSync } from 'node:fs';
import type { Log } from '../base/log.ts';

const FILES = '/proc/self/fd';
const LIMITS = '/proc/self/limits';

/** How often a port looks at the number of open files, in milliseconds. */
const LOOK_MS = 250;
/** The share of the limit that connections leave to files, to the database and to commands. */
const RESERVED_SHARE = 1 / 8;
/** The time without a shortage after which the next one is logged again, in milliseconds. */
const CALM_MS = 60_000;

/** The files and connections of this process. */
export interface Descriptors {
  /** The limit of the system. */
  readonly limit: number;
  /** Returns the number of open ones. */
  count(): number;
}

/** A port that can refuse connections. */
export interface LimitedPort {
  /** Closes connections without a request. */
  closeIdle(): void;
  /** Refuses new connections. Running requests end. */
  pause(): void;
  /** Accepts connections again. Throws ListenError. */
  resume(): void;
}

/** Returns the descriptors of this process. Undefined if the system does not tell: only Linux does. */
export function ownDescriptors(): Descriptors | undefined {
  if (process.platform !== 'linux') return undefined;
  const limit = Number(/^Max open files\s+(\d+)/m.exec(readFileSync(LIMITS, 'utf8'))?.[1]);
  return Number.isNaN(limit) ? undefined : { limit, count: () => countOpen(limit) };
}

function countOpen(limit: number): number {
  // Linux 6.2 or later: an older one has no size.
  const { size } = statSync(FILES);
  if (size > 0) return size;
  try {
    return readdirSync(FILES).length;
  } catch {
    // Not even this folder can be opened.
    return limit;
  }
}

/**
 * Keeps a port from taking the last descriptors: a server that cannot accept a connection is told of it by the system without a
 * pause, and cannot open files. Closes idle connections, and refuses new ones if that is not enough. Logs a shortage once. Returns
 * the function that ends the watch.
 */
export function watchDescriptors({ limit, count }: Descriptors, port: LimitedPort, log: Log): () => void {
  const most = limit - Math.ceil(limit * RESERVED_SHARE);
  let isPaused = false;
  let lastShortage = Number.NEGATIVE_INFINITY;
  const look = () => {
    const open = count();
    if (open < most) {
      if (isPaused) port.resume();
      isPaused = false;
      return;
    }
    const now = performance.now();
    if (now - lastShortage >= CALM_MS)
      log.warn(
        { open, limit },
        'too many connections for the limit of open files: idle ones are closed, and new ones refused until others end (raise it with LimitNOFILE of systemd, or ulimit -n)',
      );
    lastShortage = now;
    port.closeIdle();
    if (isPaused || count() < most) return;
    isPaused = true;
    port.pause();
  };
  const looking = setInterval(() => {
    try {
      look();
    } catch (error) {
      // The port may be taken for a moment. The next look tries again.
      log.error({ err: error }, 'the port cannot be opened again at present');
    }
  }, LOOK_MS);
  return () => clearInterval(looking);
}
