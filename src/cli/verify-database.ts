import { countInWords, numberText } from '../base/in-words.ts';
import type { ServerConfig } from '../config/server-config.ts';
import { checkIntegrity } from '../database/check-integrity.ts';
import { createKinds } from '../repository/content/kinds.ts';
import { loadModel } from '../server/load-model.ts';
import { explainDamage, openForCommand, requireCurrentRepository } from '../server/open-database.ts';
import type { DatabaseProblem } from '../upkeep/integrity/find-damaged-values.ts';
import {
  type DatabaseProgress,
  type DatabaseVerification,
  verifyDatabase,
} from '../upkeep/integrity/verify-database.ts';
import { EXIT, type ExitCode } from './attempt.ts';
import { type ProgressStyle, showProgress } from './progress-display.ts';
import { unlessStopped } from './stop-signal.ts';
import { plainLine } from './text.ts';

const LOOK: ProgressStyle<DatabaseProgress> = {
  format: '[{bar}] {percentage}% | {value} of {total} revisions | {problems} problems | {eta_formatted} left',
  measure: ({ checked, total, problems }) => ({ total, value: checked, facts: { problems } }),
  lineOf: ({ checked, total, problems }) => `Checked ${checked} of ${total} revisions, ${problems} problems.`,
  isResumable: true,
};

/** Checks the database of a configuration, and prints the problems. Returns the exit code. */
export async function verifyDatabaseOf(config: ServerConfig, isQuiet: boolean): Promise<ExitCode> {
  const kinds = createKinds(await loadModel(config));
  const database = await openForCommand(config);
  try {
    if (!isQuiet) console.error('Checking the structure of the database …');
    const findings = await checkIntegrity(database);
    for (const line of structureLines(findings)) console.log(plainLine(line));
    await explainDamage(config, () => requireCurrentRepository(database));
    const display = showProgress(LOOK, isQuiet);
    const report = await unlessStopped('The check was interrupted. The same command starts again.', (signal) =>
      verifyDatabase(database, kinds, { onProgress: display.show, onProblem: tell, signal }).finally(display.end),
    );
    if (report === undefined) return EXIT.failure;
    console.log(sumOf(report));
    return report.problems + (findings?.length ?? 0) === 0 ? EXIT.ok : EXIT.failure;
  } finally {
    await database.close();
  }
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
