import { ServiceError } from '../base/errors.ts';
import { callProcessor, type ProcessorAnswer } from './call-processor.ts';
import { absoluteEvent, type DerivativeContent } from './derivative-event.ts';
import type { Executor } from './executor.ts';
import type { ClaimedJob } from './job.ts';
import { JobFailure, JobOver } from './job-failure.ts';
import { EMBEDDED_ADDRESS } from './processor-address.ts';
import type { DerivativeAction, DerivativeRules } from './rules.ts';

/** Maximum delay before a job whose members have open jobs is checked again. */
const UNSETTLED_S = 15;

/** A derivative to store: an answer with its request. */
export interface Derivative<User> {
  readonly job: ClaimedJob;
  readonly action: DerivativeAction;
  readonly content: DerivativeContent;
  readonly user: User;
  readonly answer: ProcessorAnswer;
  readonly signal: AbortSignal;
}

/** The parts of the repository that a job uses. */
export interface JobParts<User> {
  readonly rules: DerivativeRules;
  /** The address of this repository for processors; no slash at its end. */
  readonly baseUrl: () => string;
  /** Returns the user of a job. Throws a permanent JobFailure for a deleted or blocked one. */
  readonly findUser: (id: number) => Promise<User>;
  /** Returns a token of that user. */
  readonly issueToken: (user: User) => Promise<string>;
  /** Returns whether members of a node have open jobs, which come before a derivative of all members. */
  readonly hasUnsettledMembers: (nodeId: number) => Promise<boolean>;
  /** Returns whether members of a node have pages that the user may view. */
  readonly hasPages: (nodeId: number, user: User) => Promise<boolean>;
  /** Stores an answer as a PUT of the user does, and ends the job in the same transaction. Returns the number of bytes. */
  readonly save: (derivative: Derivative<User>) => Promise<number>;
}

/** The result of a job: stored, or waiting for programs or for jobs of members. */
type JobResult =
  | { readonly type: 'made'; readonly bytes: number; readonly processor: string }
  | { readonly type: 'lacks'; readonly programs: readonly string[] }
  | { readonly type: 'unsettled'; readonly delaySeconds: number };

/**
 * Runs a job: requests its derivative and stores it (spec: rest-behaviour, 9.2). Throws JobFailure, JobOver, the reason of
 * `signal`, and the errors of storing.
 */
export async function runJob<User>(
  parts: JobParts<User>,
  job: ClaimedJob,
  executor: Executor,
  signal: AbortSignal,
): Promise<JobResult> {
  const action = parts.rules.actions.get(job.action);
  if (action === undefined) throw new JobOver(`The rules no longer have the action ${job.action}.`);
  const event = absoluteEvent(job.event, parts.baseUrl());
  const { content } = event.attachment;
  const programs = executor.missingFor(job.sourceType, content.mimetype);
  if (programs.length > 0) return { type: 'lacks', programs };
  if (action.ofMembers && (await parts.hasUnsettledMembers(job.nodeId)))
    return { type: 'unsettled', delaySeconds: Math.min(UNSETTLED_S, Math.max(1, action.ofMembers.settleSeconds)) };
  const user = await parts.findUser(job.userId);
  if (action.ofMembers && !(await parts.hasPages(job.nodeId, user)))
    throw new JobOver('No member of this node has an image that could become a page.');
  const token = await parts.issueToken(user);
  return executor.run(async ({ address, send, noteAnswer, noteEnd, stderrLine, exceeded }) => {
    try {
      const answer = await callProcessor(send, {
        address,
        sourceUrl: content.source_uri,
        mimeType: content.mimetype,
        args: content.args ?? '',
        event: JSON.stringify(event),
        token,
        timeoutSeconds: action.timeoutSeconds,
        signal,
      });
      noteAnswer();
      try {
        const noted = { ...answer, body: notingEnd(answer.body, noteEnd) };
        const bytes = await parts.save({ job, action, content, user, answer: noted, signal });
        return { type: 'made', bytes, processor: address === EMBEDDED_ADDRESS ? 'embedded' : address };
      } finally {
        await answer.cancel();
      }
    } catch (error) {
      const failure = transferErrorOf(error);
      if (!(failure instanceof JobFailure)) throw failure;
      throw beyondLimit(failure, exceeded()).withStderr(stderrLine());
    }
  });
}

/** Passes the bytes on, and calls `noteEnd` at their end. */
async function* notingEnd(body: AsyncIterable<Uint8Array>, noteEnd: () => void): AsyncGenerator<Uint8Array> {
  yield* body;
  noteEnd();
}

/** Makes a failure permanent if a limit was exceeded, which shows only as a truncated answer once it has begun. */
function beyondLimit(failure: JobFailure, exceeded: string | undefined): JobFailure {
  if (exceeded === undefined || failure.kind === 'permanent') return failure;
  return new JobFailure('permanent', exceeded, { status: failure.status, cause: failure });
}

/** Returns the error that ended a body, which storing wraps as `client-gone`. */
function transferErrorOf(error: unknown): unknown {
  const isWrapped = error instanceof ServiceError && error.kind === 'client-gone' && error.cause !== undefined;
  return isWrapped ? transferErrorOf(error.cause) : error;
}
