import { createTokenVerifier } from '../auth/verify-token.ts';
import type { Log } from '../base/log.ts';
import { ConfigError } from '../base/yaml-file.ts';
import { createRequestLog } from '../http/request-log.ts';
import { createProcessorApp, type ProcessorState } from '../processor/app.ts';
import type { ProcessorConfig } from '../processor/config.ts';
import { shuttingDown } from '../processor/errors.ts';
import { createMetrics } from '../processor/metrics.ts';
import type { ProcessingServices } from '../processor/process-file.ts';
import type { CommandRun } from '../processor/run-command.ts';
import { Slots } from '../processor/slots.ts';
import { listen } from './listen.ts';
import { loadProcessorConfig } from './processor-config.ts';

const EVERY_ADDRESS = '0.0.0.0';
const THIS_MACHINE = '127.0.0.1';
/** How long ended children and the last bytes of answers are waited for after the shutdown time-out. */
const LAST_WAIT_MS = 6_000;

export interface ProcessorOptions {
  configFile: string;
  /** Undefined: every address with token verification, this machine alone without. */
  host: string | undefined;
  port: number;
  log: Log;
}

export interface RunningProcessor {
  url: URL;
  /** Reads the configuration again. A file with mistakes is refused and logged; the old one stays. */
  reload(): Promise<void>;
  /** Finishes what runs for at most `timeoutSeconds`, then ends it, and closes the port. */
  stop(timeoutSeconds: number): Promise<void>;
  /** Kills every command that runs, without waiting for anything. */
  kill(): void;
}

/** Starts the processor mode. Throws ConfigError or ListenError. */
export async function startProcessor({ configFile, host, port, log }: ProcessorOptions): Promise<RunningProcessor> {
  let state = createState(await loadProcessorConfig(configFile), undefined);
  const slots = new Slots(state.config);
  const metrics = createMetrics(slots);
  const running: CommandRun[] = [];
  const requestLog = createRequestLog(
    (request) => app.handle(request),
    log,
    (record, status) => metrics.countRequest(record, status),
  );
  const stopping = new AbortController();
  const services: ProcessingServices = { slots, metrics, running, requestLog, stopping: stopping.signal };
  const app = createProcessorApp(() => state, services);
  const chosenHost = host ?? (state.config.jwksUri ? EVERY_ADDRESS : THIS_MACHINE);
  const server = listen({ host: chosenHost, port, answer: (request, at) => requestLog.answer(request, at) });
  announce();

  return {
    url: server.url,
    async reload() {
      try {
        const config = await loadProcessorConfig(configFile);
        if (host === undefined && state.config.jwksUri && !config.jwksUri) {
          const why = 'it drops jwksUri, which would open this port to everyone; restart to do that';
          throw new ConfigError(configFile, [{ line: 1, message: why }]);
        }
        state = createState(config, state);
        slots.configure(config);
        metrics.countReload('ok');
        log.info({ config: configFile }, 'configuration read again');
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error;
        metrics.countReload('refused');
        log.error({ problems: error.problems }, 'the new configuration is refused, the old one stays in force');
      }
    },
    async stop(timeoutSeconds) {
      log.info(
        { running: running.length, waiting: slots.waiting },
        `stopping: waiting at most ${timeoutSeconds} s for what runs`,
      );
      slots.close();
      const closed = server.stop();
      if (!(await settlesWithin(closed, timeoutSeconds * 1000))) {
        log.warn({ running: running.length }, 'stopping: ending what still runs');
        stopping.abort();
        const runs = [...running];
        for (const run of runs) run.fail(shuttingDown());
        await settlesWithin(Promise.all([closed, ...runs.map((run) => run.ended)]), LAST_WAIT_MS);
      }
      await server.stop(true);
      log.info('stopped');
    },
    kill() {
      for (const run of running) run.kill();
      log.warn('stopped at once');
    },
  };

  function announce(): void {
    const address = `http://${chosenHost === EVERY_ADDRESS ? 'localhost' : chosenHost}:${server.port}`;
    const { config } = state;
    if (config.jwksUri === undefined && host === undefined) {
      log.info(
        `listening on ${THIS_MACHINE} only: without jwksUri in ${configFile} callers are not checked. ` +
          'Set jwksUri, or open it to everyone with --host 0.0.0.0',
      );
    } else if (config.jwksUri === undefined && host !== THIS_MACHINE && host !== 'localhost') {
      log.warn(`whoever reaches ${chosenHost}:${server.port} may run the commands of ${configFile}: no jwksUri is set`);
    }
    const { maxConcurrent, maxQueued } = config;
    log.info({ mode: 'processor', config: configFile, maxConcurrent, maxQueued }, `ready at ${address}`);
  }
}

/** Builds what a configuration needs. Keys that were fetched stay while their address and claims stay. */
function createState(config: ProcessorConfig, previous: ProcessorState | undefined): ProcessorState {
  const { jwksUri, jwtIssuer, jwtAudience } = config;
  if (jwksUri === undefined) return { config, verify: undefined };
  const keyOf = (c: ProcessorConfig) => JSON.stringify([c.jwksUri, c.jwtIssuer, c.jwtAudience]);
  if (previous && keyOf(previous.config) === keyOf(config)) return { config, verify: previous.verify };
  const options = { jwksUri, ...(jwtIssuer && { issuers: jwtIssuer }), ...(jwtAudience && { audiences: jwtAudience }) };
  return { config, verify: createTokenVerifier(options) };
}

async function settlesWithin(promise: Promise<unknown>, milliseconds: number): Promise<boolean> {
  const late = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => late.resolve(false), milliseconds);
  try {
    return await Promise.race([promise.then(() => true), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
