import { Command } from 'commander';
import { CommandError } from '../base/errors.ts';
import { countInWords, numberText } from '../base/in-words.ts';
import type { ScanProgress } from '../jobs/scan.ts';
import type { CommandRepository } from '../server/open-repository-for-command.ts';
import type { ExitCode } from './attempt.ts';
import { parseEntityId } from './parse-value.ts';
import { type ProgressStyle, showProgress } from './progress-display.ts';
import { type SettingFlags, withSettings } from './settings.ts';
import { withStopSignal } from './stop-signal.ts';
import { withRepository } from './with-repository.ts';

interface ScanFlags extends SettingFlags {
  action?: string;
  node?: number;
  restart?: boolean;
  dryRun?: boolean;
  quiet?: boolean;
}

const AFTER = `
It works while the repository runs, which starts the new jobs. The same command resumes a scan after Ctrl-C or a crash. The
jobs run on behalf of the administrator (user 1). Failed jobs stay failed: retry them with repo derivatives retry --failed.

Examples:
  repo derivatives scan --dry-run
  repo derivatives scan --action get_ocr_from_image
  repo derivatives scan --node 12`;

/** Creates `repo derivatives scan`, which queues missing and outdated derivatives. */
export function scanCommand(finish: (code: ExitCode) => void): Command {
  const command = new Command('scan')
    .description('find missing and outdated derivatives, and queue them')
    .option('--action <name>', 'only this action of the rules')
    .option('--node <id>', 'only this node', parseEntityId)
    .option('--restart', 'start again instead of resuming an interrupted scan')
    .option('--dry-run', 'only count them')
    .option('--quiet', 'show no progress');
  return withSettings(command)
    .addHelpText('after', AFTER)
    .action(async (flags: ScanFlags, self: Command) =>
      finish(
        await withRepository(flags, self, async (repository) => {
          const progress = await follow(await scanOf(repository, flags), flags.quiet ?? false);
          console.log(resultLine(progress, flags));
          if (!progress.isFinished) console.error(resumeHint(flags));
          return progress.isFinished;
        }),
      ),
    );
}

/** Scans on behalf of the administrator. Throws CommandError if they are blocked. */
async function scanOf({ services, findUser, actorOf }: CommandRepository, flags: ScanFlags) {
  const { scan } = await import('../jobs/scan.ts');
  const { action, node, restart, dryRun } = flags;
  const administrator = await findUser();
  const { status, name } = administrator.row;
  if (!status && !dryRun)
    throw new CommandError(
      `The jobs would run for ${name}, who is blocked. Unblock the user first: repo user unblock ${name}`,
    );
  return scan(services, actorOf(administrator), { action, node, restart, dryRun });
}

/** The display of the progress of a scan. */
export const SCAN_LOOK: ProgressStyle<ScanProgress> = {
  format: '[{bar}] {percentage}% | {value} of {total} media | {queued} missing | {eta_formatted} left',
  measure: ({ scanned, total, queued, isFinished }) => ({ total, value: scanned, facts: { queued }, isFinished }),
  lineOf: ({ scanned, total, queued }) => `Scanned ${scanned} of ${total} media, ${queued} derivatives missing.`,
  isResumable: true,
};

/** Shows the progress of a scan until its end, or until Ctrl-C ends it after a batch. Returns the last progress. */
async function follow(scan: AsyncIterable<ScanProgress>, isQuiet: boolean): Promise<ScanProgress> {
  const display = showProgress(SCAN_LOOK, isQuiet);
  let last: ScanProgress = { scanned: 0, total: 0, queued: 0, open: 0, failed: 0, isFinished: true };
  try {
    await withStopSignal(async (signal) => {
      for await (last of scan) {
        display.show(last);
        if (signal.aborted) break;
      }
    });
  } finally {
    display.end();
  }
  return last;
}

/** Formats the result. */
function resultLine({ scanned, queued, open, failed }: ScanProgress, { dryRun }: ScanFlags): string {
  const verb = dryRun ? 'to be queued' : 'queued';
  const retry = failed > 0 ? ' (retry them with: repo derivatives retry --failed)' : '';
  return `Scanned ${numberText(scanned)} media: ${countInWords(queued, 'derivative')} ${verb}, ${numberText(open)} queued already, ${numberText(failed)} failed before${retry}.`;
}

function resumeHint({ node }: ScanFlags): string {
  return node === undefined
    ? 'The scan was interrupted. Run the same command to resume it, or add --restart to start again.'
    : 'The scan was interrupted. The same command starts again.';
}
