import { version } from '../../package.json' with { type: 'json' };
import { readEnv } from '../base/env.ts';
import { createLog } from '../base/log.ts';
import type { ServerConfig } from '../config/server-config.ts';
import { startServer } from '../server/server.ts';
import { followParent, type Parent } from '../server/workers/parent.ts';
import type { Seat } from '../server/workers/seat.ts';
import { EXIT, type ExitCode } from './attempt.ts';
import { hideNewFilesFromOthers, logStrayFailures, type RepositoryToRun, type ServiceOptions } from './service.ts';

/** The options that all workers share. */
export interface WorkerToRun {
  readonly options: ServiceOptions;
  readonly what: RepositoryToRun;
  readonly config: ServerConfig;
}

/** Answers requests as one of several workers, until its parent stops it. Returns the exit code. */
export async function runWorker(seat: Seat, toRun: WorkerToRun): Promise<ExitCode> {
  const parent = followParent();
  try {
    await answerUntilStopped(parent, seat, toRun);
    return EXIT.ok;
  } finally {
    parent.leave();
  }
}

async function answerUntilStopped(parent: Parent, seat: Seat, { options, what, config }: WorkerToRun): Promise<void> {
  // After the end of the parent no process reads the log, and this one is about to stop.
  const lines = createLog({ level: options.logLevel, format: 'json', onUnwritable: () => {} });
  const log = lines.child({ worker: seat.number });
  logStrayFailures(log);
  hideNewFilesFromOthers();
  const server = await startServer({
    config,
    configFile: what.configFile,
    overrides: what.overrides,
    hasProcessor: what.mode === 'all',
    processorHost: what.host,
    administratorPassword: readEnv('REPO_ADMIN_PASSWORD'),
    startsNew: what.startsNew,
    log,
    worker: {
      seat,
      metrics: parent.metrics,
      begin: ({ model }) => parent.begin({ edition: editionOf(config, model.fingerprint) }),
    },
  });
  parent.onAsked((asked) => {
    if (asked.do === 'reload') return void (asked.tellsOfChanges ? server.reload() : server.reloadQuietly());
    server.kill();
    process.exit(EXIT.failure);
  });
  const { address, shownAddress, isFirstStart, generatedPassword } = server;
  const first = isFirstStart && {
    address: shownAddress,
    generatedPassword,
    firstSteps: await server.findFirstSteps(),
  };
  parent.reportReady({ address, ...(first && { first }) });
  await parent.stopped;
  await server.stop(options.shutdownTimeout);
}

/** Returns a value that is equal for workers with the same program, configuration and model. */
function editionOf(config: ServerConfig, fingerprint: string): string {
  return Bun.hash(JSON.stringify([version, config, fingerprint])).toString(36);
}
