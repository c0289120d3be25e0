import { Command, Option } from 'commander';
import { CommandError } from '../base/errors.ts';
import { byteText } from '../base/in-words.ts';
import type { Services } from '../repository/content/services.ts';
import type { CommandRepository } from '../server/open-repository-for-command.ts';
import type { VerifyProgress } from '../upkeep/fixity/verify.ts';
import type { Sample, VerifyRun } from '../upkeep/fixity/verify-run.ts';
import type { ExitCode } from './attempt.ts';
import { parseByteRate, parsePeriod, parseSample } from './parse-value.ts';
import { type ProgressStyle, showProgress } from './progress-display.ts';
import { type SettingFlags, withSettings } from './settings.ts';
import { withStopSignal } from './stop-signal.ts';
import { planLine, problemLine, runLine, scopeText } from './verify-text.ts';
import { withConfig, withRepository } from './with-repository.ts';

interface VerifyFlags extends SettingFlags {
  scheme?: string;
  sample?: Sample;
  rate?: number;
  restart?: boolean;
  quiet?: boolean;
  schedule?: number | 'off';
  show?: boolean;
  format?: 'text' | 'json';
  database?: boolean;
}

/** The default rate of scheduled checks, in bytes a second. */
const SCHEDULED_RATE = 20_000_000;

const AFTER = `
It reads each file and compares it with the SHA-256 of its upload. The exit code is 1 if a file is damaged, missing or
unreadable, or if the check was interrupted. The same command resumes a check after Ctrl-C or a crash.

With --schedule, the running servers check each file once per period, one server at a time, with at most 20MB/s (see --rate).
The results are in their log, in /metrics and in --show.

With --database, it checks the structure of the database, the values of all rows, the checksum of each revision, each row
against its current revision, and the search index, but no files. The exit code is 1 if something is damaged. The first check
records the checksums of revisions from older versions of repo.

Examples:
  repo storage verify --rate 100MB/s
  repo storage verify --database
  repo storage verify --database --schedule 7d
  repo storage verify --sample 5%
  repo storage verify --schedule 30d
  repo storage verify --show --format json`;

/** Creates `repo storage verify`, which compares stored files with their checksums. */
export function verifyCommand(finish: (code: ExitCode) => void): Command {
  const command = new Command('verify')
    .description('compare files with their checksums, or check the database')
    .option('--scheme <name>', 'only files in the storage of this scheme')
    .option('--sample <part>', 'random sample, such as 5% or 1000', parseSample)
    .option('--rate <bytes>', 'maximum rate in bytes per second, such as 50MB/s (default: no limit)', parseByteRate)
    .option('--restart', 'start again instead of resuming an interrupted check')
    .option('--quiet', 'show no progress')
    .option('--database', 'check the database instead of the files')
    .option('--schedule <period>', 'period of automatic checks by the servers, such as 30d, or off', parsePeriod)
    .option('--show', 'show the results of earlier checks')
    .addOption(new Option('--format <format>', 'format of --show').choices(['text', 'json']));
  return withSettings(command)
    .addHelpText('after', AFTER)
    .action(async (flags: VerifyFlags, self: Command) => {
      checkFlags(flags, self);
      if (flags.database && flags.schedule === undefined)
        return finish(
          await withConfig(flags, self, async (config, log) => {
            const { verifyDatabaseOf } = await import('./verify-database.ts');
            return verifyDatabaseOf(config, flags.quiet ?? false, log);
          }),
        );
      const work = async ({ services }: CommandRepository) => {
        if (flags.database && flags.schedule !== undefined) {
          const { scheduleDatabaseChecks } = await import('./verify-database.ts');
          return scheduleDatabaseChecks(services.database, flags.schedule);
        }
        if (flags.schedule !== undefined) return schedule(services, flags.schedule, flags);
        if (!flags.show) return check(services, flags);
        const { showVerification } = await import('./show-verification.ts');
        return showVerification(services.database, flags.format ?? 'text');
      };
      finish(await withRepository(flags, self, work, { hasStores: true }));
    });
}

function checkFlags(flags: VerifyFlags, self: Command): void {
  const { show, format, schedule, restart, scheme, sample, rate, database } = flags;
  const isAboutFiles = [restart, scheme, sample, rate].some((each) => each !== undefined);
  const isAbout = isAboutFiles || schedule !== undefined;
  if (database && (isAboutFiles || show || format !== undefined))
    self.error('--database can be combined only with --quiet and --schedule');
  if (show && isAbout) self.error('--show can be combined only with --format');
  if (format !== undefined && !show) self.error('--format requires --show');
  if (schedule !== undefined && restart) self.error('--restart and --schedule exclude each other');
}

async function schedule(services: Services, period: number | 'off', flags: VerifyFlags): Promise<void> {
  const { database, schemes } = services;
  const { changePlan } = await import('../upkeep/fixity/verify-schedule.ts');
  const { scheme: store, sample, rate: bytesPerSecond = SCHEDULED_RATE } = flags;
  const plan = period === 'off' ? undefined : { everySeconds: period, bytesPerSecond, store, sample };
  if (plan?.store !== undefined && !schemes.has(plan.store))
    throw new CommandError(`Unknown storage scheme ${plan.store}; the schemes are ${[...schemes.keys()].join(', ')}.`);
  await changePlan(database, plan);
  console.log(planLine(plan));
}

/** Checks files, and prints the problems and a summary. Returns false for problems and after Ctrl-C. */
async function check(services: Services, flags: VerifyFlags): Promise<boolean> {
  const { listProblems } = await import('../upkeep/fixity/verify-report.ts');
  const { problemsOf } = await import('../upkeep/fixity/verify-run.ts');
  const run = await follow(services, flags);
  for await (const problem of listProblems(services.database, run.id)) console.log(problemLine(problem));
  console.log(runLine(run));
  if (run.endedAt === undefined) {
    console.error('The check was interrupted. Run the same command to resume it, or add --restart to start again.');
    return false;
  }
  if (run.scope.sample !== undefined)
    console.log(`This was a sample (${scopeText(run.scope)}). The other files were not checked.`);
  return problemsOf(run) === 0;
}

/** The display of the progress of a check. */
export const VERIFY_LOOK: ProgressStyle<VerifyProgress> = {
  format: '[{bar}] {percentage}% | {value} of {total} files | {read} | {problems} not intact | {eta_formatted} left',
  measure: ({ checked, total, bytes, problems }) => ({
    total,
    value: checked,
    facts: { read: byteText(bytes), problems },
  }),
  lineOf: ({ checked, total, bytes, problems }) =>
    `Checked ${checked} of ${total} files, ${byteText(bytes)}, ${problems} not intact.`,
  isResumable: true,
};

/** Checks files and shows the progress, until the end or until Ctrl-C. */
async function follow(services: Services, flags: VerifyFlags): Promise<VerifyRun> {
  const { verify } = await import('../upkeep/fixity/verify.ts');
  const { scheme: store, sample, rate: bytesPerSecond, restart, quiet = false } = flags;
  const display = showProgress(VERIFY_LOOK, quiet);
  try {
    return await withStopSignal((signal) => {
      const scope = { store, sample };
      return verify(services, { scope, bytesPerSecond, restart, signal, onProgress: display.show });
    });
  } finally {
    display.end();
  }
}
