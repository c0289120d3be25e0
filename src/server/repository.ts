import { Registry } from 'prom-client';
import { createApi } from '../api/app.ts';
import type { Log } from '../base/log.ts';
import { addProcessMetrics } from '../base/process-metrics.ts';
import { settlesWithin } from '../base/settles-within.ts';
import type { DerivativesConfig, RepositoryConfig } from '../config/server-config.ts';
import type { FieldTypes } from '../field-types/field-type.ts';
import { parseBaseUrl } from '../http/base-url.ts';
import { createRequestLog } from '../http/request-log.ts';
import type { JobServices } from '../jobs/job-planner.ts';
import type { Pace } from '../jobs/outbox.ts';
import type { DerivativeRules } from '../jobs/rules.ts';
import { type Derivatives, startDerivatives } from '../jobs/start-derivatives.ts';
import { createOwnAddresses, type OwnSources } from '../processor/own-sources.ts';
import { ensureAdministratorPassword } from '../repository/setup/first-users.ts';
import { startVerifySchedule, type VerifySchedule } from '../upkeep/fixity/verify-schedule.ts';
import { type FirstSteps, findFirstSteps } from './first-steps.ts';
import { createInFlight } from './in-flight.ts';
import { serverAddress } from './listen.ts';
import { withOwnReplica } from './open-database.ts';
import { openRepository } from './open-repository.ts';
import { createProcessor, type Processor } from './processor.ts';
import type { ActiveCertificate } from './tls/active-certificate.ts';
import { addCertificateMetrics } from './tls/active-certificate.ts';
import { type OpenPort, openPort, openRedirectPort } from './tls/open-port.ts';
import { isFirst, labelsOf, type Seat, shareOf } from './workers/seat.ts';

/** How long uploads that were broken off are waited for: they remove what they have stored. */
const LAST_WAIT_MS = 6_000;

export interface RepositoryOptions {
  config: RepositoryConfig;
  host: string;
  port: number;
  /** Left out: plain HTTP. */
  tls?: ActiveCertificate | undefined;
  /** Of plain HTTP, beside the one with TLS; left out: none. */
  redirectPort?: number | undefined;
  administratorPassword: string | undefined;
  /** The field types that the content model may use (default: the built-in ones). */
  fieldTypes?: FieldTypes | undefined;
  /** As in `MigrateOptions`; default: false. */
  startsNew?: boolean;
  log: Log;
  /** Left out: the repository alone. */
  processor?: ProcessorWithin;
  /** Of the work on derivatives; left out: the usual one. */
  pace?: Pace;
  /** Left out: this process is the only one on its port. */
  worker?: WorkerPlace;
}

/** For one of several processes that answer on the same ports. */
export interface WorkerPlace {
  readonly seat: Seat;
  /** Called when everything is open; what it answers resolves when that is so in all of them. */
  begin(services: JobServices): Promise<void>;
}

interface ProcessorWithin {
  /** Of its configuration; undefined: the one that is part of the program. */
  file: string | undefined;
  /** Undefined: it is called within the process alone. */
  port: number | undefined;
  host: string | undefined;
}

export interface RunningRepository {
  url: URL;
  /** As this machine knows it, for the log: `http://localhost:8000`. */
  address: string;
  /** For a newcomer to open. */
  shownAddress: string;
  services: JobServices;
  /** The processor of the same process. */
  processor: Processor | undefined;
  /** Whether the administrator has got a password by this start: nobody has used this repository before. */
  isFirstStart: boolean;
  /** The administrator's password, if this start has made it up. */
  generatedPassword: string | undefined;
  findFirstSteps(): Promise<FirstSteps | undefined>;
  /** Finishes what runs for at most `timeoutSeconds`, breaks off the rest, then closes ports and database. */
  stop(timeoutSeconds: number): Promise<void>;
  /** Kills what the processor runs, without waiting for anything. */
  kill(): void;
}

/**
 * Starts the repository mode, or with `processor` the mode all. Throws ConfigError, ModelConflictError,
 * UnusableDatabaseError, NewerDatabaseError, ListenError, and what the file system says.
 */
