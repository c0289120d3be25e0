import type { JobInFullJson, JobJson, JobReportJson } from '../representation/derivative-json.ts';
import { cut, plainLine } from './text.ts';

const HEAD = ['ID', 'STATE', 'ACTION', 'NODE', 'TRIES', 'WHEN', 'MESSAGE'] as const;
/** Numbers are aligned right. */
const IS_NUMBER = [true, false, false, true, true, false, false];
const GAP = '  ';
/** The minimum width of the message, on the narrowest terminal. */
const MIN_MESSAGE_COLUMNS = 10;

/** Formats the number of jobs in each state: `2 queued, 1 running, …`. */
export function countsLine(counts: JobReportJson['counts']): string {
  return Object.entries(counts)
    .map(([state, count]) => `${count} ${state}`)
    .join(', ');
}

/** Formats a table with a head; no lines without jobs. Messages are cut to `columns`, the width of the terminal. */
export function jobTable(jobs: readonly JobJson[], now: number, columns: number | undefined): string[] {
  if (jobs.length === 0) return [];
  const rows = [HEAD, ...jobs.map((job) => cellsOf(job, now))];
  const widths = HEAD.map((_head, at) => Math.max(...rows.map((row) => Bun.stringWidth(row[at] ?? ''))));
  const before = widths.slice(0, -1).reduce((sum, width) => sum + width + GAP.length, 0);
  const room = columns === undefined ? undefined : Math.max(MIN_MESSAGE_COLUMNS, columns - before);
  return rows.map((row) => {
    const cells = row.map((cell, at) => {
      if (at === HEAD.length - 1) return room === undefined ? cell : cut(cell, room);
      const fill = ' '.repeat((widths[at] ?? 0) - Bun.stringWidth(cell));
      return IS_NUMBER[at] ? fill + cell : cell + fill;
    });
    return cells.join(GAP).trimEnd();
  });
}

function cellsOf(job: JobJson, now: number): string[] {
  const { id, state, action, node, attempts } = job;
  return [String(id), state, plainLine(action), String(node), String(attempts), whenOf(job, now), messageOf(job)];
}

/** Returns the output of the command if there is any, since it explains the failure. */
function messageOf({ message, stderr }: JobJson): string {
  return plainLine((message?.includes(stderr ?? '') ? message : stderr) ?? '');
}

/** Formats the time since the last event of a job, or until the next one. */
function whenOf({ state, created, started, ended, due }: JobJson, now: number): string {
  const seconds = (time: string) => (now - Date.parse(time)) / 1000;
  if (due !== null) {
    const wait = -seconds(due);
    return wait > 0 ? `in ${inUnits(Math.ceil(wait))}` : `due ${inUnits(-wait)} ago`;
  }
  if (state === 'running') return `for ${inUnits(seconds(started ?? created))}`;
  return `${inUnits(seconds(ended ?? started ?? created))} ago`;
}

const UNITS = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'min'],
] as const;

/** Formats a duration in its largest unit: `5 s`, `3 min`; 0 s after the clock was set back. */
function inUnits(seconds: number): string {
  const unit = UNITS.find(([size]) => seconds >= size);
  if (unit === undefined) return `${Math.max(0, Math.floor(seconds))} s`;
  return `${Math.floor(seconds / unit[0])} ${unit[1]}`;
}

const LABEL_COLUMNS = 18;

/** Formats all members of a job, one per line. */
export function jobFacts(job: JobInFullJson): string[] {
  const facts: [string, string | number | null][] = [
    ['Job', job.id],
    ['State', job.state],
    ['Action', job.action],
    ['Node', job.node],
    ['Media', job.media ?? 'none: the sources are all members of the node'],
    ['Source type', job.source_type],
    ['For user', job.user],
    ['Attempts', job.attempts],
    ['Created', job.created],
    ['Last started', job.started],
    ['Ended', job.ended],
    ['Next attempt', job.due],
    ['Status', job.status === null ? null : `${job.status}`],
    ['Message', job.message],
    ['Command output', job.stderr],
    ['Event', `urn:uuid:${job.event_id}`],
  ];
  const lines = facts.map(
    ([label, value]) => `${`${label}:`.padEnd(LABEL_COLUMNS)}${value === null ? '-' : plainLine(String(value))}`,
  );
  if (job.event === null) return lines;
  return [...lines, '', ...JSON.stringify(job.event, undefined, 2).split('\n').map(indentedLine)];
}

/** Removes control characters, and keeps the indentation. */
function indentedLine(line: string): string {
  return ' '.repeat(line.length - line.trimStart().length) + plainLine(line);
}
