import type { Command } from 'commander';
import type { DatabaseProblem, DatabaseVerification } from '../modes/verify-database.ts';
import { attempt } from './attempt.ts';
import { counted, numberText } from './count-text.ts';
import { EXIT, type ExitCode } from './exit-code.ts';
import { plainLine } from './plain-line.ts';
import { overridesFrom, type SettingFlags } from './settings.ts';
import { unlessStopped } from './stop-signal.ts';

/** Checks the database of the repository that the flags name, and prints the problems. Returns the exit code. */
export function verifyDatabaseOf(flags: SettingFlags, isQuiet: boolean, command: Command): Promise<ExitCode> {
  const overrides = overridesFrom(flags, command);
  return attempt(async () => {
    const [{ loadServerConfig }, { openDatabaseChecks }, { showDatabaseVerify }] = await Promise.all([
      import('../modes/load-repository-config.ts'),
      import('../modes/verify-database.ts'),
      import('./verify-display.ts'),
    ]);
    const checks = await openDatabaseChecks(await loadServerConfig(flags.config, overrides));
    try {
      if (!isQuiet) console.error('Checking the structure of the database …');
      const findings = await checks.structure();
      for (const line of structureLines(findings)) console.log(plainLine(line));
      const display = showDatabaseVerify(isQuiet);
      const found = await unlessStopped('The check was interrupted. The same command begins again.', (signal) =>
        checks.rows({ onProgress: display.show, onProblem: tell, signal }).finally(display.end),
      );
      if (found === undefined) return EXIT.failure;
      console.log(sumOf(found));
      return found.problems + (findings?.length ?? 0) === 0 ? EXIT.ok : EXIT.failure;
    } finally {
      await checks.close();
    }
  });
}

function tell({ subject, detail }: DatabaseProblem): void {
  console.log(plainLine(`${subject}: damaged; ${detail}`));
}

function structureLines(findings: readonly string[] | undefined): string[] {
  if (findings === undefined) return ['structure: not checked; this server does not run PRAGMA integrity_check'];
  return findings.length === 0 ? ['structure: intact'] : findings.map((finding) => `structure: damaged; ${finding}`);
}

function sumOf({ checked, damaged, problems, recorded }: DatabaseVerification): string {
  const first = recorded === 0 ? '' : ` Recorded the checksums of ${counted(recorded, 'revision')} that had none.`;
  const sum = `${numberText(checked - damaged)} intact, ${numberText(damaged)} damaged, ${counted(problems, 'problem')}`;
  return `Checked ${counted(checked, 'revision')}: ${sum}.${first}`;
}
