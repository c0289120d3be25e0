import { readEnv } from '../../base/env.ts';
import { environmentForManyRequests } from '../../base/outgoing-requests.ts';

/** Set by the parent alone; commands that a worker runs do not get it. */
const VARIABLE = 'REPO_WORKER';

/** A worker's place among those that answer on the same ports. */
export interface Seat {
  /** From 1. */
  readonly number: number;
  /** How many workers there are. */
  readonly of: number;
  readonly port: number;
  /** Undefined: the processor has none. */
  readonly processorPort: number | undefined;
  /** Undefined: there is none. */
  readonly redirectPort: number | undefined;
}

/** The seat of this process; undefined if it is no worker: whoever sets the variable by hand is not its parent. */
export function readSeat(): Seat | undefined {
  const text = readEnv(VARIABLE);
  return text === undefined || process.send === undefined ? undefined : (JSON.parse(text) as Seat);
}

/** The environment of the worker in a seat. */
export function environmentOf(seat: Seat): Record<string, string> {
  return environmentForManyRequests({ [VARIABLE]: JSON.stringify(seat) });
}

/** How much of a limit that is meant for the whole machine is this worker's; at least 1. Without a seat: all of it. */
export function shareOf(limit: number, seat: Seat | undefined): number {
  if (seat === undefined) return limit;
  const isLarger = seat.number <= limit % seat.of;
  return Math.max(1, Math.floor(limit / seat.of) + (isLarger ? 1 : 0));
}

/** What tells the figures of one worker from those of the others. */
export function labelsOf(seat: Seat | undefined): Record<string, string> {
  return seat === undefined ? {} : { worker: String(seat.number) };
}

/** Whether this process is the one that says what would be the same from each worker. */
export function isFirst(seat: Seat | undefined): boolean {
  return seat === undefined || seat.number === 1;
}
