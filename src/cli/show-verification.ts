import { jsonTime } from '../base/in-words.ts';
import type { Database } from '../database/database.ts';
import { type FixityProblem, listProblems, reportFixity } from '../upkeep/fixity/verify-report.ts';
import type { VerifyRun } from '../upkeep/fixity/verify-run.ts';
import { timeText } from './text.ts';
import { problemLine, reportLines, scopeText } from './verify-text.ts';

/** The maximum number of files in a JSON object, whose figures count all. */
const MAX_LISTED = 10_000;

/** Prints the results of all checks of stored files. */
export async function showVerification(database: Database, format: 'text' | 'json'): Promise<void> {
  const report = await reportFixity(database);
  if (format === 'text') {
    console.log(reportLines(report).join('\n'));
    for await (const problem of listProblems(database))
      console.log(`${problemLine(problem)} (checked ${timeText(problem.at)})`);
    return;
  }
  const problems: FixityProblem[] = [];
  for await (const problem of listProblems(database)) {
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
    problems: problems.map(({ at, ...problem }) => ({ ...problem, checked: jsonTime(at) })),
  };
  console.log(JSON.stringify(json));
}

function runJson(run: VerifyRun) {
  const { scope, total, checked, bytes, damaged, missing, unreadable, startedAt, endedAt } = run;
  return {
    of: scopeText(scope),
    isScheduled: scope.isScheduled ?? false,
    began: jsonTime(startedAt),
    ended: endedAt === undefined ? null : jsonTime(endedAt),
    ...{ total, checked, bytes, damaged, missing, unreadable },
  };
}
