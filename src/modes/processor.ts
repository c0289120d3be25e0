import type { Registry } from 'prom-client';
import { environmentForPrograms, environmentForScripts } from '../base/env.ts';
import { ServiceError } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import { settlesWithin } from '../base/settles-within.ts';
import { ConfigError } from '../base/yaml-file.ts';
import { renderPlainText } from '../http/error-plugin.ts';
import { statusOf } from '../http/error-status.ts';
import { createRequestLog, RequestRecord, recordOf } from '../http/request-log.ts';
import { createProcessorApp } from '../processor/app.ts';
import { CommandRuns } from '../processor/command-runs.ts';
import type { ProcessorConfig } from '../processor/config.ts';
import { exceededLimit, shuttingDown } from '../processor/errors.ts';
import { missingFor } from '../processor/match-command.ts';
import { createMetrics } from '../processor/metrics.ts';
import { isLoopback, refuseForeign } from '../processor/own-host.ts';
import type { OwnSources } from '../processor/own-sources.ts';
import type { ProcessingServices } from '../processor/process-file.ts';
import { listInWords } from '../processor/program-packages.ts';
import { Slots } from '../processor/slots.ts';
import { lastLine } from '../processor/tail.ts';
import { announceProcessor, EVERY_ADDRESS, THIS_MACHINE } from './announce-processor.ts';
import { createInFlight } from './in-flight.ts';
import { createProgramSearch } from './look-for-programs.ts';
import { configForSeat, loadProcessorConfig, nameOfSource, type ProcessorConfigSource } from './processor-config.ts';
import { createState, openFolders } from './processor-state.ts';
import { createWarningLog } from './processor-warnings.ts';
import { tellWhatIsMissing } from './tell-missing.ts';
import type { TlsFiles } from './tls/certificate.ts';
import { type CertificateInForce, openCertificate } from './tls/certificate-in-force.ts';
import { type OpenPort, openPort } from './tls/open-port.ts';
import { isFirst, labelsOf, type Seat } from './workers/seat.ts';

/** How long ended children and the last bytes of answers are waited for after the shutdown time-out. */
const LAST_WAIT_MS = 6_000;

export interface ProcessorOptions {
  source: ProcessorConfigSource;
  log: Log;
  /** The repository that it is part of: what it serves is had without the network. */
  repository?: OwnSources;
  /** Where its figures are to be, too, beside those of its own port. */
  metricsOfProcess?: Registry;
  /** Of the worker that it is part of: what the configuration allows at a time is for all workers together. */
  seat?: Seat | undefined;
  /** How often missing programs are looked for; left out: once a minute. */
  lookEveryMs?: number;
}

export interface ProcessorPort {
  /** Undefined: every address with token verification, this machine alone without. */
  host: string | undefined;
  port: number;
  /** The option that chooses the port, for messages. */
  option?: string;
  /** Left out: plain HTTP. */
  tls?: CertificateInForce | undefined;
  /** How many workers have the same port; left out: this process alone. */
  processes?: number | undefined;
}

/** A processor, with or without a port of its own. */
export interface Processor {
  /** How many files the configuration in force lets it process at a time. */
  readonly maxConcurrent: number;
  /** Answers a request that was made within the program, as if it had come through the port. */
  call(request: Request): Promise<CallAnswer>;
  /**
   * The programs that the command for these types needs and this machine does not have. Empty if none is
   * missing, and where no command would be chosen: the call then says why.
   */
  missingFor(sourceType: string, destinationType: string): readonly string[];
  /** Tells of every new configuration in force: one that was read again, or one whose missing programs have come. */
  onChange(listener: () => void): void;
  /** Opens a port. Throws ListenError. */
  listen(options: ProcessorPort): URL;
  /** Reads the configuration again. A file with mistakes is refused and logged; the old one stays. */
  reload(): Promise<void>;
  /** Finishes what runs for at most `timeoutSeconds`, then ends it, and closes the port. */
  stop(timeoutSeconds: number): Promise<void>;
  /** Closes the port of a processor that nobody has called yet. */
  close(): Promise<void>;
  /** Kills every command that runs, without waiting for anything. */
  kill(): void;
}

/** The answer to a call, with what only the program itself may know of it. */
export interface CallAnswer {
  /** Where its body breaks off, reading it fails without a reason: that is in the log. */
  response: Response;
  /**
   * The last line that the command wrote to its standard error, at most 500 characters; undefined if there
   * is none. To be asked for once the body of the response has ended or failed.
   */
  stderrLine(): string | undefined;
  /** Returns the message about an exceeded limit; undefined if there was none. Call it when `stderrLine` is called. */
  exceeded(): string | undefined;
}

