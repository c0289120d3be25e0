import { Command, Option } from 'commander';
import type { Administration } from '../modes/administration.ts';
import type { Sample, StorageAdministration, VerifyRun } from '../modes/storage-administration.ts';
import { administer } from './administer.ts';
import { EXIT, type ExitCode } from './exit-code.ts';
import { parseByteRate } from './parse-rate.ts';
import { parsePeriod, parseSample } from './parse-sample.ts';
import { type SettingFlags, settingOptions } from './settings.ts';
import { showVerification } from './show-verification.ts';
import { withStopSignal } from './stop-signal.ts';
import { verifyDatabaseOf } from './verify-database.ts';
import { planLine, problemLine, runLine, scopeText } from './verify-text.ts';

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

/** What a server that has other things to do reads in a second unless it is told otherwise. */
const SCHEDULED_RATE = 20_000_000;

const AFTER = `
Every file is read again and compared with the SHA-256 of its upload. The exit code is 1 if one is damaged, missing or
unreadable, or the check was broken off. A check that is broken off, with Ctrl-C or by a crash, goes on when the same is
asked for again.

With --schedule the running servers do it by themselves from then on: each file once in that time, one server at a time,
at most 20MB/s unless --rate says otherwise. What they find is in their log, in /metrics and in --show.

With --database the database is checked and no file: its structure, each revision against the checksum of its content, and
each row against its current revision. The exit code is 1 if something is damaged. Revisions of an older version of repo
have no checksum; theirs is recorded by the first check.

Examples:
  repo storage verify --rate 100MB/s
  repo storage verify --database
  repo storage verify --sample 5%
  repo storage verify --schedule 30d
  repo storage verify --show --format json`;

/** `repo storage verify`: whether stored files are what was once stored. */
export function verifyCommand(finish: (code: ExitCode) => void): Command {
  const command = new Command('verify')
    .description('read files again and compare them with their checksums, or check the database')
    .option('--scheme <name>', 'those in the storage of this scheme')
    .option('--sample <part>', 'some of them, chosen by chance: 5% or 1000', parseSample)
    .option('--rate <bytes>', 'no more than so many bytes in a second, such as 50MB/s', parseByteRate)
    .option('--restart', 'begin anew, and do not go on where a check was broken off')
    .option('--quiet', 'show no progress')
    .option('--database', 'check the database instead of the files')
    .option('--schedule <period>', 'have servers do it by themselves, once in 30d; or off', parsePeriod)
    .option('--show', 'check nothing, and say what is known')
    .addOption(new Option('--format <format>', 'how --show says it').choices(['text', 'json']));
  for (const option of settingOptions()) command.addOption(option);
  return command.addHelpText('after', AFTER).action(async (flags: VerifyFlags, self: Command) => {
    checkFlags(flags, self);
    if (flags.database) return finish(await verifyDatabaseOf(flags, flags.quiet ?? false, self));
    let isGood = true;
    const work = async ({ storage }: Administration) => {
      if (flags.show) return showVerification(storage, flags.format ?? 'text');
      if (flags.schedule !== undefined) return schedule(storage, flags.schedule, flags);
      isGood = await check(storage, flags);
    };
    const code = await administer(flags, self, work, { hasStores: true });
    finish(code === EXIT.ok && !isGood ? EXIT.failure : code);
  });
}

function checkFlags(flags: VerifyFlags, self: Command): void {
  const { show, format, schedule, restart, scheme, sample, rate, database } = flags;
  const isAbout = [schedule, restart, scheme, sample, rate].some((each) => each !== undefined);
  if (database && (isAbout || show || format !== undefined)) self.error('--database goes with --quiet alone');
  if (show && isAbout) self.error('--show goes with --format alone');
  if (format !== undefined && !show) self.error('--format goes with --show');
  if (schedule !== undefined && restart)
    self.error('--restart is for a check that begins now, --schedule for later ones');
}

async function schedule(storage: StorageAdministration, period: number | 'off', flags: VerifyFlags): Promise<void> {
  const { scheme: store, sample, rate: bytesPerSecond = SCHEDULED_RATE } = flags;
  const plan = period === 'off' ? undefined : { everySeconds: period, bytesPerSecond, store, sample };
  await storage.schedule(plan);
  console.log(planLine(plan));
}

/** Checks, and says what it came to; answers whether all was checked and intact. */
async function check(storage: StorageAdministration, flags: VerifyFlags): Promise<boolean> {
  const run = await follow(storage, flags);
  for await (const problem of storage.problems(run.id)) console.log(problemLine(problem));
  console.log(runLine(run));
  if (run.endedAt === undefined) {
    console.error('The check was broken off. The same command goes on from here; with --restart it begins anew.');
    return false;
  }
  if (run.scope.sample !== undefined)
    console.log(`That was a sample, ${scopeText(run.scope)}: it says nothing of the others.`);
  return storage.problemCount(run) === 0;
}

/** Shows how far a check is, until it is done or Ctrl-C ends it. */
async function follow(storage: StorageAdministration, flags: VerifyFlags): Promise<VerifyRun> {
  const { scheme: store, sample, rate: bytesPerSecond, restart, quiet = false } = flags;
  const { showVerify } = await import('./verify-display.ts');
  const display = showVerify(quiet);
  try {
    return await withStopSignal((signal) => {
      const scope = { store, sample };
      return storage.verify({ scope, bytesPerSecond, restart, signal, onProgress: display.show });
    });
  } finally {
    display.end();
  }
}
