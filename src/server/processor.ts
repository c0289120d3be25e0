import { basename } from 'node:path';
import type { Registry } from 'prom-client';
import { environmentForPrograms, environmentForScripts } from '../base/env.ts';
import { codeOf } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import { settlesWithin } from '../base/settles-within.ts';
import { ConfigError } from '../base/yaml-file.ts';
import type { TlsFiles } from '../config/server-config.ts';
import { createRequestLog, RequestRecord } from '../http/request-log.ts';
import { createProcessorApp } from '../processor/app.ts';
import { CommandRuns } from '../processor/command-runs.ts';
import type { ProcessorConfig } from '../processor/config/config.ts';
import { nameOfSource, type ProcessorConfigSource } from '../processor/config/load-config.ts';
import { findProgram, neededPrograms, packagesOf } from '../processor/config/programs.ts';
import { exceededLimit, shuttingDown } from '../processor/errors.ts';
import { hasCommand, missingFor } from '../processor/match-command.ts';
import { createMetrics } from '../processor/metrics.ts';
import type { OwnSources } from '../processor/own-sources.ts';
import { Slots } from '../processor/slots.ts';
import { lastLine } from '../processor/stderr-tail.ts';
import { openWorkFolders, type WorkFolders } from '../processor/work-folders.ts';
import { activateConfig, loadForSeat } from './active-processor-config.ts';
import { createInFlight } from './in-flight.ts';
import { openProcessorPort, type ProcessorPort } from './processor-port.ts';
import type { CommandProgram } from './status/tool-versions.ts';
import { openCertificate } from './tls/active-certificate.ts';
import type { OpenPort } from './tls/open-port.ts';
import { shareMetrics, type WorkerMetrics } from './workers/gather-metrics.ts';
import { isFirst, type Seat } from './workers/seat.ts';

/** Maximum wait for ended children and the last bytes of answers after the shutdown time-out. */
const LAST_WAIT_MS = 6_000;

export interface ProcessorOptions {
  source: ProcessorConfigSource;
  log: Log;
  /** The repository that it is part of. Its files are read without the network. */
  repository?: OwnSources;
  /** A second registry for its metrics. */
  metricsOfProcess?: Registry;
  /** Those of all workers; undefined for a single process. */
  workerMetrics?: WorkerMetrics | undefined;
  /** The worker that it is part of. The limits of the configuration are for all workers together. */
  seat?: Seat | undefined;
  /** The interval between searches for missing programs, in milliseconds. Default: a minute. */
  searchIntervalMs?: number;
}

/** A processor, with or without a port of its own. */
export interface Processor {
  /** Maximum number of files processed at a time. */
  readonly maxConcurrent: number;
  /** Answers a request of the same process as if it had come through the port. */
  call(request: Request): Promise<CallAnswer>;
  /**
   * Returns the missing programs of the command for these types. Empty if none is missing, and if there is no such
   * command: the call then says why.
   */
  missingFor(sourceType: string, destinationType: string): readonly string[];
  /** Returns true if there is a command for exactly this destination type, and its programs are installed. */
  offers(sourceType: string, destinationType: string): boolean;
  /** Returns the programs that its commands need, as they are installed now. */
  programs(): readonly CommandProgram[];
  /** Calls `listener` after each change of the active configuration. */
  onChange(listener: () => void): void;
  /** Opens a port. Throws ListenError. */
  listen(options: ProcessorPort): URL;
  /** Reads the configuration again. Logs the errors of an invalid one and keeps the old one. */
  reload(): Promise<void>;
  /** Waits at most `timeoutSeconds` for running commands, ends the others, and closes the port. */
  stop(timeoutSeconds: number): Promise<void>;
  /** Closes the port of a processor without running commands. */
  close(): Promise<void>;
  /** Kills all commands without waiting. */
  kill(): void;
}

/** The answer to a call, with details for the same process only. */
export interface CallAnswer {
  /** Reading a truncated body fails without a reason: the log has it. */
  response: Response;
  /**
   * Returns the last line of the command's standard error, at most 500 characters; undefined if there is none. Call it
   * when the body of the response has ended or failed.
   */
  stderrLine(): string | undefined;
  /** Returns the message about an exceeded limit; undefined if there was none. Call it when `stderrLine` is called. */
  exceeded(): string | undefined;
}

interface RunningProcessor extends Processor {
  url: URL;
}

