import { Command } from 'commander';

/** Creates `repo help`, which shows the help of the program, or of a command such as `storage verify`. */
export function helpCommand(program: Command): Command {
  return new Command('help')
    .description('show this help, or that of one command')
    .argument('[command...]', 'the command, such as: storage verify')
    .action((names: string[]) => {
      let found = program;
      for (const name of names) {
        const sub = found.commands.find((each) => each.name() === name);
        // The same error as without "help".
        if (sub === undefined) found.error(`error: unknown command '${name}'`, { code: 'commander.unknownCommand' });
        else found = sub;
      }
      found.outputHelp();
    });
}
