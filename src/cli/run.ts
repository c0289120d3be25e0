import { Command, CommanderError, Help } from 'commander';
import { nearest } from '../base/nearest.ts';
import { checkConfigCommand } from './check-config.ts';
import { EXIT, type ExitCode } from './exit-code.ts';
import { serveCommand } from './serve.ts';
import { versionCommand } from './version.ts';

const EXAMPLES = `
Examples:
  repo serve --mode processor --config cmds.yaml
  repo check-config --mode processor cmds.yaml
  repo help serve`;

/** Runs one command line and answers its exit code: 0 done, 1 failed, 2 not understood. */
export async function run(argv: string[]): Promise<ExitCode> {
  let exitCode: ExitCode = EXIT.ok;
  const finish = (code: ExitCode) => {
    exitCode = code;
  };
  const program = new Command('repo')
    .description('A whole digital repository in one executable.')
    .helpCommand('help [command]', 'show this help, or that of one command')
    .helpOption('-h, --help', 'show this help')
    .addHelpText('after', EXAMPLES)
    .configureHelp({ subcommandTerm: (command) => new Help().subcommandTerm(command).replace(' [options]', '') })
    .addCommand(serveCommand(finish))
    .addCommand(checkConfigCommand(finish))
    .addCommand(versionCommand());
  for (const command of [program, ...program.commands]) {
    command.exitOverride().configureOutput({ outputError: (text, write) => write(explain(text, command)) });
    if (command !== program) command.helpOption('-h, --help', 'show this help');
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

/** An error of usage as a person would say it, with the nearest match and where to look. */
function explain(text: string, command: Command): string {
  const message = text
    .trim()
    .replace(/^error: /, '')
    .replace(/\n?\(Did you mean .*\)$/s, '');
  const guess = nearestMeant(message, command);
  const path = command.parent ? `repo ${command.name()}` : 'repo';
  return `repo: ${message.replace(/\.$/, '')}${guess ? `; did you mean ${guess}?` : ''}\nSee ${path} --help.\n`;
}

/** What was probably meant by the command, option or choice that a message is about. */
function nearestMeant(message: string, command: Command): string | undefined {
  const choice = message.match(/argument '([^']*)' is invalid\. Allowed choices are (.*)\.$/);
  if (choice) return nearest(choice[1] as string, (choice[2] as string).split(', '));
  const unknown = message.match(/^unknown (command|option) '(-*[^'=]*)/);
  if (!unknown) return undefined;
  const commands = [...command.commands.map((sub) => sub.name()), 'help'];
  const options = [...command.options.flatMap((option) => option.long ?? []), '--help'];
  return nearest(unknown[2] as string, unknown[1] === 'command' ? commands : options);
}
