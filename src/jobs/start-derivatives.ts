import type { Registry } from 'prom-client';
import { issueToken } from '../auth/issue-token.ts';
import type { SigningKey } from '../auth/signing-key.ts';
import { Cache } from '../base/cache.ts';
import type { Log } from '../base/log.ts';
import { folderNameOf, hasEnded, parseFolderName, thisProcess } from '../base/process-identity.ts';
import type { Actor, ActorFacts } from '../repository/actor.ts';
import type { FindAccount } from '../repository/users/find-account.ts';
import { startDispatcher } from './dispatcher.ts';
import { createEmbeddedMaker, type EmbeddedProcessor } from './embedded-maker.ts';
import { hasUnsettledMembers } from './find-jobs.ts';
import { JobFailure } from './job-failure.ts';
import type { JobServices } from './job-planner.ts';
import { hasPages } from './list-pages.ts';
import type { Maker } from './maker.ts';
import { createDerivativeMetrics } from './metrics.ts';
import { createNetworkMaker } from './network-maker.ts';
import { createOutbox, repairTimes } from './outbox.ts';
import { type Pace, USUAL_PACE } from './pace.ts';
import { DEFAULT_POOL, EMBEDDED_POOL, poolOf, scanPool } from './pools.ts';
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

/** Long enough for a job that waits for its turn at a processor, short enough to be worthless when it turns up later. */
const TOKEN_EXPIRY_S = 900;
/** Signing costs more than storing a thumbnail: within this time a user's jobs share a token. */
const TOKEN_REUSE_MS = 60_000;
const MAX_TOKEN_BYTES = 256 * 1024;
/** Estimated bytes of a token. */
const TOKEN_BYTES = 1_000;

/** The parts of the repository that jobs work with. */
export interface JobParts extends StoreParts {
  readonly services: JobServices;
  readonly signingKey: SigningKey;
  readonly metrics: Registry;
  readonly findAccount: FindAccount;
  readonly makeActor: (facts: ActorFacts) => Actor;
}

export interface DerivativesOptions {
  readonly repository: JobParts;
  /** From the server configuration. */
  readonly config: {
    /** Addresses of interchangeable processors; none: the embedded processor is used. */
    readonly processors: readonly string[];
    /** The maximum number of simultaneous jobs; undefined: chosen by the processors. */
    readonly maxConcurrent: number | undefined;
    /** The maximum number of attempts per job. */
    readonly maxAttempts: number;
  };
  /** The processor of the same process, if there is one. */
  readonly processor: EmbeddedProcessor | undefined;
  /** Where processors reach this repository. */
  readonly baseUrl: string;
  readonly log: Log;
  /** Default: USUAL_PACE. */
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

/** Starts to work on the jobs of a repository, including those that earlier processes left. */
export async function startDerivatives(options: DerivativesOptions): Promise<Derivatives> {
  const { repository, config, processor, baseUrl, log, pace = USUAL_PACE } = options;
  const { services, signingKey } = repository;
  const { database, derivatives } = services;
  const self = thisProcess();
  const { actions } = derivatives.rules;
  const settleSecondsOf = (action: string) => actions.get(action)?.ofMembers?.settleSeconds ?? 0;
  const longestSettle = Math.max(0, ...[...actions.keys()].map(settleSecondsOf));
  const outbox = createOutbox(database, folderNameOf(self), pace, settleSecondsOf);
  const makers = createMakers(options);
  const metrics = createDerivativeMetrics(repository.metrics, () => dispatcher.running);
  await followRules(database, derivatives.rules);
  const missing = await missingTerms(derivatives.rules, derivatives.terms);
  if (missing.length > 0)
    log.warn(
      { missing },
      `derivatives with a use that no taxonomy term stands for are not made: ${missing.join(', ')}`,
    );
  tellResumed(await resumeMakeable(database, canBeMade));
  const findUser = async (id: number): Promise<JobUser> => {
    const user = await repository.findAccount.byId(id);
    if (user?.status) return { ...repository.makeActor(user), credentialsChanged: user.credentialsChanged };
    const who = user === undefined ? 'who has been deleted' : `${user.name}, who is blocked`;
    throw new JobFailure('permanent', `This is done for a user ${who}.`);
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
      // What the user may do can have changed since the processor was asked.
      const user = await findUser(job.userId);
      return storeDerivative(repository, { ...derivative, user }, outbox.finish(job));
    },
  };
  const dispatcher = startDispatcher({
    outbox,
    watch: database.watch,
    isShared: database.isShared,
    makers,
    pace,
    log,
    work: (job, maker, signal) => workOnJob(parts, job, maker, signal),
    async upkeep() {
      const released = await releaseOrphans(database, (owner) => {
        const other = parseFolderName(owner);
        return other !== undefined && other.host === self.host && hasEnded(other, self);
      });
      if (released > 0) log.info({ released }, 'took up derivatives that a process which has ended had begun');
      if (processor) tellResumed(await resumeWaiting(database, (program) => Bun.which(program) !== null));
      await repairTimes(database, [...makers.keys()], pace, longestSettle);
      await forgetEnded(database);
    },
  });
  derivatives.onWake(dispatcher.wake);
  processor?.onChange(() => {
    resumeMakeable(database, canBeMade)
      .then(tellResumed)
      .then(dispatcher.wake, (error: unknown) =>
        log.warn({ err: error }, 'derivatives that waited for programs cannot be taken up at present'),
      );
  });
  return {
    stop(timeoutMs) {
      const { running } = dispatcher;
      const seconds = Math.round(timeoutMs / 1_000);
      if (running > 0)
        log.info({ running }, `stopping: waiting at most ${seconds} s for derivatives that are being made`);
      return dispatcher.stop(timeoutMs);
    },
  };

  /** By whoever has its pool here. What no action makes any more is ended by whoever takes it. */
  function canBeMade({ action: name, pool, sourceType }: WaitingJobs): boolean {
    const maker = makers.get(pool);
    const action = actions.get(name);
    return maker !== undefined && (action === undefined || maker.missingFor(sourceType, action.mimeType).length === 0);
  }

  function tellResumed(resumed: number): void {
    if (resumed > 0) log.info({ resumed }, 'derivatives that waited for programs are taken up');
  }
}

/** One maker for each pool that this process can serve. */
function createMakers({ repository, config, processor, log }: DerivativesOptions): ReadonlyMap<string, Maker> {
  const makers = new Map<string, Maker>();
  const { maxConcurrent, processors } = config;
  const embedded = processor && createEmbeddedMaker(processor, maxConcurrent);
  if (embedded) makers.set(EMBEDDED_POOL, embedded);
  if (processors.length > 0) makers.set(DEFAULT_POOL, createNetworkMaker(processors, maxConcurrent, log));
  else if (embedded) makers.set(DEFAULT_POOL, embedded);
  for (const action of repository.services.derivatives.rules.actions.values()) {
    const pool = poolOf(action);
    if (makers.has(pool) || !Array.isArray(action.processor)) continue;
    makers.set(pool, createNetworkMaker(action.processor, maxConcurrent, log));
  }
  for (const [pool, maker] of [...makers]) makers.set(scanPool(pool), maker);
  return makers;
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

/** Returns the URIs that actions of enabled contexts name as uses and that no term has: their derivatives are never created. */
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
