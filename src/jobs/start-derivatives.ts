import type { Registry } from 'prom-client';
import { issueToken } from '../auth/issue-token.ts';
import type { SigningKey } from '../auth/signing-key.ts';
import { Cache } from '../base/cache.ts';
import { folderNameOf, hasEnded, parseFolderName, thisProcess } from '../base/process-identity.ts';
import type { Actor, ActorFacts } from '../repository/actor.ts';
import type { FindAccount } from '../repository/users/find-account.ts';
import { createExecutors, type ExecutorOptions } from './create-executors.ts';
import { startDispatcher } from './dispatcher.ts';
import { hasUnsettledMembers } from './find-jobs.ts';
import { JobFailure } from './job-failure.ts';
import type { JobServices } from './job-planner.ts';
import { hasPages } from './list-pages.ts';
import { createDerivativeMetrics } from './metrics.ts';
import { createOutbox, DEFAULT_PACE, type Pace, repairTimes } from './outbox.ts';
import type { DerivativeRules } from './rules.ts';
import { type StoreParts, storeDerivative } from './store-derivative.ts';
import {
  followRules,
  forgetEnded,
  releaseOrphans,
  resumeMakeable,
  resumeWaiting,
  type WaitingJobs,
} from './tend-jobs.ts';
import type { TermUris } from './term-uris.ts';
import { type WorkParts, workOnJob } from './work-on-job.ts';

/** Long enough for a job that waits for a processor, short enough to limit the use of a leaked token. */
const TOKEN_EXPIRY_S = 900;
/** Time within which a user's jobs share a token: signing costs more than storing a thumbnail. */
const TOKEN_REUSE_MS = 60_000;
const MAX_TOKEN_BYTES = 256 * 1024;
/** Estimated bytes of a token. */
const TOKEN_BYTES = 1_000;

/** The parts of the repository that jobs work with. */
interface JobParts extends StoreParts {
  readonly services: JobServices;
  readonly signingKey: SigningKey;
  readonly metrics: Registry;
  readonly findAccount: FindAccount;
  readonly makeActor: (facts: ActorFacts) => Actor;
}

interface DerivativesOptions extends ExecutorOptions {
  readonly repository: JobParts;
  /** From the server configuration. */
  readonly config: ExecutorOptions['config'] & {
    /** The maximum number of attempts per job. */
    readonly maxAttempts: number;
  };
  /** The address of this repository for processors. */
  readonly baseUrl: string;
  /** Default: DEFAULT_PACE. */
  readonly pace?: Pace | undefined;
}

/** The user of a job, with the version of the account that its token names (`Account`). */
interface JobUser extends Actor {
  readonly credentialsChanged: number;
}

/** The running dispatcher of derivatives. */
export interface Derivatives {
  stop(timeoutMs: number): Promise<void>;
}

