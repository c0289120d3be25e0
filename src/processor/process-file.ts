import { isAllowedSource } from '../base/allowed-sources.ts';
import { malformed } from '../base/errors.ts';
import type { RequestLog, RequestRecord } from '../http/request-log.ts';
import type { Caller } from './authenticate.ts';
import type { CommandRuns } from './command-runs.ts';
import { requireAllowedOptions } from './config/allowed-options.ts';
import { allCommands, type CommandDefinition } from './config/commands.ts';
import type { ProcessorConfig } from './config/config.ts';
import { clientGone, shuttingDown } from './errors.ts';
import { fetchSource } from './fetch-source.ts';
import { chooseCommand, requireAllowedType } from './match-command.ts';
import type { Metrics } from './metrics.ts';
import type { OwnSources } from './own-sources.ts';
import type { GetRequest, PostRequest, ProcessRequest } from './read-request.ts';
import { requireSafeWords } from './read-request.ts';
import type { CommandRun } from './run-command.ts';
import type { Lease, Slots } from './slots.ts';
import { emptySource, type Source } from './source.ts';
import { answerWithOutput } from './stream-output.ts';
import { type SubstitutionValues, substitute } from './substitute.ts';
import { openUpload } from './upload-source.ts';

const SOURCE_HEADER = 'Apix-Ldp-Resource';

/** The services that process files. */
export interface ProcessingServices {
  slots: Slots;
  metrics: Metrics;
  runs: CommandRuns;
  requestLog: Pick<RequestLog, 'finish'>;
  /** The environment of every command, before what its configuration and the caller add. */
  environment: Readonly<Record<string, string>>;
  /** The repository that the processor is part of, if any. */
  repository: OwnSources | undefined;
  /** Aborts when the shutdown time-out has passed: nothing is fetched or started afterwards. */
  stopping: AbortSignal;
}

/** One request with its caller and its configuration. */
export interface Job {
  request: Request;
  record: RequestRecord;
  caller: Caller;
  config: ProcessorConfig;
}

/** POST: pipes the body through the command for its type. */
export async function processUpload(asked: PostRequest, job: Job, services: ProcessingServices): Promise<Response> {
  const { request, record, config } = job;
  record.facts.msgId = asked.msgId;
  requireAllowedType(asked.sourceType, config.allowedMimeTypes);
  const { sourceUri } = asked;
  if (sourceUri !== undefined) {
    const isInHeader = Boolean(request.headers.get(SOURCE_HEADER));
    const where = isInHeader ? `The ${SOURCE_HEADER} header` : 'The event in X-Repo-Event';
    requireAllowedSource(URL.parse(sourceUri), config, where);
  }
  const command = chooseCommand(config, asked.sourceType, asked.destinationType);
  const args = argumentsFor(config, command, { ...asked, sourceUri });
  const source = openUpload(request, asked.sourceType, {
    maxBytes: config.maxBodyBytes,
    isFromNetwork: record.isFromNetwork,
    timeoutSeconds: config.sourceTimeoutSeconds,
    minRate: config.minUploadRate,
    onBytes: countBytesIn(record),
  });
  record.allowSilence();
  let lease: Lease;
  try {
    lease = await services.slots.acquire(command, request.signal);
  } catch (error) {
    await source.cancel();
    throw error;
  }
  return run({ command, args, source, lease, asked, job, services });
}

/**
 * GET: fetches the source and pipes it through the command for its type. An event without a source runs the command with
 * empty input.
 */
export async function processRemote(asked: GetRequest, job: Job, services: ProcessingServices): Promise<Response> {
  const { request, record, caller, config } = job;
  record.facts.msgId = asked.msgId;
  const { sourceUrl } = asked;
  const repository = sourceUrl && services.repository?.isOwn(sourceUrl) ? services.repository : undefined;
  if (sourceUrl && !repository) requireAllowedSource(sourceUrl, config, `The ${SOURCE_HEADER} header`);
  if (!allCommands(config).some((command) => command.allowInsecureArgs)) requireSafeWords(asked.args);
  record.allowSilence();
  const lease = await services.slots.acquire(undefined, request.signal);
  let source: Source | undefined;
  let command: CommandDefinition;
  let args: string[];
  try {
    source =
      sourceUrl === undefined
        ? emptySource(asked.sourceType)
        : await fetchSource(sourceUrl, {
            repository,
            authorization: caller.authorization,
            allowedSources: config.allowedSources,
            timeoutSeconds: config.sourceTimeoutSeconds,
            maxBytes: config.maxBodyBytes,
            signal: request.signal,
            stopping: services.stopping,
            onBytes: countBytesIn(record),
          });
    const sourceType = source.mediaType;
    if (sourceType !== undefined) requireAllowedType(sourceType, config.allowedMimeTypes);
    command = chooseCommand(config, sourceType, asked.destinationType);
    args = argumentsFor(config, command, { ...asked, sourceType, sourceUri: sourceUrl?.href });
    await lease.forCommand(command, request.signal);
  } catch (error) {
    lease.release();
    await source?.cancel();
    throw error;
  }
  return run({ command, args, source, lease, asked, job, services });
}

function requireAllowedSource(url: URL | null, config: ProcessorConfig, where: string): void {
  if (url !== null && isAllowedSource(url, config.allowedSources)) return;
  throw malformed(`${where} names a source that is not allowed here.`);
}

function argumentsFor(
  { extensions }: ProcessorConfig,
  command: CommandDefinition,
  values: Omit<SubstitutionValues, 'extensions'>,
): string[] {
  if (!command.allowInsecureArgs) requireSafeWords(values.args);
  if (command.allowedOptions !== undefined) requireAllowedOptions(values.args, command.allowedOptions);
  return substitute(command.args, { ...values, extensions });
}

interface RunOrder {
  command: CommandDefinition;
  args: string[];
  source: Source;
  lease: Lease;
  asked: ProcessRequest;
  job: Job;
  services: ProcessingServices;
}

/** Starts the command when the first bytes have arrived, and answers with its output. Owns source and lease. */
async function run({ command, args, source, lease, asked, job, services }: RunOrder): Promise<Response> {
  const { request, record, caller } = job;
  record.facts.command = command.cmd;
  let started: CommandRun;
  let first: Uint8Array | undefined;
  const creation = services.runs.createFolder();
  try {
    first = await source.read();
    const folder = await creation;
    if (request.signal.aborted) throw clientGone();
    if (services.stopping.aborted) throw shuttingDown();
    const env = { ...services.environment, ...command.env, ...caller.environment };
    started = services.runs.start({ command, args, env, folder });
  } catch (error) {
    lease.release();
    await Promise.all([services.runs.discard(creation), source.cancel()]);
    throw request.signal.aborted ? clientGone(error) : error;
  }
  void started.ended.then(() => lease.release());
  const onAbort = () => started.abandon();
  request.signal.addEventListener('abort', onAbort, { once: true });
  void started.feed(source, first);
  return answerWithOutput(started, {
    record,
    contentType: command.contentType ?? asked.destinationType,
    onEnd(outcome) {
      request.signal.removeEventListener('abort', onAbort);
      services.metrics.countRun(command.cmd, outcome);
    },
    onStreamEnd: () => services.requestLog.finish(record, 200),
  });
}

function countBytesIn(record: RequestRecord): (count: number) => void {
  return (count) => {
    record.bytesIn += count;
  };
}
