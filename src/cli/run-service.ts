import { readEnv } from '../base/env.ts';
import type { Log, LogFormat, LogLevel } from '../base/log.ts';
import type { Overrides } from '../modes/load-repository-config.ts';
import { attempt } from './attempt.ts';
import { EXIT, type ExitCode } from './exit-code.ts';

export interface ServiceOptions {
  logLevel: LogLevel;
  logFormat: LogFormat;
  shutdownTimeout: number;
}

export type WhatToRun =
  | { mode: 'processor'; configFile: string; host: string | undefined; port: number }
  | { mode: 'repository' | 'all'; configFile: string | undefined; host: string | undefined; overrides: Overrides };

/** What signals do to a service. */
interface Service {
  reload(): Promise<void>;
  stop(timeoutSeconds: number): Promise<void>;
  kill(): void;
}

/** Starts a service, and ends when a signal has stopped it. Answers the exit code. */
export function runService(options: ServiceOptions, what: WhatToRun): Promise<ExitCode> {
  return attempt(async () => {
    const { createLog } = await import('../base/log.ts');
    const log = createLog({ level: options.logLevel, format: options.logFormat });
    logStrayFailures(log);
    const stopped = stopSignal();
    // A signal that comes before the start is over must not end the program.
    let service: Service | undefined;
    process.on('SIGHUP', () => void service?.reload());
    service = what.mode === 'processor' ? await startProcessor(what, log) : await startServer(what, log);
    await stopped;
    const isImpatient = await Promise.race([service.stop(options.shutdownTimeout), stopSignal().then(() => true)]);
    if (isImpatient) {
      service.kill();
      process.exit(EXIT.failure);
    }
    return EXIT.ok;
  });
}

async function startProcessor(what: WhatToRun & { mode: 'processor' }, log: Log): Promise<Service> {
  const { startProcessor: start } = await import('../modes/processor.ts');
  return start({ ...what, log });
}

async function startServer(what: WhatToRun & { mode: 'repository' | 'all' }, log: Log): Promise<Service> {
  const { mode, configFile, host, overrides } = what;
  const { startServer: start } = await import('../modes/server.ts');
  hideNewFilesFromOthers();
  const password = readEnv('REPO_ADMIN_PASSWORD');
  const server = await start({
    configFile,
    overrides,
    hasProcessor: mode === 'all',
    processorHost: host,
    administratorPassword: password,
    log,
  });
  if (server.isFirstStart) {
    const { welcome } = await import('./welcome.ts');
    const { address, generatedPassword } = server;
    console.log(welcome({ address, generatedPassword, firstSteps: await server.findFirstSteps() }));
  }
  return server;
}

/** The database holds hashes of passwords, and its folder may have been made by someone less careful. */
function hideNewFilesFromOthers(): void {
  process.umask(process.umask() | 0o027);
}

function logStrayFailures(log: Log): void {
  // One request's stray failure must not end the work of all others.
  process.on('unhandledRejection', (error) => log.error({ err: error }, 'a failure that nobody handled'));
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'a failure that nobody handled; stopping');
    process.exit(EXIT.failure);
  });
}

function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve());
  });
}
