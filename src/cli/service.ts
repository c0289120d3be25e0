import type { Log, LogFormat, LogLevel } from '../base/log.ts';
import type { Overrides } from '../config/overrides.ts';
import type { TlsFiles } from '../config/server-config.ts';
import type { ProcessorConfigSource } from '../processor/config/load-config.ts';
import { EXIT, type ExitCode } from './attempt.ts';

export interface ServiceOptions {
  logLevel: LogLevel;
  logFormat: LogFormat;
  shutdownTimeout: number;
}

export interface ProcessorToRun {
  mode: 'processor';
  source: ProcessorConfigSource;
  host: string | undefined;
  port: number;
  /** Undefined: plain HTTP. */
  tlsFiles: TlsFiles | undefined;
}

export interface RepositoryToRun {
  mode: 'repository' | 'all';
  configFile: string | undefined;
  host: string | undefined;
  overrides: Overrides;
  startsNew: boolean;
}

/** A running service, as signals control it. */
export interface Service {
  reload(): Promise<void>;
  stop(timeoutSeconds: number): Promise<void>;
  kill(): unknown;
}

/** Starts a service and waits until a signal stops it. Returns the exit code: 1 if the start failed. */
export async function untilStopped(
  start: () => Promise<Service | undefined>,
  { shutdownTimeout }: ServiceOptions,
): Promise<ExitCode> {
  const stopped = stopSignal();
  const starting = start();
  // A signal during the start must not end the program. A failed start is reported below.
  process.on('SIGHUP', () => {
    starting.then(
      (service) => service?.reload(),
      () => {},
    );
  });
  const service = await starting;
  if (service === undefined) return EXIT.failure;
  await stopped;
  const isImpatient = await Promise.race([service.stop(shutdownTimeout), stopSignal().then(() => true)]);
  if (isImpatient) {
    await service.kill();
    process.exit(EXIT.failure);
  }
  return EXIT.ok;
}

/**
 * Logs unhandled errors: the error of one request must not end the others. `written` resolves when a slow log is written.
 */
export function logStrayFailures(log: Log, written?: () => Promise<unknown>): void {
  process.on('unhandledRejection', (error) => log.error({ err: error }, 'unhandled error'));
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'unhandled error; stopping');
    const end = () => process.exit(EXIT.failure);
    if (written) written().finally(end);
    else end();
  });
}

/** Hides new files from other users: the database holds hashes of passwords, and its folder may be readable. */
export function hideNewFilesFromOthers(): void {
  process.umask(process.umask() | 0o027);
}

function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve());
  });
}
