import { Command, Option } from 'commander';
import { LOG_FORMATS, LOG_LEVELS, type LogFormat, type LogLevel } from '../base/log.ts';
import { readTlsFiles } from '../config/overrides.ts';
import { processorPort, processorSource } from '../config/processor-source.ts';
import { type Setting, settingsIn } from '../config/setting.ts';
import { FLAG_SETTINGS, PASSWORD_VARIABLE, SETTINGS } from '../config/settings.ts';
import type { ExitCode } from './attempt.ts';
import { parseSeconds } from './parse-value.ts';
import { runService } from './run-service.ts';
import { type Mode, modeOption, optionFor, overridesFrom, type SettingFlags, withServerSettings } from './settings.ts';

interface ServeFlags extends SettingFlags {
  mode: Mode;
  host?: string;
  port?: number;
  logLevel: LogLevel;
  logFormat: LogFormat;
  shutdownTimeout: number;
  newDatabase?: boolean;
}

/** The settings of a separate processor. It rejects all other flags. */
const OF_PROCESSOR: readonly Setting[] = [SETTINGS.host, SETTINGS.port, SETTINGS.tls.cert, SETTINGS.tls.key];

const NO_CONFIG =
  '--mode processor requires --config FILE with its commands (or SCYLLARIDAE_YML_PATH or SCYLLARIDAE_YML)';

const after = () => `
Environment:
${environmentHelp()}

Signals:
  SIGHUP   read the TLS certificate and the processor's configuration again (invalid ones are
           ignored), and log other changes, which need a restart
  SIGTERM  finish running requests for at most --shutdown-timeout seconds, and stop
           (also SIGINT; a second signal stops at once)

Examples:
  repo serve
  repo serve --workers auto
  repo serve --data /srv/repo --port 80 --base-url https://repository.example.org
  repo serve --port 443 --redirect-port 80 --tls-cert fullchain.pem --tls-key privkey.pem
  repo serve --mode processor --config cmds.yaml`;

/** Creates `repo serve`, which runs until a signal stops it. */
export function serveCommand(finish: (code: ExitCode) => void): Command {
  const command = new Command('serve')
    .description('start the repository, the processor, or both')
    .addOption(modeOption());
  return withServerSettings(command)
    .addOption(new Option('--log-level <level>', 'lowest level that is logged').choices(LOG_LEVELS).default('info'))
    .addOption(
      new Option('--log-format <format>', 'format of the log')
        .choices(LOG_FORMATS)
        .default(process.stdout.isTTY ? 'pretty' : 'json', 'pretty on a terminal, otherwise json'),
    )
    .option('--new-database', 'start a new repository if the database of an earlier one is lost; its files stay')
    .option('--shutdown-timeout <seconds>', 'time for running requests to finish', parseSeconds, 30)
    .addHelpText('after', after)
    .action(async (flags: ServeFlags, self: Command) => finish(await serve(flags, self)));
}

async function serve(flags: ServeFlags, command: Command): Promise<ExitCode> {
  const { mode, config, host } = flags;
  const refuse = (message: string) => command.error(message);
  if (mode === 'processor') {
    const source = processorSource(config) ?? refuse(NO_CONFIG);
    const useless = [
      ...FLAG_SETTINGS.filter((setting) => !OF_PROCESSOR.includes(setting)).map((setting) => optionFor(setting)),
      new Option('--new-database'),
    ].find((option) => flags[option.attributeName()] !== undefined);
    if (useless) refuse(`${useless.long} has no effect with --mode processor`);
    const port = processorPort(flags.port, refuse);
    return runService(flags, { mode, source, host, port, tlsFiles: readTlsFiles(flags, refuse) });
  }
  const overrides = overridesFrom(flags, command);
  if (mode === 'repository' && flags.processorPort !== undefined)
    refuse('--processor-port has no effect with --mode repository');
  if (flags.redirectPort !== undefined && !overrides.has(SETTINGS.tls.cert) && config === undefined)
    refuse('--redirect-port requires --tls-cert and --tls-key');
  return runService(flags, { mode, configFile: config, host, overrides, startsNew: flags.newDatabase ?? false });
}

const INDENT = '  ';
/** The width of the column of names. A line without description may be longer. */
const NAMES_CHARS = 38;
const LINE_OF_NAMES = /\S.{0,43}(?:,(?= )|$)/g;

/** Returns the variables of the environment and their meanings, for `repo serve --help`. */
function environmentHelp(): string {
  const tls: readonly Setting[] = settingsIn(SETTINGS.tls);
  const single = FLAG_SETTINGS.filter((setting) => setting.variable !== undefined && !tls.includes(setting));
  return [
    row(variablesOf(single), asFlags(single)),
    row(variablesOf(tls), asFlags(tls)),
    row(
      variablesOf(settingsIn(SETTINGS.database)),
      'database (default: a file in the data folder; see config/repository.yaml)',
    ),
    row(variablesOf(settingsIn(SETTINGS.mail)), 'mail server, and its password (see config/repository.yaml)'),
    row(
      [PASSWORD_VARIABLE],
      'first password of the user admin;',
      'without it, the first start generates one and shows it on the terminal',
    ),
    row(['SERVICE_PORT'], 'same as --port, with --mode processor'),
    row(
      ['SCYLLARIDAE_YML_PATH', 'SCYLLARIDAE_YML', 'SCYLLARIDAE_PORT'],
      'same as --config, the text of that file, and --port, with --mode processor;',
      'options and the variables above take precedence',
    ),
  ].join('\n');
}

function variablesOf(settings: readonly Setting[]): string[] {
  return settings.flatMap(({ variable }) => variable ?? []);
}

function asFlags(settings: readonly Setting[]): string {
  const names = settings.map(({ flag }) => flag?.name.split(' ')[0]);
  return `same as ${names.slice(0, -1).join(', ')} and ${names.at(-1)}, which take precedence`;
}

/** Formats names and their description in two columns. */
function row(names: readonly string[], first: string, ...others: readonly string[]): string {
  const lines = names.join(', ').match(LINE_OF_NAMES) ?? [];
  const beside = `${lines.pop()?.padEnd(NAMES_CHARS)}${first}`;
  const below = others.map((text) => ' '.repeat(NAMES_CHARS) + text);
  return [...lines, beside, ...below].map((line) => INDENT + line).join('\n');
}
