import { Registry } from 'prom-client';
import type { Log } from '../base/log.ts';
import { addProcessMetrics } from '../base/process-metrics.ts';
import { settlesWithin } from '../base/settles-within.ts';
import type { DerivativesConfig, RepositoryConfig } from '../config/server-config.ts';
import type { FieldTypes } from '../field-types/field-type.ts';
import { parseBaseUrl } from '../http/base-url.ts';
import { createRequestLog } from '../http/request-log.ts';
import { withStrictTransport } from '../http/strict-transport.ts';
import type { JobServices } from '../jobs/job-planner.ts';
import type { Pace } from '../jobs/outbox.ts';
import { type Derivatives, startDerivatives } from '../jobs/start-derivatives.ts';
import { createOwnAddresses } from '../processor/own-sources.ts';
import { ensureAdministratorPassword } from '../repository/setup/first-users.ts';
import type { AdminPage } from '../web/api-services.ts';
import { countUse } from '../web/count-use.ts';
import { type FirstSteps, findFirstSteps } from './first-steps.ts';
import { createInFlight } from './in-flight.ts';
import { serverAddress } from './listen.ts';
import { logProcessors } from './log-processors.ts';
import { withOwnReplica } from './open-database.ts';
import { openRepository } from './open-repository.ts';
import { createProcessor, type Processor, type ProcessorOptions } from './processor.ts';
import { createApi } from './routes.ts';
import { startBackground } from './start-background.ts';
import type { ActiveCertificate } from './tls/active-certificate.ts';
import { addCertificateMetrics } from './tls/active-certificate.ts';
import { isFor } from './tls/certificate.ts';
import { type OpenPort, openPort, openRedirectPort } from './tls/open-port.ts';
import { shareMetrics, type WorkerMetrics } from './workers/gather-metrics.ts';
import { isFirst, type Seat, shareOf } from './workers/seat.ts';

/** Maximum wait for aborted uploads, which remove their objects. */
const LAST_WAIT_MS = 6_000;

export interface RepositoryOptions {
  config: RepositoryConfig;
  host: string;
  port: number;
  /** Default: plain HTTP. */
  tls?: ActiveCertificate | undefined;
  /** The port of plain HTTP that redirects to the one with TLS. Default: none. */
  redirectPort?: number | undefined;
  administratorPassword: string | undefined;
  /** The field types that the content model may use (default: the built-in ones). */
  fieldTypes?: FieldTypes | undefined;
  /** The pages for the management of the repository (default: the built-in ones). */
  adminPages?: readonly AdminPage[] | undefined;
  /** As in `MigrateOptions`; default: false. */
  startsNew?: boolean;
  log: Log;
  /** Default: the repository alone. */
  processor?: ProcessorWithin;
  /** The intervals of the work on derivatives. Default: `DEFAULT_PACE`. */
  pace?: Pace;
  /** Default: this process is the only one on its port. */
  worker?: WorkerPlace;
}

/** The place of one of several processes that share their ports. */
export interface WorkerPlace {
  readonly seat: Seat;
  readonly metrics: WorkerMetrics;
  /** Called when everything is open. Resolves when that is true of all workers. */
  begin(services: JobServices): Promise<void>;
}

interface ProcessorWithin {
  /** The file of its configuration; undefined: the built-in one. */
  file: string | undefined;
  /** Undefined: only this process can call it. */
  port: number | undefined;
  host: string | undefined;
}

export interface RunningRepository {
  url: URL;
  /** The local address for the log, such as `http://localhost:8000`. */
  address: string;
  /** The address for the first visit. */
  shownAddress: string;
  services: JobServices;
  /** The processor of the same process. */
  processor: Processor | undefined;
  /** True if this start has set the administrator's password: the repository is new. */
  isFirstStart: boolean;
  /** The administrator's password, if this start has generated it. */
  generatedPassword: string | undefined;
  findFirstSteps(): Promise<FirstSteps | undefined>;
  /** Waits at most `timeoutSeconds` for running requests, aborts the others, then closes ports and database. */
  stop(timeoutSeconds: number): Promise<void>;
  /** Kills the commands of the processor at once. */
  kill(): void;
}

/**
 * Starts the repository mode, or with `processor` the mode all. Throws ConfigError, ModelConflictError,
 * UnusableDatabaseError, NewerDatabaseError, ListenError, and errors of the file system.
 */
