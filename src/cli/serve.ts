import { Command, Option } from 'commander';
import { LOG_FORMATS, LOG_LEVELS, type LogFormat, type LogLevel } from '../base/log.ts';
import type { ExitCode } from './exit-code.ts';
import { type Mode, modeOption } from './mode.ts';
import { parsePort, parseSeconds, parseWorkers } from './parse-value.ts';
import { runService } from './run-service.ts';
import {
  overridesFrom,
  portFromEnvironment,
  processorSource,
  type ServerFlags,
  settingOptions,
  tlsFilesFrom,
} from './settings.ts';

const DEFAULT_PROCESSOR_PORT = 8080;

interface ServeFlags extends ServerFlags {
  mode: Mode;
  logLevel: LogLevel;
  logFormat: LogFormat;
  shutdownTimeout: number;
  newDatabase?: boolean;
}

/** Options that mean nothing to a processor by itself. */
const OF_REPOSITORY = {
  data: '--data',
  model: '--model',
  baseUrl: '--base-url',
  processorPort: '--processor-port',
  workers: '--workers',
  redirectPort: '--redirect-port',
  newDatabase: '--new-database',
};

const NO_CONFIG =
  '--mode processor needs --config FILE, which says what commands to run (or SCYLLARIDAE_YML_PATH or SCYLLARIDAE_YML)';

const AFTER = `
Environment:
  REPO_DATA, REPO_PORT, REPO_BASE_URL,
  REPO_WORKERS                          as --data, --port, --base-url and --workers, which go before them
  REPO_TLS_CERT, REPO_TLS_KEY           as --tls-cert and --tls-key, which go before them
  REPO_DATABASE_URL, REPO_DATABASE_AUTH_TOKEN,
  REPO_DATABASE_SYNC_URL                the database (see config/repository.yaml); a file in the data folder
  REPO_ADMIN_PASSWORD                   of the administrator, admin, whom the first start makes;
                                        without it one is made up, and printed once
  SERVICE_PORT                          as --port, with --mode processor
  SCYLLARIDAE_YML_PATH, SCYLLARIDAE_YML,
  SCYLLARIDAE_PORT                      as --config, the text of that file, and --port, with --mode processor;
                                        those above and the options take precedence

Signals:
  SIGHUP   read the TLS certificate and the processor's configuration again (one with mistakes
           is refused), and say what else has changed and needs a restart
  SIGTERM  finish what runs, for at most --shutdown-timeout seconds, and stop
           (so does SIGINT; a second one stops at once)

Examples:
  repo serve
  repo serve --workers auto
  repo serve --data /srv/repo --port 80 --base-url https://repository.example.org
  repo serve --port 443 --redirect-port 80 --tls-cert fullchain.pem --tls-key privkey.pem
  repo serve --mode processor --config cmds.yaml`;

/** `repo serve`: starts, and goes on until it is told to stop. */
export function serveCommand(finish: (code: ExitCode) => void): Command {
  const command = new Command('serve')
    .description('start the repository, the processor, or both')
    .addOption(modeOption());
  for (const option of settingOptions()) command.addOption(option);
  return command
    .option(
      '--host <address>',
      'the address to listen on (default: 0.0.0.0, every one; 127.0.0.1 for a processor without jwksUri)',
    )
    .option(
      '--port <number>',
      `the port to listen on (default: REPO_PORT, else 8000; processor: SERVICE_PORT, else ${DEFAULT_PROCESSOR_PORT})`,
      parsePort,
    )
    .option('--base-url <url>', 'the public address (default: REPO_BASE_URL, else as each request says)')
    .option('--tls-cert <file>', 'answer with TLS: the certificate and its chain, in PEM (default: REPO_TLS_CERT)')
    .option('--tls-key <file>', 'the key of that certificate, in PEM (default: REPO_TLS_KEY)')
    .option('--redirect-port <number>', 'open a port of plain HTTP that redirects to the one with TLS', parsePort)
    .option('--processor-port <number>', 'open a port for the processor too (with --mode all)', parsePort)
    .option(
      '--workers <number>',
      'how many processes answer, "auto" for one per core (default: REPO_WORKERS, else 1; more need Linux)',
      parseWorkers,
    )
    .addOption(new Option('--log-level <level>', 'the least that is logged').choices(LOG_LEVELS).default('info'))
    .addOption(
      new Option('--log-format <format>', 'how it is logged')
        .choices(LOG_FORMATS)
        .default(process.stdout.isTTY ? 'pretty' : 'json', 'pretty on a terminal, else json'),
    )
    .option('--new-database', 'begin a new repository where the database of an earlier one is lost; its files stay')
    .option('--shutdown-timeout <seconds>', 'how long to wait for what runs', parseSeconds, 30)
    .addHelpText('after', AFTER)
    .action(async (flags: ServeFlags, self: Command) => finish(await serve(flags, self)));
}

async function serve(flags: ServeFlags, command: Command): Promise<ExitCode> {
  const { mode, config, host } = flags;
  if (mode === 'processor') {
    const source = processorSource(config) ?? command.error(NO_CONFIG);
    for (const [flag, name] of Object.entries(OF_REPOSITORY)) {
      if (flags[flag as keyof typeof OF_REPOSITORY] !== undefined)
        command.error(`${name} has no effect with --mode processor`);
    }
    const port =
      flags.port ??
      portFromEnvironment('SERVICE_PORT', command) ??
      portFromEnvironment('SCYLLARIDAE_PORT', command) ??
      DEFAULT_PROCESSOR_PORT;
    return runService(flags, { mode, source, host, port, tlsFiles: tlsFilesFrom(flags, command) });
  }
  if (mode === 'repository' && flags.processorPort !== undefined)
    command.error('--processor-port has no effect with --mode repository');
  const overrides = overridesFrom(flags, command);
  if (flags.redirectPort !== undefined && overrides.tls === undefined && config === undefined)
    command.error('--redirect-port needs --tls-cert and --tls-key');
  return runService(flags, { mode, configFile: config, host, overrides, startsNew: flags.newDatabase ?? false });
}
