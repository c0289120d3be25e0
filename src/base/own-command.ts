/** The command that runs this very program with the same arguments. */
export function ownCommand(): [program: string, ...args: string[]] {
  return [process.execPath, ...scriptOfSource(), ...Bun.argv.slice(2)];
}

/** What stands between the runtime and the arguments: the executable holds the program itself. */
function scriptOfSource(): string[] {
  return Bun.main.startsWith('/$bunfs/') ? [] : [...process.execArgv, Bun.main];
}
