import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { codeOf } from './errors.ts';

/** A process. `start` distinguishes it from later processes with the same id. */
export interface ProcessIdentity {
  readonly host: string;
  readonly pid: number;
  readonly start: number;
}

/** Fields 3 and 22 of proc_pid_stat(5), counted after the command, which may contain spaces. */
const STATE_FIELD = 3 - 3;
const START_FIELD = 22 - 3;
/** The states of ended processes that were not waited for. In a container without init they remain. */
const ENDED_STATES = ['Z', 'X'];
const MAX_PID = 2 ** 31 - 1;
const FOLDER = /^(.+)-(\d{1,10})-(\d{1,16})$/;

/** Returns this process. `start` is in clock ticks since boot on Linux, elsewhere in milliseconds since 1970. */
export function thisProcess(): ProcessIdentity {
  const start = startIn(statOf(process.pid) ?? []) ?? Math.round(performance.timeOrigin);
  // The host name becomes part of a folder name.
  return { host: hostname().replaceAll(/[^\w.-]/g, '_') || 'host', pid: process.pid, start };
}

/** Returns the name of the folder of a process: `<host>-<pid>-<start>`. */
export function folderNameOf({ host, pid, start }: ProcessIdentity): string {
  return `${host}-${pid}-${start}`;
}

/** Returns the process of a folder name, or undefined for any other name. */
export function parseFolderName(name: string): ProcessIdentity | undefined {
  const [, host, pid, start] = FOLDER.exec(name) ?? [];
  if (host === undefined || Number(pid) === 0 || Number(pid) > MAX_PID) return undefined;
  return { host, pid: Number(pid), start: Number(start) };
}

/**
 * Returns true if a process of the same host as `self` has ended: its id is free, belongs to `self` or to a process with
 * another start, or to an ended process that was not waited for.
 */
export function hasEnded(other: ProcessIdentity, self: ProcessIdentity): boolean {
  if (other.pid === self.pid) return other.start !== self.start;
  try {
    process.kill(other.pid, 0);
  } catch (error) {
    if (codeOf(error) === 'ESRCH') return true;
    // EPERM: the process runs as another user.
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

/** Returns the fields of /proc/PID/stat from the state on; undefined if it cannot be read. */
function statOf(pid: number): string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch (error) {
    // No /proc, an ended process, or a hidden one: only its id counts.
    if (codeOf(error) !== undefined) return undefined;
    throw error;
  }
}

/** Returns the command that starts this program with the same arguments. */
export function ownCommand(): [program: string, ...args: string[]] {
  return [process.execPath, ...scriptOfSource(), ...Bun.argv.slice(2)];
}

/** Returns the arguments of the runtime before those of the program. The compiled executable has none. */
function scriptOfSource(): string[] {
  return Bun.main.startsWith('/$bunfs/') ? [] : [...process.execArgv, Bun.main];
}
