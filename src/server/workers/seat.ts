import { readEnv } from '../../base/env.ts';
import { environmentForManyRequests } from '../../base/outgoing-requests.ts';

/** Set by the parent only; commands of a worker do not receive it. */
const VARIABLE = 'REPO_WORKER';

/** A worker's place among those that share the ports. */
export interface Seat {
  /** Counted from 1. */
  readonly number: number;
  /** The number of workers. */
  readonly of: number;
  readonly port: number;
  /** Undefined: the processor has no port. */
  readonly processorPort: number | undefined;
  /** Undefined: there is no redirect port. */
  readonly redirectPort: number | undefined;
}

/** Returns the seat of this process; undefined if it is no worker, also if a user sets the variable. */
export function readSeat(): Seat | undefined {
  const text = readEnv(VARIABLE);
  return text === undefined || process.send === undefined ? undefined : (JSON.parse(text) as Seat);
}

/** Returns the environment of the worker in a seat. */
export function environmentOf(seat: Seat): Record<string, string> {
  return environmentForManyRequests({ [VARIABLE]: JSON.stringify(seat) });
}

/** Returns a worker's share of a limit of the machine, at least 1; the whole limit without a seat. */
export function shareOf(limit: number, seat: Seat | undefined): number {
  if (seat === undefined) return limit;
  const isLarger = seat.number <= limit % seat.of;
  return Math.max(1, Math.floor(limit / seat.of) + (isLarger ? 1 : 0));
}

/** Returns whether this process logs the messages that would be the same from each worker. */
export function isFirst(seat: Seat | undefined): boolean {
  return seat === undefined || seat.number === 1;
}