/** Starts to run the jobs of a repository, including those of earlier processes. */
export async function startDerivatives(options: DerivativesOptions): Promise<Derivatives> {
  const { repository, config, processor, baseUrl, log, pace = DEFAULT_PACE } = options;
  const { services, signingKey } = repository;
  const { database, derivatives } = services;
  const self = thisProcess();
  const { actions } = derivatives.rules;
  const settleSecondsOf = (action: string) => actions.get(action)?.ofMembers?.settleSeconds ?? 0;
  const longestSettle = Math.max(0, ...[...actions.keys()].map(settleSecondsOf));
  const outbox = createOutbox(database, folderNameOf(self), pace, settleSecondsOf);
  const executors = createExecutors(derivatives.rules, options);
  const metrics = createDerivativeMetrics(repository.metrics, () => dispatcher.running);
  await followRules(database, derivatives.rules);
  const missing = await missingTerms(derivatives.rules, derivatives.terms);
  if (missing.length > 0)
    log.warn({ missing }, `derivatives whose use is no taxonomy term are not made: ${missing.join(', ')}`);
  logResumed(await resumeMakeable(database, canBeMade));
  const findUser = async (id: number): Promise<JobUser> => {
    const user = await repository.findAccount.byId(id);
    if (user?.status) return { ...repository.makeActor(user), credentialsChanged: user.credentialsChanged };
    const problem = user === undefined ? ' has been deleted' : `, ${user.name}, is blocked`;
    throw new JobFailure('permanent', `The user of this job${problem}.`);
  };
  const parts: WorkParts<JobUser> = {
    rules: derivatives.rules,
    outbox,
    metrics,
    log,
    maxAttempts: config.maxAttempts,
    baseUrl: () => baseUrl,
    findUser,
    issueToken: createTokens(({ id, name, roles, credentialsChanged }, now) =>
      issueToken(
        {
          uid: id,
          name,
          roles,
          credentialsChanged,
          issuer: baseUrl,
          now,
          expirySeconds: TOKEN_EXPIRY_S,
        },
        signingKey,
      ),
    ),
    hasUnsettledMembers: (nodeId) => hasUnsettledMembers(database, nodeId),
    hasPages: (nodeId, user) => hasPages(services, user, nodeId),
    async save(derivative) {
      const { job } = derivative;
      // The user's permissions may have changed since the request to the processor.
      const user = await findUser(job.userId);
      return storeDerivative(repository, { ...derivative, user }, outbox.finish(job));
    },
  };
  const dispatcher = startDispatcher({
    outbox,
    watch: database.watch,
    isShared: database.isShared,
    executors,
    pace,
    log,
    work: (job, executor, signal) => workOnJob(parts, job, executor, signal),
    async upkeep(inHand) {
      const released = await releaseOrphans(database, (owner) => {
        const other = parseFolderName(owner);
        return other !== undefined && other.host === self.host && hasEnded(other, self);
      });
      if (released > 0) log.info({ released }, 'released derivatives of a process that has ended');
      if (processor) logResumed(await resumeWaiting(database, (program) => Bun.which(program) !== null));
      await repairTimes(database, [...executors.keys()], inHand, pace, longestSettle);
      await forgetEnded(database);
    },
  });
  derivatives.onWake(dispatcher.wake);
  processor?.onChange(() => {
    resumeMakeable(database, canBeMade)
      .then(logResumed)
      .then(dispatcher.wake, (error: unknown) =>
        log.warn({ err: error }, 'cannot queue derivatives that waited for programs'),
      );
  });
  return {
    stop(timeoutMs) {
      const { running } = dispatcher;
      const seconds = Math.round(timeoutMs / 1_000);
      if (running > 0) log.info({ running }, `stopping: waiting at most ${seconds} s for running derivatives`);
      return dispatcher.stop(timeoutMs);
    },
  };

  /** Returns whether this process can run a waiting job. A job of a removed action ends when it is claimed. */
  function canBeMade({ action: name, pool, sourceType }: WaitingJobs): boolean {
    const executor = executors.get(pool);
    const action = actions.get(name);
    return (
      executor !== undefined && (action === undefined || executor.missingFor(sourceType, action.mimeType).length === 0)
    );
  }

  function logResumed(resumed: number): void {
    if (resumed > 0) log.info({ resumed }, 'queued derivatives that waited for programs');
  }
}

/** Issues tokens for users, and reuses each for a short time. */
function createTokens(issue: (user: JobUser, now: number) => Promise<string>): (user: JobUser) => Promise<string> {
  const tokens = new Cache<Promise<string>>({ maxBytes: MAX_TOKEN_BYTES, bytesOf: () => TOKEN_BYTES });
  return (user) => {
    const key = JSON.stringify([user.id, user.name, user.credentialsChanged]);
    const known = tokens.get(key);
    if (known !== undefined) return known;
    const now = Date.now();
    const token = issue(user, now);
    tokens.set(key, token, { expiresAtMs: now + TOKEN_REUSE_MS });
    return token;
  };
}

/** Returns the uses of actions of enabled contexts that are the URI of no term: their derivatives are never created. */
async function missingTerms({ actions, contexts }: DerivativeRules, terms: TermUris): Promise<string[]> {
  const taken = new Set(contexts.filter(({ isEnabled }) => isEnabled).flatMap((context) => context.actions));
  const uris = new Set(
    [...actions.values()]
      .filter(({ name }) => taken.has(name))
      .flatMap(({ sourceTerm, derivativeTerm }) => [sourceTerm, derivativeTerm]),
  );
  const missing: string[] = [];
  for (const uri of uris) if ((await terms.first(uri)) === undefined) missing.push(uri);
  return missing;
}
