import { InvalidArgumentError } from 'commander';
import { parseDuration } from '../base/duration.ts';
import { coreCount } from '../base/env.ts';

const MAX_PORT = 65_535;
const MAX_WORKERS = 256;
const MAX_SHUTDOWN_S = 86_400;
const MAX_EXPIRY_S = 366 * 86_400;
const MAX_LISTED = 10_000;

/** A port; 0 lets the system choose. Throws InvalidArgumentError. */
export function parsePort(value: string): number {
  const port = Number(value);
  if (/^\d+$/.test(value) && port <= MAX_PORT) return port;
  throw new InvalidArgumentError(`It must be a number from 0 to ${MAX_PORT}.`);
}

/** How many workers; `auto` for as many as there are cores. Throws InvalidArgumentError. */
export function parseWorkers(value: string): number {
  if (value === 'auto') return coreCount();
  const workers = Number(value);
  if (/^\d+$/.test(value) && workers >= 1 && workers <= MAX_WORKERS) return workers;
  throw new InvalidArgumentError(`It must be a number from 1 to ${MAX_WORKERS}, or auto.`);
}

/** How long to wait for what runs, in seconds. Throws InvalidArgumentError. */
export function parseSeconds(value: string): number {
  const seconds = Number(value);
  if (value.trim() !== '' && seconds >= 0 && seconds <= MAX_SHUTDOWN_S) return seconds;
  throw new InvalidArgumentError(`It must be a number of seconds from 0 to ${MAX_SHUTDOWN_S}.`);
}

/** How long a token is good for, in seconds. Throws InvalidArgumentError. */
export function parseExpiry(value: string): number {
  const seconds = parseDuration(value);
  if (seconds !== undefined && seconds <= MAX_EXPIRY_S) return seconds;
  throw new InvalidArgumentError('It must be a time such as 30m, 2h or 7d, from 1s to 366d.');
}

/** The id of a node or a job. Throws InvalidArgumentError. */
export function parseEntityId(value: string): number {
  if (/^[1-9]\d{0,14}$/.test(value)) return Number(value);
  throw new InvalidArgumentError('It must be a number from 1.');
}

/** How much of a list is wanted. Throws InvalidArgumentError. */
export function parseCount(value: string): number {
  const count = Number(value);
  if (/^\d+$/.test(value) && count >= 1 && count <= MAX_LISTED) return count;
  throw new InvalidArgumentError(`It must be a number from 1 to ${MAX_LISTED}.`);
}

/** A path that says something: an empty one, as of a variable that is not set, would be the folder we are in. */
export function parsePath(value: string): string {
  if (value !== '') return value;
  throw new InvalidArgumentError('It must be a path.');
}
