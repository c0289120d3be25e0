import { Command } from 'commander';
import type { ExitCode } from './attempt.ts';
import { reindexCommand } from './search-reindex.ts';
import { addSearch } from './search-words.ts';

/** Creates `repo search`, which prints results, with its subcommands. */
export function searchCommand(finish: (code: ExitCode) => void): Command {
  const search = addSearch(new Command('search').description('search the content of the repository'), finish);
  // Options after the name of a subcommand are its own.
  return search.enablePositionalOptions().addCommand(reindexCommand(finish));
}
