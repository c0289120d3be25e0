import { readEnv } from '../base/env.ts';
import type { Log } from '../base/log.ts';
import { environmentForManyRequests, mayHaveManyRequests } from '../base/outgoing-requests.ts';
import { ownCommand } from '../base/process-identity.ts';
import type { ServerConfig } from '../config/server-config.ts';
import { attempt, type ExitCode } from './attempt.ts';
import {
  hideNewFilesFromOthers,
  logStrayFailures,
  type ProcessorToRun,
  type RepositoryToRun,
  type Service,
  type ServiceOptions,
  untilStopped,
} from './service.ts';

/** Runs a service in this process or in workers of it, until a signal stops it. Returns the exit code. */
export function runService(options: ServiceOptions, what: ProcessorToRun | RepositoryToRun): Promise<ExitCode> {
  return attempt(async () => {
    if (what.mode === 'processor') {
      const log = await openLog(options);
      return untilStopped(() => startProcessor(what, log), options);
    }
    const { readSeat } = await import('../server/workers/seat.ts');
    const seat = readSeat();
    const { loadServerConfig } = await import('../config/load-server-config.ts');
    const config = await loadServerConfig(what.configFile, what.overrides);
    (await import('../server/enter-data-folder.ts')).enterDataFolder(config);
    if (seat) return (await import('./run-worker.ts')).runWorker(seat, { options, what, config });
    if (config.workers > 1) return (await import('./run-workers.ts')).runWorkers({ options, what, config });
    if (config.schemes.some(({ driver }) => driver === 's3')) allowManyRequests();
    const log = await openLog(options);
    return untilStopped(() => startServer(what, config, log), options);
  });
}

async function openLog({ logLevel, logFormat }: ServiceOptions): Promise<Log> {
  const { createLog } = await import('../base/log.ts');
  const log = createLog({ level: logLevel, format: logFormat });
  logStrayFailures(log);
  return log;
}

async function startProcessor(what: ProcessorToRun, log: Log): Promise<Service> {
  const { startProcessor: start } = await import('../server/processor.ts');
  return start({ ...what, log });
}

async function startServer(what: RepositoryToRun, config: ServerConfig, log: Log): Promise<Service> {
  const { mode, configFile, host, overrides } = what;
  const { startServer: start } = await import('../server/server.ts');
  hideNewFilesFromOthers();
  const server = await start({
    config,
    configFile,
    overrides,
    hasProcessor: mode === 'all',
    processorHost: host,
    administratorPassword: readEnv('REPO_ADMIN_PASSWORD'),
    startsNew: what.startsNew,
    log,
  });
  if (server.isFirstStart) {
    const { welcome } = await import('./welcome.ts');
    const { shownAddress: address, generatedPassword } = server;
    const newcomer = { address, generatedPassword, firstSteps: await server.findFirstSteps() };
    console.log(await welcome(newcomer, config.dataFolder));
  }
  return server;
}

/**
 * Restarts this process with a higher limit of requests to other servers, unless it has that already or the system
 * cannot do so. Call it before anything is open: only the standard streams stay.
 */
function allowManyRequests(): void {
  if (mayHaveManyRequests()) return;
  const command = ownCommand();
  process.execve?.(command[0], command, environmentForManyRequests());
}
