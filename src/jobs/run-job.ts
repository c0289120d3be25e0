import { ServiceError } from '../base/errors.ts';
import { callProcessor, type ProcessorAnswer } from './call-processor.ts';
import { absoluteEvent, type DerivativeContent } from './derivative-event.ts';
import type { ClaimedJob } from './job.ts';
import { JobFailure, JobOver } from './job-failure.ts';
import type { Maker } from './maker.ts';
import { EMBEDDED_ADDRESS } from './processor-address.ts';
import type { DerivativeAction, DerivativeRules } from './rules.ts';

/** How long the members of a node are given at most that still have work before they are looked at again. */
const UNSETTLED_S = 15;

/** Something that is to be stored: an answer, and what it is the answer to. */
export interface Derivative<User> {
  readonly job: ClaimedJob;
  readonly action: DerivativeAction;
  readonly content: DerivativeContent;
  readonly user: User;
  readonly answer: ProcessorAnswer;
  readonly signal: AbortSignal;
}

/** What a job needs of the repository around it. */
export interface JobParts<User> {
  readonly rules: DerivativeRules;
  /** Where processors reach this repository; no slash at its end. */
  readonly baseUrl: () => string;
  /** The user that a job is done for; throws a permanent JobFailure for one who may not do anything any more. */
  readonly findUser: (id: number) => Promise<User>;
  /** A token of that user that is good for a while. */
  readonly issueToken: (user: User) => Promise<string>;
  /** Whether members of a node still have work before what is made of all of them can be. */
  readonly hasUnsettledMembers: (nodeId: number) => Promise<boolean>;
  /** Whether there is anything that the user may see to make of the members of a node. */
  readonly hasPages: (nodeId: number, user: User) => Promise<boolean>;
  /** Stores an answer as a PUT of the user would, and ends the job in the same transaction; answers how many bytes there were. */
  readonly save: (derivative: Derivative<User>) => Promise<number>;
}

/** What came of a job: it was stored, or has to wait for programs, or for others. */
export type JobResult =
  | { readonly type: 'made'; readonly bytes: number; readonly processor: string }
  | { readonly type: 'lacks'; readonly programs: readonly string[] }
  | { readonly type: 'unsettled'; readonly delaySeconds: number };

/**
 * Does one job: has its derivative made and stores it (spec: rest-behaviour, 9.2). Throws JobFailure, JobOver, the
 * reason of `signal`, and whatever storing throws.
 */
export async function runJob<User>(
  parts: JobParts<User>,
  job: ClaimedJob,
  maker: Maker,
  signal: AbortSignal,
): Promise<JobResult> {
  const action = parts.rules.actions.get(job.action);
  if (action === undefined) throw new JobOver(`The rules have no action ${job.action} any more.`);
  const event = absoluteEvent(job.event, parts.baseUrl());
  const { content } = event.attachment;
  const programs = maker.missingFor(job.sourceType, content.mimetype);
  if (programs.length > 0) return { type: 'lacks', programs };
  if (action.ofMembers && (await parts.hasUnsettledMembers(job.nodeId)))
    return { type: 'unsettled', delaySeconds: Math.min(UNSETTLED_S, Math.max(1, action.ofMembers.settleSeconds)) };
  const user = await parts.findUser(job.userId);
  if (action.ofMembers && !(await parts.hasPages(job.nodeId, user)))
    throw new JobOver('No member of this node has an image that could become a page.');
  const token = await parts.issueToken(user);
  return maker.run(async ({ address, send, noteAnswer, noteEnd, stderrLine, exceeded }) => {
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
        const told = { ...answer, body: tellingEnd(answer.body, noteEnd) };
        const bytes = await parts.save({ job, action, content, user, answer: told, signal });
        return { type: 'made', bytes, processor: address === EMBEDDED_ADDRESS ? 'embedded' : address };
      } finally {
        await answer.cancel();
      }
    } catch (error) {
      const failure = withoutTransfer(error);
      if (!(failure instanceof JobFailure)) throw failure;
      throw beyondLimit(failure, exceeded()).withStderr(stderrLine());
    }
  });
}

/** The same bytes, and word of their end. */
async function* tellingEnd(body: AsyncIterable<Uint8Array>, noteEnd: () => void): AsyncGenerator<Uint8Array> {
  yield* body;
  noteEnd();
}

/** Makes a failure permanent if a limit was exceeded, which shows only as a truncated answer once it has begun. */
function beyondLimit(failure: JobFailure, exceeded: string | undefined): JobFailure {
  if (exceeded === undefined || failure.kind === 'permanent') return failure;
  return new JobFailure('permanent', exceeded, { status: failure.status, cause: failure });
}

/** What ended a body: whoever stores one says of it only that it broke off. */
function withoutTransfer(error: unknown): unknown {
  const isBrokenOff = error instanceof ServiceError && error.kind === 'client-gone' && error.cause !== undefined;
  return isBrokenOff ? withoutTransfer(error.cause) : error;
}
