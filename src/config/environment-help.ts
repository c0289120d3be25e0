import { type Setting, settingsIn } from './setting.ts';
import { FLAG_SETTINGS, PASSWORD_VARIABLE, SETTINGS } from './settings.ts';

const INDENT = '  ';
/** The width of the column of names. A line without description may be longer. */
const NAMES_CHARS = 38;
const LINE_OF_NAMES = /\S.{0,43}(?:,(?= )|$)/g;

/** Returns the variables of the environment and their meanings, for `repo serve --help`. */
export function environmentHelp(): string {
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
      'without it, the first start generates one and prints it',
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
