import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { codeOf } from './errors.ts';

/** One run of one process. `start` tells it from another run with the same number. */
export interface ProcessIdentity {
  readonly host: string;
  readonly pid: number;
  readonly start: number;
}

/** Fields 3 and 22 of proc_pid_stat(5), counted from behind the command, which may itself hold spaces. */
const STATE_FIELD = 3 - 3;
const START_FIELD = 22 - 3;
/** Of processes that have ended and that nobody has asked about yet: in a container there may be no one who does. */
const ENDED_STATES = ['Z', 'X'];
const MAX_PID = 2 ** 31 - 1;
const FOLDER = /^(.+)-(\d{1,10})-(\d{1,16})$/;

/** This process. The start is in clock ticks since boot on Linux, elsewhere in milliseconds since 1970. */
export function thisProcess(): ProcessIdentity {
  const start = startIn(statOf(process.pid) ?? []) ?? Math.round(performance.timeOrigin);
  // What a host is called becomes part of a folder's name.
  return { host: hostname().replaceAll(/[^\w.-]/g, '_') || 'host', pid: process.pid, start };
}

/** The name of the folder of a process: `<host>-<pid>-<start>`. */
export function folderNameOf({ host, pid, start }: ProcessIdentity): string {
  return `${host}-${pid}-${start}`;
}

/** The process that a folder belongs to, or undefined if its name is not of our making. */
export function parseFolderName(name: string): ProcessIdentity | undefined {
  const [, host, pid, start] = FOLDER.exec(name) ?? [];
  if (host === undefined || Number(pid) === 0 || Number(pid) > MAX_PID) return undefined;
  return { host, pid: Number(pid), start: Number(start) };
}

/**
 * Whether a process of `self`'s host has ended: its number is free, is our own, or (where the system
 * tells) went to a process with another start, or is kept for one that has ended.
 */
export function hasEnded(other: ProcessIdentity, self: ProcessIdentity): boolean {
  if (other.pid === self.pid) return other.start !== self.start;
  try {
    process.kill(other.pid, 0);
  } catch (error) {
    if (codeOf(error) === 'ESRCH') return true;
    // EPERM: it lives and is somebody else's.
    if (codeOf(error) !== 'EPERM') throw error;
  }
  const fields = statOf(other.pid);
  if (fields === undefined) return false;
  const start = startIn(fields);
  return ENDED_STATES.includes(fields[STATE_FIELD] ?? '') || (start !== undefined && start !== other.start);
}

function startIn(fields: readonly string[]): number | undefined {
  const start = Number(fields[START_FIELD]);
  return Number.isSafeInteger(start) ? start : undefined;
}

/** What /proc says of a process, from its state on; undefined where it says nothing. */
function statOf(pid: number): string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch (error) {
    // No /proc, a process that has just gone, or one that is hidden from us: then its number decides.
    if (codeOf(error) !== undefined) return undefined;
    throw error;
  }
}