/** Starts the processor mode. Throws ConfigError, CertificateError or ListenError. */
export async function startProcessor({
  source,
  tlsFiles: files,
  log,
  ...where
}: Omit<ProcessorPort, 'tls'> & {
  source: ProcessorConfigSource;
  tlsFiles?: TlsFiles | undefined;
  log: Log;
}): Promise<RunningProcessor> {
  const tls = files && (await openCertificate({ files, log, tells: true, baseUrl: undefined }));
  const processor = await createProcessor({ source, log });
  const url = processor.listen({ ...where, tls });
  const { reload } = processor;
  return Object.assign(processor, { url, reload: async () => void (await Promise.all([reload(), tls?.reload(true)])) });
}

/** Creates a processor without a port. Throws ConfigError. */
export async function createProcessor(options: ProcessorOptions): Promise<Processor> {
  const { source, log, repository, metricsOfProcess, seat, searchIntervalMs } = options;
  const name = nameOfSource(source);
  const configOptions = { source, seat, log, searchIntervalMs };
  const config = await loadForSeat(configOptions);
  const runs = new CommandRuns(await openFolders(config, name), log, source.asOriginal ? process.cwd() : undefined);
  const { running } = runs;
  const active = activateConfig(config, configOptions);
  const slots = new Slots(config);
  active.onChange(() => slots.configure(active.state.config));
  const metrics = createMetrics(slots, metricsOfProcess, (registry) =>
    shareMetrics(registry, 'processor', options.workerMetrics),
  );
  const inFlight = createInFlight();
  const stopping = new AbortController();
  const requestLog = createRequestLog((request) => app.handle(request), log, metrics.countRequest);
  const app = createProcessorApp(() => active.state, {
    slots,
    metrics,
    runs,
    requestLog,
    repository,
    environment: source.asOriginal ? environmentForScripts() : environmentForPrograms(),
    stopping: stopping.signal,
  });
  let port: OpenPort | undefined;
  /** True if the port is open and its host follows from the configuration. */
  let isListenedByDefault = false;

  return {
    get maxConcurrent() {
      return active.state.config.maxConcurrent;
    },
    async call(request) {
      const record = new RequestRecord(request, undefined);
      const response = await inFlight.follow(requestLog.answer(request, undefined, record));
      return {
        response,
        stderrLine: () => lastLine(String(record.facts.stderr ?? '')),
        exceeded: () => exceededLimit(record.failure),
      };
    },
    missingFor: (sourceType, destinationType) => missingFor(active.state.config, sourceType, destinationType),
    offers: (sourceType, destinationType) => hasCommand(active.state.config, sourceType, destinationType),
    programs: () =>
      neededPrograms(active.state.config).map((name) => ({
        name: basename(name),
        path: findProgram(name) ?? undefined,
        packages: packagesOf(name),
      })),
    onChange: active.onChange,
    listen(where) {
      const { answer } = requestLog;
      port = openProcessorPort(where, {
        log,
        name,
        config: () => active.state.config,
        isAnnounced: isFirst(seat),
        answer,
      });
      isListenedByDefault = where.host === undefined;
      return port.url;
    },
    async reload() {
      const outcome = await active.reload((next) =>
        isListenedByDefault && active.state.config.jwksUri && !next.jwksUri
          ? 'it drops jwksUri, which would open this port to everyone; restart to do that'
          : undefined,
      );
      metrics.countReload(outcome);
    },
    async stop(timeoutSeconds) {
      active.stop();
      const message = `stopping: waiting at most ${timeoutSeconds} s for running commands`;
      log.info({ running: running.length, waiting: slots.waiting }, message);
      slots.close();
      const closed = Promise.all([port?.stop(), inFlight.settled(), ...running.map((run) => run.ended)]);
      if (!(await settlesWithin(closed, timeoutSeconds * 1000))) {
        log.warn({ running: running.length }, 'stopping: ending the remaining commands');
        stopping.abort();
        const left = [...running];
        for (const run of left) run.fail(shuttingDown());
        await settlesWithin(Promise.all([closed, ...left.map((run) => run.ended)]), LAST_WAIT_MS);
      }
      await port?.stop(true);
      await runs.close(LAST_WAIT_MS);
      log.info('stopped');
    },
    async close() {
      active.stop();
      await port?.stop(true);
    },
    kill() {
      active.stop();
      for (const run of running) run.kill();
      log.warn('stopped at once');
    },
  };
}

/** Opens the parent of the commands' working folders. Throws ConfigError. */
async function openFolders({ workFolder }: ProcessorConfig, name: string): Promise<WorkFolders> {
  try {
    return await openWorkFolders(workFolder);
  } catch (error) {
    const code = codeOf(error);
    if (code === undefined) throw error;
    const why = `workFolder: commands cannot work in ${workFolder} (${code}); name a folder that may be written to`;
    throw new ConfigError(name, [{ line: 1, message: why }]);
  }
}
