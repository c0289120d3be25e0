import { Command } from 'commander';
import type { ScanProgress } from '../modes/scan-administration.ts';
import { administer } from './administer.ts';
import { counted, numberText } from './count-text.ts';
import { EXIT, type ExitCode } from './exit-code.ts';
import { parseEntityId } from './parse-value.ts';
import { type SettingFlags, settingOptions } from './settings.ts';
import { withStopSignal } from './stop-signal.ts';

interface ScanFlags extends SettingFlags {
  action?: string;
  node?: number;
  restart?: boolean;
  dryRun?: boolean;
  quiet?: boolean;
}

const AFTER = `
It may be done while the repository runs, which notices what is queued. A scan that is broken off, with Ctrl-C or by a
crash, goes on where it was when the same is asked for again. What is found is made for the administrator, user 1.
Derivatives that have failed stay as they are: have them tried again with repo derivatives retry --failed.

Examples:
  repo derivatives scan --dry-run
  repo derivatives scan --action get_ocr_from_image
  repo derivatives scan --node 12`;

/** `repo derivatives scan`: what should have been made and was not. */
export function scanCommand(finish: (code: ExitCode) => void): Command {
  const command = new Command('scan')
    .description('find derivatives that are missing or older than their source, and queue them')
    .option('--action <name>', 'those of this action of the rules')
    .option('--node <id>', 'those of this node', parseEntityId)
    .option('--restart', 'begin anew, and do not go on where a scan was broken off')
    .option('--dry-run', 'count them, and queue nothing')
    .option('--quiet', 'show no progress');
  for (const option of settingOptions()) command.addOption(option);
  return command.addHelpText('after', AFTER).action(async (flags: ScanFlags, self: Command) => {
    let isBrokenOff = false;
    const code = await administer(flags, self, async ({ derivatives }) => {
      const { action, node, restart, dryRun } = flags;
      const progress = await follow(derivatives.scan({ action, node, restart, dryRun }), flags.quiet ?? false);
      console.log(figures(progress, flags));
      isBrokenOff = !progress.isFinished;
      if (isBrokenOff) console.error(howToGoOn(flags));
    });
    finish(code === EXIT.ok && isBrokenOff ? EXIT.failure : code);
  });
}

/** Shows how far a scan is, until it is done or Ctrl-C ends it after the batch at hand. Answers how far it came. */
async function follow(scan: AsyncIterable<ScanProgress>, isQuiet: boolean): Promise<ScanProgress> {
  const { showScan } = await import('./scan-display.ts');
  const display = showScan(isQuiet);
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

/** What came of it in one sentence. */
function figures({ scanned, queued, open, failed }: ScanProgress, { dryRun }: ScanFlags): string {
  const verb = dryRun ? 'to be queued' : 'queued';
  const retry = failed > 0 ? ' (try them again with: repo derivatives retry --failed)' : '';
  return `Looked at ${numberText(scanned)} media: ${counted(queued, 'derivative')} ${verb}, ${numberText(open)} queued already, ${numberText(failed)} failed before${retry}.`;
}

function howToGoOn({ node }: ScanFlags): string {
  return node === undefined
    ? 'The scan was broken off. The same command goes on from here; with --restart it begins anew.'
    : 'The scan was broken off. The same command begins anew.';
}