export interface RunningProcessor extends Processor {
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

/** Makes a processor that can be called, and has no port yet. Throws ConfigError. */
export async function createProcessor(options: ProcessorOptions): Promise<Processor> {
  const { source, log, repository, metricsOfProcess, seat, lookEveryMs } = options;
  const name = nameOfSource(source);
  const load = async () => configForSeat(await loadProcessorConfig(source), seat);
  let state = createState(await load(), undefined);
  const slots = new Slots(state.config);
  const metrics = createMetrics(slots, metricsOfProcess, labelsOf(seat));
  const cwd = source.asOriginal ? process.cwd() : undefined;
  const runs = new CommandRuns(await openFolders(state.config, name), log, cwd);
  const { running } = runs;
  const inFlight = createInFlight();
  const requestLog = createRequestLog(
    (request) => {
      const { failure } = recordOf(request);
      if (!(failure instanceof ServiceError)) return app.handle(request);
      return renderPlainText(statusOf(failure.kind), failure.publicMessage, {}, request);
    },
    log,
    (record, status) => metrics.countRequest(record, status),
  );
  const stopping = new AbortController();
  const environment = source.asOriginal ? environmentForScripts : environmentForPrograms;
  const services: ProcessingServices = {
    slots,
    metrics,
    runs,
    requestLog,
    repository,
    environment,
    stopping: stopping.signal,
  };
  const app = createProcessorApp(() => state, services);
  let port: { server: OpenPort; host: string | undefined } | undefined;
  const listeners: (() => void)[] = [];
  const tellLacks = () => isFirst(seat) && tellWhatIsMissing(state.config, source, log);
  const search = createProgramSearch({ config: () => state.config, onFound, everyMs: lookEveryMs });
  const logWarnings = createWarningLog(log, isFirst(seat));
  logWarnings(state.config);
  tellLacks();
  search.adapt();

  return {
    get maxConcurrent() {
      return state.config.maxConcurrent;
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
    missingFor: (sourceType, destinationType) => missingFor(state.config, sourceType, destinationType),
    onChange: (listener) => void listeners.push(listener),
    listen({ host, ...where }) {
      const chosen = host ?? (state.config.jwksUri ? EVERY_ADDRESS : THIS_MACHINE);
      const isLocal = isLoopback(chosen);
      const answer = (request: Request, at: Bun.Server<unknown>) => {
        const record = new RequestRecord(request, at);
        if (isLocal && !state.config.jwksUri)
          record.failure = refuseForeign(request, { host: chosen, port: at.port ?? 0 });
        return requestLog.answer(request, at, record);
      };
      const server = openPort({ ...where, host: chosen, answer, log });
      port = { server, host };
      if (isFirst(seat)) announceProcessor({ log, name, config: state.config, server, host, chosen });
      return server.url;
    },
    async reload() {
      try {
        const config = await load();
        if (port !== undefined && port.host === undefined && state.config.jwksUri && !config.jwksUri) {
          const why = 'it drops jwksUri, which would open this port to everyone; restart to do that';
          throw new ConfigError(name, [{ line: 1, message: why }]);
        }
        metrics.countReload('ok');
        log.info({ config: name }, 'configuration read again');
        if (config.workFolder !== state.config.workFolder)
          log.warn({ config: name }, 'workFolder has changed: restart to bring that into force');
        putInForce(config);
        logWarnings(config);
        tellLacks();
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error;
        metrics.countReload('refused');
        log.error({ problems: error.problems }, 'the new configuration is refused, the old one stays in force');
      }
    },
    async stop(timeoutSeconds) {
      search.stop();
      log.info(
        { running: running.length, waiting: slots.waiting },
        `stopping: waiting at most ${timeoutSeconds} s for what runs`,
      );
      slots.close();
      const closed = Promise.all([port?.server.stop(), inFlight.settled(), ...running.map((run) => run.ended)]);
      if (!(await settlesWithin(closed, timeoutSeconds * 1000))) {
        log.warn({ running: running.length }, 'stopping: ending what still runs');
        stopping.abort();
        const left = [...running];
        for (const run of left) run.fail(shuttingDown());
        await settlesWithin(Promise.all([closed, ...left.map((run) => run.ended)]), LAST_WAIT_MS);
      }
      await port?.server.stop(true);
      await runs.close(LAST_WAIT_MS);
      log.info('stopped');
    },
    async close() {
      search.stop();
      await port?.server.stop(true);
    },
    kill() {
      search.stop();
      for (const run of running) run.kill();
      log.warn('stopped at once');
    },
  };

  function onFound(config: ProcessorConfig, found: readonly string[]): void {
    log.info({ config: name, found }, `this machine has ${listInWords(found)} now`);
    putInForce(config);
  }

  function putInForce(config: ProcessorConfig): void {
    state = createState(config, state);
    slots.configure(config);
    search.adapt();
    for (const listener of listeners) listener();
  }
}
