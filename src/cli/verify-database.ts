import { countInWords, numberText } from '../base/in-words.ts';
import type { Log } from '../base/log.ts';
import type { ServerConfig } from '../config/server-config.ts';
import { checkIntegrity } from '../database/check-integrity.ts';
import { isDamaged } from '../database/damage.ts';
import type { Database } from '../database/database.ts';
import { loadDerivativeRules } from '../jobs/load-rules.ts';
import { loadModel } from '../server/load-model.ts';
import { explainDamage, openForCommand, requireCurrentRepository } from '../server/open-database.ts';
import { createServices } from '../server/open-repository.ts';
import { checkRows } from '../upkeep/integrity/check-database.ts';
import { changeDatabasePlan, recordDatabaseCheck } from '../upkeep/integrity/check-schedule.ts';
import type { DatabaseProblem } from '../upkeep/integrity/find-damaged-values.ts';
import type { DatabaseProgress, DatabaseVerification } from '../upkeep/integrity/verify-database.ts';
import { EXIT, type ExitCode } from './attempt.ts';
import { type ProgressStyle, showProgress } from './progress-display.ts';
import { unlessStopped } from './stop-signal.ts';
import { plainLine } from './text.ts';
import { periodText } from './verify-text.ts';

const LOOK: ProgressStyle<DatabaseProgress> = {
  format: '[{bar}] {percentage}% | {value} of {total} revisions | {problems} problems | {eta_formatted} left',
  measure: ({ checked, total, problems }) => ({ total, value: checked, facts: { problems } }),
  lineOf: ({ checked, total, problems }) => `Checked ${checked} of ${total} revisions, ${problems} problems.`,
  isResumable: true,
};

/** Checks the database of a configuration, and prints the problems. Returns the exit code. */
export async function verifyDatabaseOf(config: ServerConfig, isQuiet: boolean, log: Log): Promise<ExitCode> {
  const model = await loadModel(config);
  const rules = await loadDerivativeRules(config, model);
  const database = await openForCommand(config);
  try {
    if (!isQuiet) console.error('Checking the structure of the database …');
    const structure = await checkIntegrity(database);
    for (const line of structureLines(structure)) console.log(plainLine(line));
    await explainDamage(config, () => requireCurrentRepository(database));
    const services = createServices({ ...config, database, model, schemes: new Map(), rules, log });
    const startedAt = services.now();
    const display = showProgress(LOOK, isQuiet);
    const report = await unlessStopped('The check was interrupted. The same command starts again.', (signal) =>
      checkRows(services, { onProgress: display.show, onProblem: tell, signal }).finally(display.end),
    );
    if (report === undefined) return EXIT.failure;
    console.log(sumOf(report));
    const problems = report.problems + (structure?.length ?? 0);
    const check = { startedAt, endedAt: services.now(), revisions: report.checked, problems };
    // A damaged database may accept no write; the output has the result.
    await recordDatabaseCheck(database, check).catch((error: unknown) => {
      if (!isDamaged(error)) throw error;
    });
    return problems === 0 ? EXIT.ok : EXIT.failure;
  } finally {
    await database.close();
  }
}

/** Sets the schedule by which the servers check the database. */
export async function scheduleDatabaseChecks(database: Database, period: number | 'off'): Promise<void> {
  await changeDatabasePlan(database, period === 'off' ? undefined : { everySeconds: period });
  console.log(period === 'off' ? 'Schedule: none.' : `Schedule: the database, every ${periodText(period)}.`);
}

function tell({ subject, detail }: DatabaseProblem): void {
  console.log(plainLine(`${subject}: damaged; ${detail}`));
}

function structureLines(findings: readonly string[] | undefined): string[] {
  if (findings === undefined) return ['structure: not checked; this server does not support PRAGMA integrity_check'];
  return findings.length === 0 ? ['structure: intact'] : findings.map((finding) => `structure: damaged; ${finding}`);
}

function sumOf({ checked, damaged, problems, recorded }: DatabaseVerification): string {
  const first = recorded === 0 ? '' : ` Recorded the checksums of ${countInWords(recorded, 'revision')} that had none.`;
  const sum = `${numberText(checked - damaged)} intact, ${numberText(damaged)} damaged, ${countInWords(problems, 'problem')}`;
  return `Checked ${countInWords(checked, 'revision')}: ${sum}.${first}`;
}
