/** What requests are counted by. */
export const TRAFFIC_KINDS = ['network', 'agent', 'work'] as const;
export type TrafficKind = (typeof TRAFFIC_KINDS)[number];

/** The names of a kind that are counted one by one between two times of storing. All others count as one. */
const MAX_NAMES = 1_000;
const MAX_AGENT_CHARS = 120;

/** A request that has ended. */
export interface CountedRequest {
  readonly network: string;
  readonly agent: string;
  /** The kind of expensive work. Undefined for all other requests. */
  readonly work: string | undefined;
  readonly isRefused: boolean;
  readonly milliseconds: number;
}

/** The sums of some requests. */
export interface TrafficSums {
  requests: number;
  refused: number;
  milliseconds: number;
}

export interface TrafficRow extends Readonly<TrafficSums> {
  readonly kind: TrafficKind;
  readonly name: string;
}

/** Counts the requests of a process until they are stored. */
export class TrafficCounter {
  #sums = emptySums();

  add({ network, agent, work, isRefused, milliseconds }: CountedRequest): void {
    this.#count('network', network, isRefused, milliseconds);
    this.#count('agent', agent.slice(0, MAX_AGENT_CHARS), isRefused, milliseconds);
    if (work !== undefined) this.#count('work', work, isRefused, milliseconds);
  }

  /** Returns the sums since the last call. */
  take(): TrafficRow[] {
    const sums = this.#sums;
    this.#sums = emptySums();
    return TRAFFIC_KINDS.flatMap((kind) => Array.from(sums[kind], ([name, each]) => ({ kind, name, ...each })));
  }

  #count(kind: TrafficKind, name: string, isRefused: boolean, milliseconds: number): void {
    const ofKind = this.#sums[kind];
    const key = ofKind.has(name) || ofKind.size < MAX_NAMES ? name : '';
    let sums = ofKind.get(key);
    if (sums === undefined) {
      sums = { requests: 0, refused: 0, milliseconds: 0 };
      ofKind.set(key, sums);
    }
    sums.requests += 1;
    sums.refused += Number(isRefused);
    sums.milliseconds += milliseconds;
  }
}

function emptySums(): Record<TrafficKind, Map<string, TrafficSums>> {
  return { network: new Map(), agent: new Map(), work: new Map() };
}
