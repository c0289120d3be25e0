import type { Waker } from '../../runs/waker.ts';
import type { UsageStore } from './usage-task.ts';
import type { UseCounter } from './use-counter.ts';

/** The usage statistics of a server. */
export interface UsageServices {
  /** Undefined if nothing is counted. */
  readonly counter: UseCounter | undefined;
  readonly store: UsageStore | undefined;
  /** Wakes the work that stores uses. */
  readonly waker: Waker;
  /** True if the page of an item shows how often it was used. */
  readonly isShown: boolean;
  /** The keys of the COUNTER API. */
  readonly apiKeys: readonly string[];
  /** The address of the repository in the registry of COUNTER. */
  readonly registryRecord: string | undefined;
}