export async function startRepository(options: RepositoryOptions): Promise<RunningRepository> {
  const { config, host, port, tls, administratorPassword, log } = options;
  const within = options.processor;
  const seat = options.worker?.seat;
  const own = createOwnAddresses();
  const metrics = new Registry();
  metrics.setDefaultLabels(labelsOf(seat));
  addProcessMetrics(metrics);
  if (tls) addCertificateMetrics(metrics, tls);
  const processor =
    within && (await createProcessorWithin(within, { repository: own, metricsOfProcess: metrics, log, seat }));
  const inFlight = createInFlight();
  let isReady = false;
  let server: OpenPort | undefined;
  let redirecting: OpenPort | undefined;
  let repository: Awaited<ReturnType<typeof openRepository>> | undefined;
  let derivatives: Derivatives | undefined;
  let schedule: VerifySchedule | undefined;
  try {
    const opened = await openRepository(seat ? withOwnReplica(config, seat.number) : config, log, {
      metrics,
      fieldTypes: options.fieldTypes,
      startsNew: options.startsNew && isFirst(seat),
    });
    repository = opened;
    const app = createApi(opened.api);
    const requestLog = createRequestLog(
      (request) => {
        opened.services.database.refresh();
        return app.handle(request);
      },
      log,
      () => {},
    );
    const ready = Promise.withResolvers<void>();
    // Whoever comes early waits: they may be the administrator, whose password is about to be set.
    const answer = async (request: Request, at: Bun.Server<unknown>) => {
      if (!isReady) await ready.promise;
      return inFlight.follow(requestLog.answer(request, at));
    };
    const shared = { log, tls, processes: seat?.of };
    const listening = openPort({ ...shared, host, port: seat?.port ?? port, answer });
    server = listening;
    if (within?.port !== undefined) {
      const port = seat?.processorPort ?? within.port;
      processor?.listen({ host: within.host, port, option: '--processor-port', ...shared });
    }
    if (options.redirectPort !== undefined) {
      const port = seat?.redirectPort ?? options.redirectPort;
      const { baseUrl } = config;
      redirecting = openRedirectPort({ ...shared, host, port, baseUrl, tlsPort: listening.port });
    }
    await options.worker?.begin(opened.services);
    // Now that nothing can go wrong before it is shown.
    const given = await ensureAdministratorPassword(opened.services, administratorPassword);
    const address = serverAddress({ host, port: listening.port, tls });
    const baseUrl = config.baseUrl === undefined ? address : parseBaseUrl(config.baseUrl);
    own.begin(baseUrl, (request) => inFlight.follow(requestLog.answer(request)));
    const made = await startDerivatives({
      repository: opened.api,
      config: derivativesForSeat(config.derivatives, seat),
      processor,
      baseUrl,
      log,
      pace: options.pace,
    });
    derivatives = made;
    const verification = startVerifySchedule(opened.services, log);
    schedule = verification;
    if (isFirst(seat)) for (const setting of config.obsoleteSettings) log.warn(setting);
    if (isFirst(seat)) tellOfProcessors(options, opened.services.derivatives.rules, log);
    // The model, the first terms and the password have left behind several times what serving needs.
    Bun.gc(true);
    isReady = true;
    ready.resolve();
    const mode = processor ? 'all' : 'repository';
    const shown = config.baseUrl === undefined ? {} : { baseUrl };
    // Of workers, their parent says it.
    if (seat === undefined) log.info({ mode, data: config.dataFolder, ...shown }, `ready at ${address}`);
    return {
      url: listening.url,
      address,
      // A certificate is for the name by which others know the repository, and seldom for this machine's own.
      shownAddress: tls ? baseUrl : address,
      services: opened.services,
      processor,
      isFirstStart: given !== undefined,
      generatedPassword: given?.generated,
      findFirstSteps: () => findFirstSteps(opened.api),
      async stop(timeoutSeconds) {
        const deadline = performance.now() + timeoutSeconds * 1_000;
        // First, as long as processors elsewhere can still fetch what they work on.
        await Promise.all([made.stop(timeoutSeconds * 1_000), verification.stop()]);
        const leftSeconds = Math.max(1, Math.ceil((deadline - performance.now()) / 1_000));
        await Promise.all([finish(listening, leftSeconds), processor?.stop(leftSeconds), redirecting?.stop(true)]);
        await opened.close();
        log.info('the repository has stopped');
      },
      kill: () => processor?.kill(),
    };
  } catch (error) {
    await schedule?.stop();
    await derivatives?.stop(0);
    await Promise.all([server?.stop(true), redirecting?.stop(true), processor?.close()]);
    await repository?.close();
    throw error;
  }

  async function finish(listening: OpenPort, timeoutSeconds: number): Promise<void> {
    log.info({ running: inFlight.count }, `stopping: waiting at most ${timeoutSeconds} s for what runs`);
    const closed = Promise.all([listening.stop(), inFlight.settled()]);
    if (!(await settlesWithin(closed, timeoutSeconds * 1000)))
      log.warn({ running: inFlight.count }, 'stopping: breaking off what still runs');
    await listening.stop(true);
    // The database must outlive whatever still uses it.
    await settlesWithin(inFlight.settled(), LAST_WAIT_MS);
  }
}

function createProcessorWithin(
  { file }: ProcessorWithin,
  parts: { repository: OwnSources; metricsOfProcess: Registry; log: Log; seat: Seat | undefined },
): Promise<Processor> {
  const { log, ...others } = parts;
  return createProcessor({ source: { file, mayLack: true }, log: log.child({ part: 'processor' }), ...others });
}

/** A worker's share of what is made at a time. */
function derivativesForSeat(config: DerivativesConfig, seat: Seat | undefined): DerivativesConfig {
  const { maxConcurrent } = config;
  return { ...config, maxConcurrent: maxConcurrent && shareOf(maxConcurrent, seat) };
}

/** What about derivatives a stranger to this configuration would wonder about. */
function tellOfProcessors({ config, processor }: RepositoryOptions, rules: DerivativeRules, log: Log): void {
  const { processors } = config.derivatives;
  if (processors.length === 0 && processor === undefined)
    log.info('no processor is configured: derivatives wait until there is one (derivatives.processors)');
  if (processors.length > 0 && config.baseUrl === undefined)
    log.warn('processors on other machines cannot fetch files from here: no baseUrl is configured');
  const embedded = [...rules.actions.values()].filter(({ processor }) => processor === 'embedded');
  if (processor === undefined && embedded.length > 0) {
    const actions = embedded.map(({ name }) => name);
    log.warn({ actions }, 'derivatives of actions that ask for the embedded processor wait: this mode has none');
  }
}
