import { readFileSync } from 'node:fs';
import { Command, CommanderError, Help } from 'commander';
import notices from '../../node_modules/.browser/third-party.txt' with { type: 'file' };
import { version } from '../../package.json' with { type: 'json' };
import { nearest } from '../base/nearest.ts';
import { EXIT, type ExitCode } from './attempt.ts';
import { authorityCommand } from './authority.ts';
import { backupCommand } from './backup.ts';
import { checkConfigCommand } from './check-config.ts';
import { derivativesCommand } from './derivatives.ts';
import { exportCommand } from './export.ts';
import { importCommand } from './import.ts';
import { importsCommand } from './imports.ts';
import { migrateCommand } from './migrate.ts';
import { restoreCommand } from './restore.ts';
import { searchCommand } from './search.ts';
import { serveCommand } from './serve.ts';
import { settingCommand } from './setting.ts';
import { storageCommand } from './storage.ts';
import { tokenCommand } from './token.ts';
import { tombstoneCommand } from './tombstone.ts';
import { usageCommand } from './usage.ts';
import { userCommand } from './user.ts';

const EXAMPLES = `
Examples:
  repo serve                    start a repository in ./data, on http://localhost:8000
  repo serve --data /srv/repo   start a repository in another data folder
  repo user add jane --role repository_editor
  repo help serve`;

/** Runs a command line. Returns its exit code: 0 for success, 1 for a failure, 2 for invalid arguments. */
export async function run(argv: string[]): Promise<ExitCode> {
  let exitCode: ExitCode = EXIT.ok;
  const finish = (code: ExitCode) => {
    exitCode = code;
  };
  const program = new Command('repo')
    .description('A digital repository in one executable.')
    .helpCommand(false)
    .enablePositionalOptions()
    .helpOption('-h, --help', 'show this help')
    .version(VERSION_TEXT, '--version', 'print the version')
    .addHelpText('after', EXAMPLES)
    .addCommand(serveCommand(finish))
    .addCommand(userCommand(finish))
    .addCommand(tokenCommand(finish))
    .addCommand(settingCommand(finish))
    .addCommand(tombstoneCommand(finish))
    .addCommand(derivativesCommand(finish))
    .addCommand(importCommand(finish))
    .addCommand(importsCommand(finish))
    .addCommand(storageCommand(finish))
    .addCommand(usageCommand(finish))
    .addCommand(searchCommand(finish))
    .addCommand(authorityCommand(finish))
    .addCommand(exportCommand(finish))
    .addCommand(backupCommand(finish))
    .addCommand(restoreCommand(finish))
    .addCommand(migrateCommand(finish))
    .addCommand(checkConfigCommand(finish))
    .addCommand(licensesCommand())
    .addCommand(versionCommand());
  program.addCommand(helpCommand(program));
  for (const command of withSubcommands(program)) {
    command
      .exitOverride()
      .configureHelp({ subcommandTerm: (sub) => new Help().subcommandTerm(sub).replace(' [options]', '') })
      .configureOutput({
        // Unlike a write to process.stdout, these report no error if `head` has closed the pipe.
        writeOut: (text) => console.log(withoutLastLineEnd(text)),
        writeErr: (text) => console.error(withoutLastLineEnd(text)),
        outputError: (text, write) => write(explain(text, command)),
      });
    if (command !== program) command.helpOption('-h, --help', 'show this help').helpCommand(false);
  }
  if (argv.length === 0) {
    program.outputHelp();
    return EXIT.ok;
  }
  try {
    await program.parseAsync(argv, { from: 'user' });
    return exitCode;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  }
}

function withoutLastLineEnd(text: string): string {
  return text.replace(/\n$/, '');
}

function withSubcommands(command: Command): Command[] {
  return [command, ...command.commands.flatMap(withSubcommands)];
}

/** Returns the full name of a command: `repo user add`. */
function pathOf(command: Command): string {
  return command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name();
}

/** Formats an error of usage, with the most similar name and the command for help. */
function explain(text: string, command: Command): string {
  const message = text
    .trim()
    .replace(/^error: (command-argument value )?/, '')
    .replace(/\n?\(Did you mean .*\)$/s, '')
    .replace(/^option '[^']*?(--[\w-]+)[^']*' argument ('.*?') is invalid\./s, 'invalid value $2 for $1.')
    .replace(/^('.*?') is invalid for argument '([^']*)'\./s, 'invalid value $1 for <$2>.');
  const guess = nearestMeant(message, command);
  const sentence = message.replace(/\.$/, '');
  // A message of several sentences ends with a full stop, and its hint is a sentence.
  if (sentence.includes('. '))
    return `repo: ${sentence}.${guess ? ` Did you mean ${guess}?` : ''}\nSee ${pathOf(command)} --help.\n`;
  return `repo: ${sentence}${guess ? `; did you mean ${guess}?` : ''}\nSee ${pathOf(command)} --help.\n`;
}

/** Returns the name that is most similar to the unknown command, option or choice of a message. */
function nearestMeant(message: string, command: Command): string | undefined {
  const choice = message.match(/^invalid value '([^']*)' for \S+ Allowed choices are (.*)\.$/);
  if (choice) return nearest(choice[1] as string, (choice[2] as string).split(', '));
  const unknown = message.match(/^unknown (command|option) '(-*[^'=]*)/);
  if (!unknown) return undefined;
  const commands = command.commands.map((sub) => sub.name());
  const options = [...command.options.flatMap((option) => option.long ?? []), '--help'];
  return nearest(unknown[2] as string, unknown[1] === 'command' ? commands : options);
}

/** Creates `repo help`, which shows the help of the program, or of a command such as `storage verify`. */
function helpCommand(program: Command): Command {
  return new Command('help')
    .description('show this help, or that of a command')
    .argument('[command...]', 'command, such as: storage verify')
    .action((names: string[]) => {
      let command = program;
      for (const name of names) {
        const sub = command.commands.find((each) => each.name() === name);
        // The same error as without "help".
        if (sub === undefined) command.error(`error: unknown command '${name}'`, { code: 'commander.unknownCommand' });
        else command = sub;
      }
      command.outputHelp();
    });
}

/** The version of this executable and of its runtime. */
const VERSION_TEXT = `repo ${version} (bun ${Bun.version}, ${process.platform} ${process.arch})`;

/** Creates `repo version`, which prints the version for a bug report. */
function versionCommand(): Command {
  return new Command('version').description('print the version').action(() => console.log(VERSION_TEXT));
}

/** Creates `repo licenses`, which prints the license texts of the packages in this executable. */
function licensesCommand(): Command {
  return new Command('licenses')
    .description('print the licenses of the packages in this program')
    .action(() => console.log(readFileSync(notices, 'utf8').trimEnd()));
}
