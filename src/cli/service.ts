import type { Log, LogFormat, LogLevel } from '../base/log.ts';
import type { Overrides } from '../modes/load-repository-config.ts';
import type { ProcessorConfigSource } from '../modes/processor-config.ts';
import type { TlsFiles } from '../modes/tls/certificate.ts';
import { EXIT, type ExitCode } from './exit-code.ts';

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

/** What signals do to a service. */
export interface Service {
  reload(): Promise<void>;
  stop(timeoutSeconds: number): Promise<void>;
  kill(): unknown;
}

/** Starts a service, and ends when a signal has stopped it. Answers the exit code; 1 if nothing could be started, which has been said then. */
export async function untilStopped(
  start: () => Promise<Service | undefined>,
  { shutdownTimeout }: ServiceOptions,
): Promise<ExitCode> {
  const stopped = stopSignal();
  const starting = start();
  // A signal that comes before the start is over must not end the program; that a start has failed is told below.
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
 * One request's stray failure must not end the work of all others. `written` resolves when the log is out, where that
 * takes its time.
 */
export function logStrayFailures(log: Log, written?: () => Promise<unknown>): void {
  process.on('unhandledRejection', (error) => log.error({ err: error }, 'a failure that nobody handled'));
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'a failure that nobody handled; stopping');
    const end = () => process.exit(EXIT.failure);
    if (written) written().finally(end);
    else end();
  });
}

/** The database holds hashes of passwords, and its folder may have been made by someone less careful. */
export function hideNewFilesFromOthers(): void {
  process.umask(process.umask() | 0o027);
}

function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve());
  });
}
