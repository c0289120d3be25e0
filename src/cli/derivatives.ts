import { Command, Option } from 'commander';
import { CommandError, ServiceError } from '../base/errors.ts';
import { countInWords } from '../base/in-words.ts';
import { JOB_STATES, type JobState } from '../jobs/job.ts';
import { unknownAction } from '../jobs/rules.ts';
import type { ExitCode } from './attempt.ts';
import { scanCommand } from './derivatives-scan.ts';
import { countsLine, jobFacts, jobTable } from './job-text.ts';
import { parseCount, parseEntityId } from './parse-value.ts';
import { type SettingFlags, withSettings } from './settings.ts';
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
These commands work while the repository runs, and take effect at once.

States:
  queued     will run next, or be retried after a failure
  running    is running
  waiting    requires a program that is not installed
  failed     has failed permanently; see repo derivatives show, and retry
  done       the derivative is stored
  cancelled  was cancelled, or is no longer needed

Examples:
  repo derivatives list --state failed
  repo derivatives show 12
  repo derivatives retry --failed`;

const AFTER_SHOW = `
The event is the message to the processor. Its addresses begin with baseUrl, or else with http://localhost and the port of
the configuration, which --port of the server does not change.`;

/** Creates `repo derivatives`, which lists and changes jobs. */
export function derivativesCommand(finish: (code: ExitCode) => void): Command {
  const derivatives = new Command('derivatives')
    .description('manage derivatives: thumbnails, texts and others')
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
    .addOption(new Option('--state <state>', 'only this state').choices(JOB_STATES))
    .option('--action <name>', 'only this action of the rules')
    .option('--node <id>', 'only this node', parseEntityId)
    .option('--limit <count>', 'maximum number of jobs', parseCount, DEFAULT_LIMIT)
    .option('--json', 'print one JSON object per line, as in /admin/reports/derivatives');
  return withSettings(command).action(async (flags: ListFlags, self: Command) =>
    finish(
      await withRepository(flags, self, async ({ services }) => {
        const { isActionKnown, reportJobs } = await import('../jobs/report-jobs.ts');
        const { jobReportJson } = await import('../representation/derivative-json.ts');
        const { state, action, node, limit } = flags;
        if (action !== undefined && !(await isActionKnown(services, action)))
          throw new CommandError(unknownAction(services.derivatives.rules, action));
        const report = await reportJobs(services, { state, action, nodeId: node }, { limit, offset: 0 });
        const { counts, jobs } = jobReportJson(report);
        // The counts are of all jobs, not of the selected ones.
        const isSelected = state !== undefined || action !== undefined || node !== undefined;
        const head = `${isSelected ? 'All jobs: ' : ''}${countsLine(counts)}`;
        const table = () => [head, ...jobTable(jobs, Date.now(), process.stdout.columns)];
        const lines = flags.json ? jobs.map((job) => JSON.stringify(job)) : table();
        if (lines.length > 0) console.log(lines.join('\n'));
      }),
    ),
  );
}

function showCommand(finish: (code: ExitCode) => void): Command {
  const command = new Command('show')
    .description('show all details of a job')
    .argument('<id>', 'id of the job, see repo derivatives list', parseEntityId)
    .option('--json', 'print JSON, as in /admin/reports/derivatives/<id>')
    .addHelpText('after', AFTER_SHOW);
  return withSettings(command).action(async (id: number, flags: ShowFlags, self: Command) =>
    finish(
      await withRepository(flags, self, async ({ services, baseUrl }) => {
        const { reportJob } = await import('../jobs/report-jobs.ts');
        const { jobInFullJson } = await import('../representation/derivative-json.ts');
        const report = await reportJob(services, id, baseUrl);
        if (report === undefined) throw new CommandError(noJob(id));
        const job = jobInFullJson(report);
        console.log(flags.json ? JSON.stringify(job) : jobFacts(job).join('\n'));
      }),
    ),
  );
}

function retryCommand(finish: (code: ExitCode) => void): Command {
  const command = new Command('retry')
    .description('retry jobs now, with the full number of attempts')
    .argument('[ids...]', 'ids of jobs', collectIds)
    .option('--failed', 'all failed jobs');
  return withSettings(command).action(async (ids: number[] = [], flags: RetryFlags, self: Command) => {
    if (ids.length > 0 === Boolean(flags.failed)) self.error('give ids of jobs, or --failed');
    const code = await withRepository(flags, self, async ({ services }) => {
      const { retryFailedJobs, retryJob } = await import('../jobs/change-jobs.ts');
      if (flags.failed) report('Retrying', await retryFailedJobs(services));
      else await changeAll('Retrying', ids, (id) => retryJob(services, id));
    });
    finish(code);
  });
}

function cancelCommand(finish: (code: ExitCode) => void): Command {
  const command = new Command('cancel')
    .description('cancel jobs; the result of a running job is discarded')
    .argument('<ids...>', 'ids of jobs', collectIds);
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
  if (changed > 0 || refused.length === 0) report(verb, changed);
  if (refused.length > 0) throw new CommandError(refused.join('\n'));
}

function report(verb: string, changed: number): void {
  console.log(`${verb}: ${countInWords(changed, 'job')}.`);
}

function noJob(id: number): string {
  return `Unknown job ${id}; list the jobs with: repo derivatives list`;
}

function collectIds(text: string, ids: number[] = []): number[] {
  return [...ids, parseEntityId(text)];
}
