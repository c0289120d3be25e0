import { Command } from 'commander';
import { CommandError, ServiceError } from '../base/errors.ts';
import { countInWords } from '../base/in-words.ts';
import { nearest } from '../base/nearest.ts';
import type { Services } from '../repository/content/services.ts';
import type { Scheme } from '../repository/files/scheme.ts';
import type { CommandRepository } from '../server/open-repository-for-command.ts';
import { newKey } from '../storage/key.ts';
import type { Storage } from '../storage/storage.ts';
import type { FailedFile, MoveSummary } from '../upkeep/move/move.ts';
import type { ExitCode } from './attempt.ts';
import { parseByteRate, parseConcurrency, parseEntityId } from './parse-value.ts';
import { MOVE_LOOK, showProgress } from './progress-display.ts';
import { type SettingFlags, withSettings } from './settings.ts';
import { withStopSignal } from './stop-signal.ts';
import { filesText, plainLine } from './text.ts';
import { withRepository } from './with-repository.ts';

interface MoveFlags extends SettingFlags {
  from: string;
  to: string;
  limit?: number;
  rate?: number;
  concurrency: number;
  dryRun?: boolean;
  quiet?: boolean;
}

const DEFAULT_CONCURRENCY = 4;

const AFTER = `
It works while the repository runs. Files keep their addresses, ids and access rules; only their storage changes. Each copy is
read and compared before the original is deleted. The same command resumes a move after Ctrl-C or a crash.

To store new files there too, first set schemes.<scheme>.storeIn in the configuration, and restart the servers.

Examples:
  repo storage move --from public --to s3 --dry-run
  repo storage move --from public --to s3
  repo storage move --from public --to s3 --rate 50MB/s --limit 1000`;

/** Creates `repo storage move`, which moves the bytes of files from one storage scheme into another. */
export function moveCommand(finish: (code: ExitCode) => void): Command {
  const command = new Command('move')
    .description('move stored files from one scheme to another')
    .requiredOption('--from <scheme>', 'present scheme of the storage')
    .requiredOption('--to <scheme>', 'new scheme of the storage')
    .option('--limit <count>', 'maximum number of files', parseEntityId)
    .option('--rate <bytes>', 'maximum rate in bytes per second, such as 50MB/s (default: no limit)', parseByteRate)
    .option('--concurrency <count>', 'number of concurrent files', parseConcurrency, DEFAULT_CONCURRENCY)
    .option('--dry-run', 'only count them')
    .option('--quiet', 'show no progress');
  return withSettings(command)
    .addHelpText('after', AFTER)
    .action(async (flags: MoveFlags, self: Command) => {
      const work = (repository: CommandRepository) =>
        flags.dryRun ? plan(repository, flags) : move(repository, flags);
      finish(await withRepository(flags, self, work, { hasStores: true }));
    });
}

async function plan({ services }: CommandRepository, flags: MoveFlags): Promise<void> {
  const { countStoredFiles } = await import('../repository/files/stored-files.ts');
  const { from, to } = schemesOf(services, flags);
  const count = await countStoredFiles(services.database, from.name, flags.limit);
  console.log(`${filesText(count.files, count.bytes)} would be moved from ${from.name} to ${to.name}.`);
}

/** Moves files until all are moved or Ctrl-C ends it. Returns false for failures and after Ctrl-C. */
async function move({ services, settleDiscards }: CommandRepository, flags: MoveFlags): Promise<boolean> {
  const { limit, rate: bytesPerSecond, concurrency, quiet = false } = flags;
  const both = schemesOf(services, flags);
  await requireUsable(both.to.storage);
  const { moveFiles } = await import('../upkeep/move/move.ts');
  const display = showProgress(MOVE_LOOK, quiet);
  try {
    const summary = await withStopSignal((signal) =>
      moveFiles(
        services,
        { ...both, limit, bytesPerSecond, concurrency },
        {
          signal,
          onProgress: display.show,
          onFailed: (failed) => display.tell(failureLine(failed)),
        },
      ).finally(settleDiscards),
    );
    display.end();
    return printSummary(services, flags, summary);
  } finally {
    display.end();
  }
}

function schemesOf({ schemes }: Services, flags: MoveFlags): { from: Scheme; to: Scheme } {
  const find = (name: string): Scheme => {
    const scheme = schemes.get(name);
    if (scheme) return scheme;
    const names = [...schemes.keys()];
    const guess = nearest(name, names);
    const hint = guess === undefined ? `the schemes are ${names.join(', ')}` : `did you mean ${guess}?`;
    throw new CommandError(`Unknown storage scheme ${name}; ${hint}`);
  };
  const both = { from: find(flags.from), to: find(flags.to) };
  if (flags.from === flags.to) throw new CommandError('--from and --to must differ.');
  return both;
}

/** Throws if a store rejects access. A store whose check is unavailable may still work. */
async function requireUsable(storage: Storage): Promise<void> {
  try {
    await storage.check();
  } catch (error) {
    if (!(error instanceof ServiceError) || error.kind !== 'unavailable') throw error;
    await storage.stat(newKey());
  }
}

/** Prints the summary. Returns false for failures and after Ctrl-C. */
function printSummary(services: Services, { from, to }: MoveFlags, summary: MoveSummary): boolean {
  const { moved, failed, left, isInterrupted } = summary;
  console.log(`Moved ${filesText(moved.files, moved.bytes)} from ${from} to ${to}.`);
  if (failed > 0) console.error(`${countInWords(failed, 'file')} could not be moved; see above.`);
  if (isInterrupted) console.error('The move was interrupted. Run the same command to resume it.');
  else if (left.files > failed) console.error(`${filesText(left.files, left.bytes)} remain in ${from}.`);
  const storing = [...services.schemes.values()].filter(({ storeIn }) => storeIn === from);
  const schemes = storing.map(({ name }) => name);
  if (schemes.length > 0 && !isInterrupted)
    console.error(
      `New files of ${schemes.join(', ')} are still stored in ${from}; to change this, set schemes.<scheme>.storeIn in the configuration.`,
    );
  return failed === 0 && !isInterrupted;
}

function failureLine({ file, fault }: FailedFile): string {
  const expected = `${file.filesize} bytes with SHA-256 ${file.sha256}`;
  const name = `Not moved: file ${file.id}, ${file.uri}`;
  switch (fault.kind) {
    case 'missing':
      return plainLine(`${name}: its object is missing; expected ${expected}`);
    case 'damaged': {
      const { bytes, sha256 } = fault.actual;
      const hash = sha256 === undefined ? '' : ` with SHA-256 ${sha256}`;
      return plainLine(`${name}: it is damaged; expected ${expected}, found ${bytes} bytes${hash}`);
    }
    case 'unreadable':
      return plainLine(`${name}: it cannot be read; ${reasonOf(fault.error)}`);
    case 'restless':
      return plainLine(`${name}: its content changed during each copy`);
    default:
      return fault satisfies never;
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message} ${error.cause.message}` : error.message;
}
