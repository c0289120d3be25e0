import { byteText, countInWords, numberText } from '../base/in-words.ts';
import type { FixityProblem, FixityReport } from '../upkeep/fixity/verify-report.ts';
import type { Sample, VerifyRun, VerifyScope } from '../upkeep/fixity/verify-run.ts';
import type { VerifyPlan } from '../upkeep/fixity/verify-schedule.ts';
import { plainLine, timeText } from './text.ts';

const UNITS = [
  [86_400, 'day'],
  [3_600, 'hour'],
  [60, 'minute'],
  [1, 'second'],
] as const;

/** Formats the result of a check. */
export function runLine(run: VerifyRun): string {
  const { checked, bytes, damaged, missing, unreadable } = run;
  const sums = foundText({ intact: checked - damaged - missing - unreadable, damaged, missing, unreadable });
  return `Checked ${countInWords(checked, 'file')}, ${byteText(bytes)}: ${sums}.`;
}

function foundText({ intact, damaged, missing, unreadable }: FixityReport['outcomes']): string {
  const counts = { intact, damaged, missing, unreadable };
  return Object.entries(counts)
    .map(([outcome, count]) => `${numberText(count)} ${outcome}`)
    .join(', ');
}

/** Formats a problem of a file. */
export function problemLine({ id, uri, outcome, detail }: FixityProblem): string {
  return plainLine(`file ${id}, ${uri}: ${outcome}; ${detail}`);
}

/** Formats the scope of a check: `all files in s3` or `5% of the files, chosen at random`. */
export function scopeText({ store, sample }: VerifyScope): string {
  const place = store === undefined ? '' : ` in ${store}`;
  return sample === undefined ? `all files${place}` : `${sampleText(sample)}${place}, chosen at random`;
}

/** Formats the results of all checks, without the problems of files. */
export function reportLines({ plan, open, last, files, outcomes, neverChecked }: FixityReport): string[] {
  return [
    `${countInWords(files, 'file')}: ${foundText(outcomes)} in the last check; ${numberText(neverChecked)} never checked.`,
    last === undefined ? 'No check is complete yet.' : `Last check, ended ${timeText(last.endedAt)}: ${about(last)}`,
    ...open.map((run) => {
      const state = run.isUnderWay ? 'Running' : run.scope.isScheduled ? 'Started by the schedule' : 'Interrupted';
      return `${state}, started ${timeText(run.startedAt)}: ${about(run)} ${numberText(run.total)} in total.`;
    }),
    planLine(plan),
  ];
}

/** Formats the schedule of the servers. */
export function planLine(plan: VerifyPlan | undefined): string {
  if (plan === undefined) return 'Schedule: none.';
  const { everySeconds, bytesPerSecond } = plan;
  return `Schedule: ${scopeText(plan)}, every ${periodText(everySeconds)}, at most ${byteText(bytesPerSecond)}/s.`;
}

function about(run: VerifyRun): string {
  return `${scopeText(run.scope)}. ${runLine(run)}`;
}

function sampleText(sample: Sample): string {
  return 'percent' in sample ? `${sample.percent}% of the files` : countInWords(sample.files, 'file');
}

/** Formats a period: `30 days`. */
export function periodText(seconds: number): string {
  const [length, unit] = UNITS.find(([each]) => seconds % each === 0) ?? UNITS[3];
  const count = seconds / length;
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}
