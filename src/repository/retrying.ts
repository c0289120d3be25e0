import { failedGuard } from '../database/errors.ts';
import { busyEntity } from './errors.ts';

/** Maximum number of attempts of a write that loses races. */
const MAX_ATTEMPTS = 16;
/** Maximum random wait before the next attempt, in milliseconds: without it, writes that lost together lose again. */
const MAX_WAIT_MS = 500;

/**
 * Repeats a write that lost a race: one of its targets was deleted, or its entity changed, since it was read. `refresh`
 * runs before each further attempt. Throws `conflict` after the last one, and a failed `guard_taken` or `guard_lost` at
 * once: those do not pass.
 */
export async function retrying<T>(refresh: (() => void) | undefined, attempt: () => Promise<T>): Promise<T> {
  for (let count = 1; ; count++) {
    try {
      return await attempt();
    } catch (error) {
      const guard = failedGuard(error);
      if (guard === undefined || guard === 'guard_taken' || guard === 'guard_lost') throw error;
      if (count === MAX_ATTEMPTS) throw busyEntity(error);
      refresh?.();
      await Bun.sleep(Math.random() * Math.min(2 ** count, MAX_WAIT_MS));
    }
  }
}
