import { version } from '../../package.json' with { type: 'json' };
import { readEnv } from '../base/env.ts';
import { createLog } from '../base/log.ts';
import type { ServerConfig } from '../modes/repository-config.ts';
import { startServer } from '../modes/server.ts';
import { followParent, type Parent } from '../modes/workers/parent.ts';
import type { Seat } from '../modes/workers/seat.ts';
import { EXIT, type ExitCode } from './exit-code.ts';
import { hideNewFilesFromOthers, logStrayFailures, type RepositoryToRun, type ServiceOptions } from './service.ts';

/** What a worker is told beside its seat: the same as every other one. */
export interface WorkerToRun {
  readonly options: ServiceOptions;
  readonly what: RepositoryToRun;
  readonly config: ServerConfig;
}

/** Answers requests as one of several workers, until its parent has it stop. Answers the exit code. */
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
  // Once the parent is gone, nobody can read what is written: this process is about to stop.
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
  parent.tellReady({ address, ...(first && { first }) });
  await parent.stopped;
  await server.stop(options.shutdownTimeout);
}

/** The same for workers that run with the same program, configuration and model. */
function editionOf(config: ServerConfig, fingerprint: string): string {
  return Bun.hash(JSON.stringify([version, config, fingerprint])).toString(36);
}
