import type { JobInFullJson } from '../representation/derivative-json.ts';
import { plainLine } from './text.ts';

const LABEL_COLUMNS = 18;

/** Formats all members of a job, one per line. */
export function jobFacts(job: JobInFullJson): string[] {
  const facts: [string, string | number | null][] = [
    ['Job', job.id],
    ['State', job.state],
    ['Action', job.action],
    ['Node', job.node],
    ['Media', job.media ?? 'none: it is made of all members of the node'],
    ['Source type', job.source_type],
    ['For user', job.user],
    ['Attempts', job.attempts],
    ['Created', job.created],
    ['Begun last', job.started],
    ['Ended', job.ended],
    ['Next try', job.due],
    ['Answer', job.status === null ? null : `${job.status}`],
    ['Message', job.message],
    ['Command said', job.stderr],
    ['Event', `urn:uuid:${job.event_id}`],
  ];
  const lines = facts.map(
    ([label, value]) => `${`${label}:`.padEnd(LABEL_COLUMNS)}${value === null ? '-' : plainLine(String(value))}`,
  );
  if (job.event === null) return lines;
  return [...lines, '', ...JSON.stringify(job.event, undefined, 2).split('\n').map(shownAsIs)];
}

/** Keeps the indentation of a line, and removes its control characters. */
function shownAsIs(line: string): string {
  return ' '.repeat(line.length - line.trimStart().length) + plainLine(line);
}
