import type {
  FixityProblem,
  FixityReport,
  Sample,
  VerifyPlan,
  VerifyRun,
  VerifyScope,
} from '../modes/storage-administration.ts';
import { byteText } from './byte-text.ts';
import { counted, numberText } from './count-text.ts';
import { plainLine } from './plain-line.ts';

const UNITS = [
  [86_400, 'day'],
  [3_600, 'hour'],
  [60, 'minute'],
  [1, 'second'],
] as const;

/** What a check came to, in one sentence. */
export function runLine(run: VerifyRun): string {
  const { checked, bytes, damaged, missing, unreadable } = run;
  const found = foundText({ intact: checked - damaged - missing - unreadable, damaged, missing, unreadable });
  return `Checked ${counted(checked, 'file')}, ${byteText(bytes)}: ${found}.`;
}

function foundText({ intact, damaged, missing, unreadable }: FixityReport['outcomes']): string {
  const found = { intact, damaged, missing, unreadable };
  return Object.entries(found)
    .map(([outcome, count]) => `${numberText(count)} ${outcome}`)
    .join(', ');
}

/** A file that is not as it should be, in one line. */
export function problemLine({ id, uri, outcome, detail }: FixityProblem): string {
  return plainLine(`file ${id}, ${uri}: ${outcome}; ${detail}`);
}

/** What a check was about, `all files in s3` or `5% of the files, chosen by chance`. */
export function scopeText({ store, sample }: VerifyScope): string {
  const place = store === undefined ? '' : ` in ${store}`;
  return sample === undefined ? `all files${place}` : `${sampleText(sample)}${place}, chosen by chance`;
}

/** All that is known, but for the files that are not intact. */
export function reportLines({ plan, open, last, files, outcomes, neverChecked }: FixityReport): string[] {
  return [
    `${counted(files, 'file')}: ${foundText(outcomes)} when checked last; ${numberText(neverChecked)} never checked.`,
    last === undefined
      ? 'No check has come to its end yet.'
      : `Last check, ended ${timeText(last.endedAt)}: ${about(last)}`,
    ...open.map((run) => {
      const state = run.isUnderWay ? 'Under way' : run.scope.isScheduled ? 'Begun by the schedule' : 'Broken off';
      return `${state}, begun ${timeText(run.startedAt)}: ${about(run)} ${numberText(run.total)} to check in all.`;
    }),
    planLine(plan),
  ];
}

/** What servers check by themselves. */
export function planLine(plan: VerifyPlan | undefined): string {
  if (plan === undefined) return 'Schedule: none.';
  const { everySeconds, bytesPerSecond } = plan;
  return `Schedule: ${scopeText(plan)}, once in ${periodText(everySeconds)}, at most ${byteText(bytesPerSecond)}/s.`;
}

/** A moment as the machine's logs have it, `2026-11-22 01:24:00Z`. */
export function timeText(seconds = 0): string {
  return new Date(seconds * 1_000).toISOString().replace('T', ' ').replace('.000Z', 'Z');
}

function about(run: VerifyRun): string {
  return `${scopeText(run.scope)}. ${runLine(run)}`;
}

function sampleText(sample: Sample): string {
  return 'percent' in sample ? `${sample.percent}% of the files` : counted(sample.files, 'file');
}

function periodText(seconds: number): string {
  const [length, unit] = UNITS.find(([each]) => seconds % each === 0) ?? UNITS[3];
  const count = seconds / length;
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}
