import { Command, InvalidArgumentError, Option } from 'commander';
import { readEnv } from '../base/env.ts';
import { LOG_FORMATS, LOG_LEVELS, type LogFormat, type LogLevel } from '../base/log.ts';
import { ConfigError } from '../base/yaml-file.ts';
import { EXIT, type ExitCode } from './exit-code.ts';
import { type Mode, modeOption, whyNot } from './mode.ts';

const DEFAULT_PROCESSOR_PORT = 8080;
const MAX_PORT = 65_535;
const MAX_SHUTDOWN_S = 86_400;

interface ServeFlags {
  mode: Mode;
  config?: string;
  host?: string;
  port?: number;
  logLevel: LogLevel;
  logFormat: LogFormat;
  shutdownTimeout: number;
}

const AFTER = `
Signals:
  SIGHUP   read the configuration file again; a file with mistakes is refused
  SIGTERM  finish what runs, for at most --shutdown-timeout seconds, and stop
           (so does SIGINT; a second one stops at once)`;

/** `repo serve`: starts, and goes on until it is told to stop. */
export function serveCommand(finish: (code: ExitCode) => void): Command {
  return new Command('serve')
    .description('start the service')
    .addOption(modeOption())
    .option('--config <file>', 'the configuration file (required in processor mode)')
    .option(
      '--host <address>',
      'the address to listen on (default: 0.0.0.0; 127.0.0.1 for a processor without jwksUri)',
    )
    .option(
      '--port <number>',
      `the port to listen on (default: SERVICE_PORT, else ${DEFAULT_PROCESSOR_PORT})`,
      parsePort,
    )
    .addOption(new Option('--log-level <level>', 'the least that is logged').choices(LOG_LEVELS).default('info'))
    .addOption(
      new Option('--log-format <format>', 'how it is logged')
        .choices(LOG_FORMATS)
        .default(process.stdout.isTTY ? 'pretty' : 'json', 'pretty on a terminal, else json'),
    )
    .option('--shutdown-timeout <seconds>', 'how long to wait for what runs', parseSeconds, 30)
    .addHelpText('after', AFTER)
    .action(async (flags: ServeFlags, command: Command) => {
      const unavailable = whyNot(flags.mode);
      if (unavailable) command.error(unavailable);
      if (!flags.config) command.error('--mode processor needs --config FILE, which says what commands to run');
      finish(await serve(flags, flags.config as string, flags.port ?? portFromEnvironment(command)));
    });
}

async function serve(flags: ServeFlags, configFile: string, port: number): Promise<ExitCode> {
  const [{ createLog }, { startProcessor }, { ListenError }] = await Promise.all([
    import('../base/log.ts'),
    import('../modes/processor.ts'),
    import('../modes/listen.ts'),
  ]);
  const log = createLog({ level: flags.logLevel, format: flags.logFormat });
  // One request's stray failure must not end the work of all others.
  process.on('unhandledRejection', (error) => log.error({ err: error }, 'a failure that nobody handled'));
  try {
    const service = await startProcessor({ configFile, host: flags.host, port, log });
    process.on('SIGHUP', () => void service.reload());
    await stopSignal();
    const isImpatient = await Promise.race([service.stop(flags.shutdownTimeout), stopSignal().then(() => true)]);
    if (isImpatient) {
      service.kill();
      process.exit(EXIT.failure);
    }
    return EXIT.ok;
  } catch (error) {
    if (!(error instanceof ConfigError || error instanceof ListenError)) throw error;
    console.error(error.message);
    return EXIT.failure;
  }
}

function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve());
  });
}

function portFromEnvironment(command: Command): number {
  const value = readEnv('SERVICE_PORT');
  if (value === undefined) return DEFAULT_PROCESSOR_PORT;
  try {
    return parsePort(value);
  } catch (error) {
    return command.error(`SERVICE_PORT is ${value}: ${(error as Error).message}`);
  }
}

function parsePort(value: string): number {
  const port = Number(value);
  if (/^\d+$/.test(value) && port <= MAX_PORT) return port;
  throw new InvalidArgumentError(`It must be a number from 0 to ${MAX_PORT}.`);
}

function parseSeconds(value: string): number {
  const seconds = Number(value);
  if (value.trim() !== '' && seconds >= 0 && seconds <= MAX_SHUTDOWN_S) return seconds;
  throw new InvalidArgumentError(`It must be a number of seconds from 0 to ${MAX_SHUTDOWN_S}.`);
}
