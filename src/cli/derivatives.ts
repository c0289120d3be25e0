import { Command, Option } from 'commander';
import type { JobChanges, JobState } from '../modes/derivative-administration.ts';
import { administer } from './administer.ts';
import { counted } from './count-text.ts';
import { scanCommand } from './derivatives-scan.ts';
import type { ExitCode } from './exit-code.ts';
import { jobFacts } from './job-facts.ts';
import { countsLine, jobTable } from './job-table.ts';
import { parseCount, parseEntityId } from './parse-value.ts';
import { type SettingFlags, settingOptions } from './settings.ts';

const STATES = ['queued', 'running', 'waiting', 'failed', 'done', 'cancelled'] as const satisfies readonly JobState[];
const DEFAULT_LIMIT = 50;

interface ListFlags extends SettingFlags {
  state?: JobState;
  action?: string;
  node?: number;
  limit: number;
  json?: boolean;
}
interface ShowFlags extends SettingFlags {
  json?: boolean;
}
interface RetryFlags extends SettingFlags {
  failed?: boolean;
}

const AFTER = `
All of this may be done while the repository runs, and is noticed by it at once.

States:
  queued     is made next, or tried again after a failure
  running    is being made
  waiting    needs a program that is not installed
  failed     was given up: repo derivatives show says why, retry begins anew
  done       is stored
  cancelled  was called off, or there was nothing left to do

Examples:
  repo derivatives list --state failed
  repo derivatives show 12
  repo derivatives retry --failed`;

const AFTER_SHOW = `
Its event is what a processor is sent. Addresses in it begin as baseUrl says, and without that with
http://localhost and the port of the configuration, whatever --port the server was started with.`;

/** `repo derivatives`: what is made of source files, and what became of it. */
export function derivativesCommand(finish: (code: ExitCode) => void): Command {
  const derivatives = new Command('derivatives')
    .description('look after thumbnails, texts and all else that is made of files')
    .addHelpText('after', AFTER);
  derivatives.addCommand(listCommand(finish));
  derivatives.addCommand(showCommand(finish));
  derivatives.addCommand(retryCommand(finish));
  derivatives.addCommand(cancelCommand(finish));
  derivatives.addCommand(scanCommand(finish));
  return derivatives;
}

function listCommand(finish: (code: ExitCode) => void): Command {
  const command = new Command('list')
    .description('count all jobs by state, and list the newest')
    .addOption(new Option('--state <state>', 'those in this state').choices(STATES))
    .option('--action <name>', 'those of this action of the rules')
    .option('--node <id>', 'those of this node', parseEntityId)
    .option('--limit <count>', 'at most so many', parseCount, DEFAULT_LIMIT)
    .option('--json', 'print one JSON object per line, as /admin/reports/derivatives answers them');
  return withSettings(command).action(async (flags: ListFlags, self: Command) =>
    finish(
      await administer(flags, self, async (repository) => {
        const { state, action, node, limit } = flags;
        const { counts, jobs } = await repository.derivatives.list({ state, action, node, limit });
        // The counts are of all jobs, whatever is selected.
        const isSelected = state !== undefined || action !== undefined || node !== undefined;
        const head = `${isSelected ? 'Of all: ' : ''}${countsLine(counts)}`;
        const table = () => [head, ...jobTable(jobs, Date.now(), process.stdout.columns)];
        const lines = flags.json ? jobs.map((job) => JSON.stringify(job)) : table();
        if (lines.length > 0) console.log(lines.join('\n'));
      }),
    ),
  );
}

function showCommand(finish: (code: ExitCode) => void): Command {
  const command = new Command('show')
    .description('print all that is known of a job')
    .argument('<id>', 'the job, as repo derivatives list numbers it', parseEntityId)
    .option('--json', 'print it as JSON, as /admin/reports/derivatives/<id> answers it')
    .addHelpText('after', AFTER_SHOW);
  return withSettings(command).action(async (id: number, flags: ShowFlags, self: Command) =>
    finish(
      await administer(flags, self, async (repository) => {
        const job = await repository.derivatives.show(id);
        console.log(flags.json ? JSON.stringify(job) : jobFacts(job).join('\n'));
      }),
    ),
  );
}

function retryCommand(finish: (code: ExitCode) => void): Command {
  const command = new Command('retry')
    .description('have jobs tried at once, with all attempts before them')
    .argument('[ids...]', 'the jobs', collectIds)
    .option('--failed', 'all that have failed');
  return withSettings(command).action(async (ids: number[] = [], flags: RetryFlags, self: Command) => {
    if (ids.length > 0 === Boolean(flags.failed)) self.error('give the ids of jobs, or --failed for all that failed');
    const code = await administer(flags, self, async ({ derivatives }) => {
      if (flags.failed) tell('Trying again', { changed: await derivatives.retryFailed(), refused: [] });
      else await tellAll('Trying again', await derivatives.retry(ids));
    });
    finish(code);
  });
}

function cancelCommand(finish: (code: ExitCode) => void): Command {
  const command = new Command('cancel')
    .description('end jobs; what is made by one at this moment is not stored')
    .argument('<ids...>', 'the jobs', collectIds);
  return withSettings(command).action(async (ids: number[], flags: SettingFlags, self: Command) =>
    finish(
      await administer(flags, self, async ({ derivatives }) => tellAll('Cancelled', await derivatives.cancel(ids))),
    ),
  );
}

/** Says how many were changed, and fails where one could not be. */
async function tellAll(verb: string, changes: JobChanges): Promise<void> {
  tell(verb, changes);
  const { refused } = changes;
  if (refused.length === 0) return;
  const { CommandError } = await import('../modes/command-error.ts');
  throw new CommandError(refused.join('\n'));
}

function tell(verb: string, { changed, refused }: JobChanges): void {
  if (changed > 0 || refused.length === 0) console.log(`${verb}: ${counted(changed, 'job')}.`);
}

function withSettings(command: Command): Command {
  for (const option of settingOptions()) command.addOption(option);
  return command;
}

function collectIds(text: string, ids: number[] = []): number[] {
  return [...ids, parseEntityId(text)];
}