export async function startRepository(options: RepositoryOptions): Promise<RunningRepository> {
  const { config, host, port, tls, administratorPassword, log } = options;
  const within = options.processor;
  const seat = options.worker?.seat;
  const own = createOwnAddresses();
  const metrics = new Registry();
  addProcessMetrics(metrics);
  if (tls) addCertificateMetrics(metrics, tls);
  const processor =
    within &&
    (await createProcessorWithin(within, {
      repository: own,
      metricsOfProcess: metrics,
      log,
      seat,
      workerMetrics: options.worker?.metrics,
    }));
  const inFlight = createInFlight();
  let isReady = false;
  let server: OpenPort | undefined;
  let redirecting: OpenPort | undefined;
  let repository: Awaited<ReturnType<typeof openRepository>> | undefined;
  let derivatives: Derivatives | undefined;
  try {
    const opened = await openRepository(seat ? withOwnReplica(config, seat.number) : config, log, {
      metrics,
      shownMetrics: shareMetrics(metrics, 'repository', options.worker?.metrics),
      fieldTypes: options.fieldTypes,
      adminPages: options.adminPages,
      startsNew: options.startsNew && isFirst(seat),
      processor,
      workers: seat?.of,
    });
    repository = opened;
    const app = createApi(opened.api);
    const requestLog = createRequestLog(
      withStrictTransport(
        (request) => {
          opened.services.database.refresh();
          return app.handle(request);
        },
        config.hsts,
        opened.api.findBaseUrl,
      ),
      log,
      (record, status) => countUse(opened.api, record, status),
    );
    const ready = Promise.withResolvers<void>();
    // Early requests wait: one may be from the administrator, whose password is not set yet.
    const answerNow = (request: Request, at: Bun.Server<unknown>) => inFlight.follow(requestLog.answer(request, at));
    const answer = (request: Request, at: Bun.Server<unknown>) =>
      isReady ? answerNow(request, at) : ready.promise.then(() => answerNow(request, at));
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
      const isCertified = (name: string) => tls !== undefined && isFor(tls.current, name);
      redirecting = openRedirectPort({ ...shared, host, port, baseUrl, tlsPort: listening.port, isCertified });
    }
    await options.worker?.begin(opened.services);
    // Last, so that no failure can prevent the password from being shown.
    const given = await ensureAdministratorPassword(opened.services, administratorPassword);
    if (given?.weakness !== undefined) log.warn(`REPO_ADMIN_PASSWORD is weak, change it. ${given.weakness}`);
    const address = serverAddress({ host, port: listening.port, tls });
    const baseUrl = config.baseUrl === undefined ? address : parseBaseUrl(config.baseUrl);
    own.begin(baseUrl, (request) => inFlight.follow(requestLog.answer(request)));
    const made = await startDerivatives({
      repository: { ...opened.api, metrics },
      config: derivativesForSeat(config.derivatives, seat),
      processor,
      baseUrl,
      log,
      pace: options.pace,
    });
    derivatives = made;
    const { background } = opened.api;
    startBackground(opened.api, log);
    if (isFirst(seat)) for (const setting of config.obsoleteSettings) log.warn(setting);
    if (isFirst(seat))
      logProcessors(options.config, options.processor !== undefined, opened.services.derivatives.rules, log);
    // The start has used several times the memory that serving needs.
    Bun.shrink();
    Bun.gc(true);
    isReady = true;
    ready.resolve();
    const mode = processor ? 'all' : 'repository';
    const shown = config.baseUrl === undefined ? {} : { baseUrl };
    // The parent of workers logs it for them.
    if (seat === undefined) log.info({ mode, data: config.dataFolder, ...shown }, `ready at ${address}`);
    return {
      url: listening.url,
      address,
      // A certificate names the public host, and rarely the local one.
      shownAddress: tls ? baseUrl : address,
      services: opened.services,
      processor,
      isFirstStart: given !== undefined,
      generatedPassword: given?.generated,
      findFirstSteps: () => findFirstSteps(opened.api),
      async stop(timeoutSeconds) {
        const deadline = performance.now() + timeoutSeconds * 1_000;
        // Derivatives first, while processors elsewhere can still fetch their sources.
        await Promise.all([made.stop(timeoutSeconds * 1_000), background.stop()]);
        const leftSeconds = Math.max(1, Math.ceil((deadline - performance.now()) / 1_000));
        await Promise.all([finish(listening, leftSeconds), processor?.stop(leftSeconds), redirecting?.stop(true)]);
        await opened.close();
        log.info('the repository has stopped');
      },
      kill: () => processor?.kill(),
    };
  } catch (error) {
    await repository?.api.background.stop();
    await derivatives?.stop(0);
    await Promise.all([server?.stop(true), redirecting?.stop(true), processor?.close()]);
    await repository?.close();
    throw error;
  }

  async function finish(listening: OpenPort, timeoutSeconds: number): Promise<void> {
    log.info({ running: inFlight.count }, `stopping: waiting at most ${timeoutSeconds} s for running requests`);
    const closed = Promise.all([listening.stop(), inFlight.settled()]);
    if (!(await settlesWithin(closed, timeoutSeconds * 1000)))
      log.warn({ running: inFlight.count }, 'stopping: aborting the remaining requests');
    await listening.stop(true);
    // The database must stay open for the last requests.
    await settlesWithin(inFlight.settled(), LAST_WAIT_MS);
  }
}

function createProcessorWithin(
  { file }: ProcessorWithin,
  parts: Pick<ProcessorOptions, 'repository' | 'metricsOfProcess' | 'log' | 'seat' | 'workerMetrics'>,
): Promise<Processor> {
  const { log, ...others } = parts;
  return createProcessor({ source: { file, mayLack: true }, log: log.child({ part: 'processor' }), ...others });
}

/** Returns the configuration with the worker's share of concurrent jobs. */
function derivativesForSeat(config: DerivativesConfig, seat: Seat | undefined): DerivativesConfig {
  const { maxConcurrent } = config;
  return { ...config, maxConcurrent: maxConcurrent && shareOf(maxConcurrent, seat) };
}
