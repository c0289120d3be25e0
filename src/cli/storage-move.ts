import { Command, InvalidArgumentError } from 'commander';
import type { Administration } from '../modes/administration.ts';
import type { FailedFile, MoveAdministration, MoveRequest, MoveSummary } from '../modes/storage-move-administration.ts';
import { administer } from './administer.ts';
import { counted, filesText } from './count-text.ts';
import { EXIT, type ExitCode } from './exit-code.ts';
import { parseByteRate } from './parse-rate.ts';
import { parseEntityId } from './parse-value.ts';
import { plainLine } from './plain-line.ts';
import { type SettingFlags, settingOptions } from './settings.ts';
import { withStopSignal } from './stop-signal.ts';

interface MoveFlags extends SettingFlags {
  from: string;
  to: string;
  limit?: number;
  rate?: number;
  concurrency: number;
  dryRun?: boolean;
  quiet?: boolean;
}

const USUAL_CONCURRENCY = 4;
const MAX_CONCURRENCY = 64;

const AFTER = `
It may be done while the repository runs. Files keep their addresses, their ids and who may see them: what moves is
where their bytes are. Each copy is read back before the old one goes. A move that is broken off, with Ctrl-C or by a
crash, goes on when the same is asked for again.

To have new files kept there, too, first set schemes.<scheme>.storeIn in the configuration, and restart the servers.

Examples:
  repo storage move --from public --to s3 --dry-run
  repo storage move --from public --to s3
  repo storage move --from public --to s3 --rate 50MB/s --limit 1000`;

/** `repo storage move`: the bytes of files, from one storage scheme into another. */
export function moveCommand(finish: (code: ExitCode) => void): Command {
  const command = new Command('move')
    .description('move the bytes of files from one storage scheme into another')
    .requiredOption('--from <scheme>', 'the scheme in whose storage they are')
    .requiredOption('--to <scheme>', 'the scheme in whose storage they are to be')
    .option('--limit <count>', 'no more than so many files', parseEntityId)
    .option('--rate <bytes>', 'no more than so many bytes in a second, such as 50MB/s', parseByteRate)
    .option('--concurrency <count>', 'so many files at a time', parseConcurrency, USUAL_CONCURRENCY)
    .option('--dry-run', 'count them, and move nothing')
    .option('--quiet', 'show no progress');
  for (const option of settingOptions()) command.addOption(option);
  return command.addHelpText('after', AFTER).action(async (flags: MoveFlags, self: Command) => {
    let isDone = true;
    const work = async ({ moves }: Administration) => {
      if (flags.dryRun) return plan(moves, flags);
      isDone = tellSummary(moves, flags, await move(moves, flags));
    };
    const code = await administer(flags, self, work, { hasStores: true });
    finish(code === EXIT.ok && !isDone ? EXIT.failure : code);
  });
}

async function plan(moves: MoveAdministration, { from, to, limit }: MoveFlags): Promise<void> {
  const found = await moves.planMove({ from, to, limit });
  console.log(`${filesText(found.files, found.bytes)} would be moved from ${from} to ${to}.`);
}

/** Moves, and shows how far it is, until it is done or Ctrl-C ends it. */
async function move(moves: MoveAdministration, flags: MoveFlags): Promise<MoveSummary> {
  const { from, to, limit, rate, concurrency, quiet = false } = flags;
  const { showMove } = await import('./move-display.ts');
  const display = showMove(quiet);
  const request: MoveRequest = { from, to, limit, bytesPerSecond: rate, concurrency };
  try {
    return await withStopSignal((signal) =>
      moves.move(request, {
        signal,
        onProgress: display.show,
        onFailed: (failed) => display.tell(failureLine(failed)),
      }),
    );
  } finally {
    display.end();
  }
}

/** Says what came of it; answers whether all of it was done. */
function tellSummary(moves: MoveAdministration, { from, to }: MoveFlags, summary: MoveSummary): boolean {
  const { moved, failed, left, isBrokenOff } = summary;
  console.log(`Moved ${filesText(moved.files, moved.bytes)} from ${from} to ${to}.`);
  if (failed > 0) console.error(`${counted(failed, 'file')} could not be moved; see above.`);
  if (isBrokenOff) console.error('The move was broken off. The same command goes on from here.');
  else if (left.files > failed) console.error(`${filesText(left.files, left.bytes)} are in ${from} still, or again.`);
  const schemes = moves.schemesStoringIn(from);
  if (schemes.length > 0 && !isBrokenOff)
    console.error(
      `New files of ${schemes.join(', ')} are kept in ${from} as before; schemes.<scheme>.storeIn in the configuration changes that.`,
    );
  return failed === 0 && !isBrokenOff;
}

function failureLine({ file, fault }: FailedFile): string {
  const expected = `${file.filesize} bytes with SHA-256 ${file.sha256}`;
  const name = `Not moved: file ${file.id}, ${file.uri}`;
  switch (fault.kind) {
    case 'missing':
      return plainLine(`${name}: its object is missing; expected ${expected}`);
    case 'damaged': {
      const { bytes, sha256 } = fault.found;
      const hash = sha256 === undefined ? '' : ` with SHA-256 ${sha256}`;
      return plainLine(`${name}: it is damaged; expected ${expected}, found ${bytes} bytes${hash}`);
    }
    case 'unreadable':
      return plainLine(`${name}: it cannot be read; ${reasonOf(fault.error)}`);
    case 'restless':
      return plainLine(`${name}: it got other bytes each time while it was copied`);
    default:
      return fault satisfies never;
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message} ${error.cause.message}` : error.message;
}

function parseConcurrency(value: string): number {
  const count = Number(value);
  if (/^\d+$/.test(value) && count >= 1 && count <= MAX_CONCURRENCY) return count;
  throw new InvalidArgumentError(`It must be a number from 1 to ${MAX_CONCURRENCY}.`);
}
