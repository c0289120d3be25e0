import type { Log } from '../base/log.ts';
import type { Executor } from './executor.ts';
import type { ClaimedJob } from './job.ts';
import { JobFailure, JobInterrupted, JobLost } from './job-failure.ts';
import type { DerivativeMetrics } from './metrics.ts';
import type { Outbox } from './outbox.ts';
import { type JobParts, runJob } from './run-job.ts';
import { settleFailure } from './settle-failure.ts';

export interface WorkParts<User> extends JobParts<User> {
  readonly outbox: Outbox;
  readonly metrics: DerivativeMetrics;
  readonly log: Log;
  readonly maxAttempts: number;
}

/**
 * Runs a job, settles it and logs one line. Never rejects: a job that cannot be settled runs again when its lease expires.
 */
export async function workOnJob<User>(
  parts: WorkParts<User>,
  job: ClaimedJob,
  executor: Executor,
  signal: AbortSignal,
): Promise<void> {
  const { outbox, metrics, log, maxAttempts } = parts;
  const startedAt = performance.now();
  const line = {
    msgId: `urn:uuid:${job.eventId}`,
    job: job.id,
    action: job.action,
    node: job.nodeId,
    media: job.mediaId ?? undefined,
    attempt: job.attempts + 1,
  };
  const took = () => ({ duration_ms: Math.round((performance.now() - startedAt) * 10) / 10 });
  const name = `${job.action} of node ${job.nodeId}`;
  try {
    const result = await runJob(parts, job, executor, signal);
    switch (result.type) {
      case 'made':
        metrics.count(job.action, 'made', (performance.now() - startedAt) / 1000);
        log.info(
          { ...line, ...took(), bytes: result.bytes, processor: result.processor, waited_s: job.waitedSeconds },
          `${name}: made`,
        );
        return;
      case 'lacks':
        await outbox.await(job, result.programs);
        log.debug({ ...line, missing: result.programs }, `${name}: waits for ${result.programs.join(' and ')}`);
        return;
      case 'unsettled': {
        const message = 'Members of this node have open derivatives.';
        const outcome = { status: undefined, message, stderr: undefined };
        await outbox.postpone(job, result.delaySeconds, outcome, false);
        log.debug(line, `${name}: waits for derivatives of its members`);
      }
    }
  } catch (error) {
    await settle(error).catch((cause: unknown) => {
      log.error({ ...line, ...took(), err: cause }, `${name}: cannot store the result of the attempt`);
    });
  }

  async function settle(error: unknown): Promise<void> {
    const settlement = settleFailure(error, { attempts: job.attempts, maxAttempts, random: Math.random });
    const facts = { ...line, ...took() };
    const logRelease = (reason: string) => log.info(facts, `${name}: released: ${reason}`);
    const isLost = (isOurs: boolean) => {
      if (!isOurs) logRelease(new JobLost().message);
      return !isOurs;
    };
    switch (settlement.type) {
      case 'release':
        await outbox.release([job]);
        logRelease(error instanceof JobInterrupted ? error.message : new JobLost().message);
        return;
      case 'drop':
        if (isLost(await outbox.drop(job, settlement.message))) return;
        metrics.count(job.action, 'dropped');
        log.info(facts, `${name}: dropped: ${settlement.message}`);
        return;
      case 'postpone': {
        const { outcome, delaySeconds, counts } = settlement;
        if (isLost(await outbox.postpone(job, delaySeconds, outcome, counts))) return;
        metrics.count(job.action, counts ? 'retried' : 'postponed');
        const again = { ...facts, ...shown(outcome), retry_in_s: Math.round(delaySeconds), ...reasonOf(error) };
        log.warn(again, `${name}: ${outcome.message}`);
        return;
      }
      case 'fail':
        if (isLost(await outbox.fail(job, settlement.outcome))) return;
        metrics.count(job.action, 'failed');
        log.error(
          { ...facts, ...shown(settlement.outcome), ...reasonOf(error) },
          `${name}: failed: ${settlement.outcome.message} Retry with: repo derivatives retry ${job.id}`,
        );
    }
  }
}

function shown({ status, stderr }: { status: number | undefined; stderr: string | undefined }) {
  return { ...(status !== undefined && { status }), ...(stderr !== undefined && { stderr }) };
}

/** Returns the original error for the log; for an error of this program with its stack. */
function reasonOf(error: unknown) {
  if (!(error instanceof JobFailure)) return { err: error };
  return error.cause === undefined ? {} : { cause: String(error.cause) };
}
