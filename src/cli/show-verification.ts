import type { FixityProblem, StorageAdministration, VerifyRun } from '../modes/storage-administration.ts';
import { problemLine, reportLines, scopeText, timeText } from './verify-text.ts';

/** So many files one JSON object lists; its figures count all of them. */
const MAX_LISTED = 10_000;

/** Prints what is known of stored files. */
export async function showVerification(storage: StorageAdministration, format: 'text' | 'json'): Promise<void> {
  const report = await storage.report();
  if (format === 'text') {
    console.log(reportLines(report).join('\n'));
    for await (const problem of storage.problems())
      console.log(`${problemLine(problem)} (checked ${timeText(problem.at)})`);
    return;
  }
  const problems: FixityProblem[] = [];
  for await (const problem of storage.problems()) {
    problems.push(problem);
    if (problems.length === MAX_LISTED) break;
  }
  const { files, neverChecked, outcomes, last, open, plan } = report;
  const json = {
    files,
    neverChecked,
    ...outcomes,
    lastCheck: last === undefined ? null : runJson(last),
    unfinished: open.map((run) => ({ ...runJson(run), isUnderWay: run.isUnderWay })),
    schedule: plan ?? null,
    problems: problems.map(({ at, ...problem }) => ({ ...problem, checked: isoTime(at) })),
  };
  console.log(JSON.stringify(json));
}

function runJson(run: VerifyRun) {
  const { scope, total, checked, bytes, damaged, missing, unreadable, startedAt, endedAt } = run;
  return {
    of: scopeText(scope),
    isScheduled: scope.isScheduled ?? false,
    began: isoTime(startedAt),
    ended: endedAt === undefined ? null : isoTime(endedAt),
    ...{ total, checked, bytes, damaged, missing, unreadable },
  };
}

function isoTime(seconds: number): string {
  return new Date(seconds * 1_000).toISOString();
}
