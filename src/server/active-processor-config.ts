import { createTokenVerifier } from '../auth/verify-token.ts';
import type { Log } from '../base/log.ts';
import { ConfigError } from '../base/yaml-file.ts';
import type { ProcessorState } from '../processor/app.ts';
import { mapCommands } from '../processor/config/commands.ts';
import type { ProcessorConfig } from '../processor/config/config.ts';
import { loadProcessorConfig, nameOfSource, type ProcessorConfigSource } from '../processor/config/load-config.ts';
import {
  findProgram,
  listInWords,
  listWithPackages,
  MEMORY_LIMITER,
  missingPrograms,
  withFoundPrograms,
  withoutMemoryLimit,
} from '../processor/config/programs.ts';
import { isFirst, type Seat, shareOf } from './workers/seat.ts';

const SEARCH_INTERVAL_MS = 60_000;

interface ConfigOptions {
  readonly source: ProcessorConfigSource;
  /** The worker whose share of the limits it is. */
  readonly seat: Seat | undefined;
  readonly log: Log;
  /** The interval between searches for missing programs, which may be installed meanwhile. Default: a minute. */
  readonly searchIntervalMs?: number | undefined;
}

/** The active configuration of a processor. */
interface ActiveProcessorConfig {
  readonly state: ProcessorState;
  /** Calls `listener` after each change: the configuration was read again, or missing programs were installed. */
  onChange(listener: () => void): void;
  /**
   * Reads the configuration again. Logs its errors, or the message of `refuse`, and keeps the old one then.
   */
  reload(refuse: (next: ProcessorConfig) => string | undefined): Promise<'ok' | 'refused'>;
  /** Stops the search for missing programs. */
  stop(): void;
}

/** Reads a configuration with the limits of one worker. Throws ConfigError. */
export async function loadForSeat({ source, seat }: ConfigOptions): Promise<ProcessorConfig> {
  return configForSeat(await loadProcessorConfig(source), seat);
}

/** Returns a worker's share of what a configuration allows at a time: in all, of one command, and in the queue. */
export function configForSeat(config: ProcessorConfig, seat: Seat | undefined): ProcessorConfig {
  if (seat === undefined) return config;
  const { maxConcurrent, maxQueued } = config;
  return {
    ...mapCommands(config, (command) => ({
      ...command,
      maxConcurrent: command.maxConcurrent && shareOf(command.maxConcurrent, seat),
    })),
    maxConcurrent: shareOf(maxConcurrent, seat),
    maxQueued: maxQueued === 0 ? 0 : shareOf(maxQueued, seat),
  };
}

/** Activates a configuration, logs its warnings, and searches for its missing programs from time to time. */
export function activateConfig(first: ProcessorConfig, options: ConfigOptions): ActiveProcessorConfig {
  const { source, seat, log, searchIntervalMs = SEARCH_INTERVAL_MS } = options;
  const name = nameOfSource(source);
  let state = createState(first, undefined);
  let searchTimer: Timer | undefined;
  let isStopped = false;
  const listeners: (() => void)[] = [];
  const loggedWarnings = new Set<string>();
  logDoubts();
  scheduleSearch();
  return {
    get state() {
      return state;
    },
    onChange: (listener) => void listeners.push(listener),
    async reload(refuse) {
      try {
        const config = await loadForSeat(options);
        const message = refuse(config);
        if (message !== undefined) throw new ConfigError(name, [{ line: 1, message }]);
        log.info({ config: name }, 'configuration read again');
        if (config.workFolder !== state.config.workFolder)
          log.warn({ config: name }, 'workFolder has changed: restart to apply the change');
        activate(config);
        logDoubts();
        return 'ok';
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error;
        log.error({ problems: error.problems }, 'the new configuration is rejected, the old one stays active');
        return 'refused';
      }
    },
    stop() {
      isStopped = true;
      clearInterval(searchTimer);
    },
  };

  function scheduleSearch(): void {
    clearInterval(searchTimer);
    if (isStopped || missingPrograms(state.config).length === 0) return;
    searchTimer = setInterval(searchPrograms, searchIntervalMs).unref();
  }

  function searchPrograms(): void {
    const installed = missingPrograms(state.config).filter((program) => findProgram(program) !== null);
    if (installed.length === 0) return;
    log.info({ config: name, found: installed }, `this machine has ${listInWords(installed)} now`);
    activate(withFoundPrograms(state.config, findProgram));
  }

  function activate(config: ProcessorConfig): void {
    state = createState(config, state);
    scheduleSearch();
    for (const listener of listeners) listener();
  }

  /** Logs each warning once, and the missing programs. Only the first worker does so. */
  function logDoubts(): void {
    if (!isFirst(seat)) return;
    for (const warning of state.config.warnings) {
      if (!loggedWarnings.has(warning)) log.warn(warning);
      loggedWarnings.add(warning);
    }
    logMissing(state.config, source, log);
  }
}

/** Creates the state of a configuration. Keeps fetched keys if their address and claims are unchanged. */
function createState(config: ProcessorConfig, previous: ProcessorState | undefined): ProcessorState {
  const { jwksUri, jwtIssuer, jwtAudience } = config;
  if (jwksUri === undefined) return { config, verify: undefined };
  const keyOf = (c: ProcessorConfig) => JSON.stringify([c.jwksUri, c.jwtIssuer, c.jwtAudience]);
  if (previous && keyOf(previous.config) === keyOf(config)) return { config, verify: previous.verify };
  const options = { jwksUri, ...(jwtIssuer && { issuers: jwtIssuer }), ...(jwtAudience && { audiences: jwtAudience }) };
  return { config, verify: createTokenVerifier(options) };
}

/** Logs which programs of a configuration are missing on this machine, and the consequences. */
function logMissing(config: ProcessorConfig, source: ProcessorConfigSource, log: Log): void {
  const name = nameOfSource(source);
  const missing = missingPrograms(config);
  if (missing.length > 0) {
    const [them, they] = missing.length === 1 ? ['it', 'it is'] : ['them', 'they are'];
    const wait = source.mayLack ? `derivatives that need ${them} wait` : `requests that need ${them} fail`;
    const lack = `this machine lacks ${listWithPackages(missing)}`;
    log.warn({ config: name, missing }, `${lack}: ${wait} until ${they} installed`);
  }
  const unlimited = withoutMemoryLimit(config).map(({ key }) => key);
  if (unlimited.length > 0) {
    const lack = `this machine lacks ${listWithPackages([MEMORY_LIMITER])}`;
    log.warn({ config: name, unlimited }, `${lack}: commands run without their maxMemoryBytes`);
  }
}
