import { Command, Option } from 'commander';
import { CommandError } from '../base/command-error.ts';
import { ServiceError } from '../base/errors.ts';
import { JOB_STATES, type JobState } from '../jobs/job.ts';
import { unknownAction } from '../jobs/rules.ts';
import type { ExitCode } from './attempt.ts';
import { scanCommand } from './derivatives-scan.ts';
import { jobFacts } from './job-facts.ts';
import { countsLine, jobTable } from './job-table.ts';
import { parseCount, parseEntityId } from './parse-value.ts';
import { type SettingFlags, withSettings } from './settings.ts';
import { counted } from './text.ts';
import { withRepository } from './with-repository.ts';

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

/** Creates `repo derivatives`, which lists and changes jobs. */
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
    .addOption(new Option('--state <state>', 'those in this state').choices(JOB_STATES))
    .option('--action <name>', 'those of this action of the rules')
    .option('--node <id>', 'those of this node', parseEntityId)
    .option('--limit <count>', 'at most so many', parseCount, DEFAULT_LIMIT)
    .option('--json', 'print one JSON object per line, as /admin/reports/derivatives answers them');
  return withSettings(command).action(async (flags: ListFlags, self: Command) =>
    finish(
      await withRepository(flags, self, async ({ services }) => {
        const { isActionKnown, reportJobs } = await import('../jobs/report-jobs.ts');
        const { jobReportJson } = await import('../representation/derivative-json.ts');
        const { state, action, node, limit } = flags;
        if (action !== undefined && !(await isActionKnown(services, action)))
          throw new CommandError(unknownAction(services.derivatives.rules, action));
        const found = await reportJobs(services, { state, action, nodeId: node }, { limit, offset: 0 });
        const { counts, jobs } = jobReportJson(found);
        // The counts are of all jobs, not of the selected ones.
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
      await withRepository(flags, self, async ({ services, baseUrl }) => {
        const { reportJob } = await import('../jobs/report-jobs.ts');
        const { jobInFullJson } = await import('../representation/derivative-json.ts');
        const found = await reportJob(services, id, baseUrl);
        if (found === undefined) throw new CommandError(noJob(id));
        const job = jobInFullJson(found);
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
    const code = await withRepository(flags, self, async ({ services }) => {
      const { retryFailedJobs, retryJob } = await import('../jobs/change-jobs.ts');
      if (flags.failed) tell('Trying again', await retryFailedJobs(services));
      else await changeAll('Trying again', ids, (id) => retryJob(services, id));
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
      await withRepository(flags, self, async ({ services }) => {
        const { cancelJob } = await import('../jobs/change-jobs.ts');
        await changeAll('Cancelled', ids, (id) => cancelJob(services, id));
      }),
    ),
  );
}

/** Changes jobs one after the other, and reports those that cannot be changed at the end. */
async function changeAll(verb: string, ids: readonly number[], change: (id: number) => Promise<boolean>) {
  const refused: string[] = [];
  let changed = 0;
  for (const id of new Set(ids)) {
    try {
      if (await change(id)) changed += 1;
      else refused.push(noJob(id));
    } catch (error) {
      if (!(error instanceof ServiceError) || error.kind !== 'conflict') throw error;
      refused.push(error.publicMessage);
    }
  }
  if (changed > 0 || refused.length === 0) tell(verb, changed);
  if (refused.length > 0) throw new CommandError(refused.join('\n'));
}

function tell(verb: string, changed: number): void {
  console.log(`${verb}: ${counted(changed, 'job')}.`);
}

function noJob(id: number): string {
  return `There is no job ${id}; see them with: repo derivatives list`;
}

function collectIds(text: string, ids: number[] = []): number[] {
  return [...ids, parseEntityId(text)];
}
