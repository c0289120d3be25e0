import type { AccessSets } from './access-sets.ts';
import type { Sight } from './sight.ts';

/** The digits of a time in seconds, which last beyond the year 2200, and a byte that is `1` for a closed set. */
export const TIME_DIGITS = 10;
export const TIME_BYTES = TIME_DIGITS + 1;

/** Since when access sets restrict a caller as they do, by the rules and the clock: no write marks the end of an embargo. */
export interface HarvestTimes {
  /** `TIME_BYTES` of text for each set, from id 0: queries look them up by the id of a set. */
  readonly times: Uint8Array;
  /** The sets that changed at all, the earliest change first. */
  readonly byTime: readonly SetTime[];
}

interface SetTime {
  readonly setId: number;
  /** In seconds since 1970. */
  readonly time: number;
}

/** Computes the times of all sets for a caller. */
export function harvestTimesOf(
  sets: Pick<AccessSets, 'ids' | 'lastId'>,
  sight: Pick<Sight, 'sees'>,
  changedOf: (setId: number) => number,
): HarvestTimes {
  const times = Buffer.alloc((sets.lastId + 1) * TIME_BYTES, '0');
  const byTime: SetTime[] = [];
  for (const setId of sets.ids()) {
    const time = changedOf(setId);
    const text = String(time).padStart(TIME_DIGITS, '0') + (sight.sees(setId) ? '0' : '1');
    times.write(text, setId * TIME_BYTES, 'latin1');
    if (time > 0) byTime.push({ setId, time });
  }
  byTime.sort((one, other) => one.time - other.time || one.setId - other.setId);
  return { times, byTime };
}
