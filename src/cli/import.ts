import { Command, InvalidArgumentError, Option } from 'commander';
import type { CommandRepository } from '../server/open-repository-for-command.ts';
import type { ExitCode } from './attempt.ts';
import { type ImportFlags, whyNotUnderstood } from './import-flags.ts';
import { parsePath } from './parse-value.ts';
import { withSettings } from './settings.ts';
import { withRepository } from './with-repository.ts';

const USUAL_CONCURRENCY = 8;
const MAX_CONCURRENCY = 64;

const AFTER = `
The table has the columns of Islandora Workbench: id, title, file, parent_id, field_... All of it is checked before
anything is loaded. It may be done while the repository runs. An import that is broken off, with Ctrl-C or by a crash,
goes on when the same is asked for again, and makes nothing twice. What has become of each row is written to a table
beside it.

Examples:
  repo import nodes.csv --check
  repo import nodes.csv --files scans
  repo import nodes.csv --create-terms person --create-terms corporate_body
  repo import nodes.csv --files scans --additional-files "transcript=Transcript" --user jane
  repo import --bag bags
  repo import --ocfl storage-root --check`;

/** Creates `repo import`, which loads nodes with their files from a table or from packages. */
export function importCommand(finish: (code: ExitCode) => void): Command {
  const command = new Command('import')
    .description('load nodes and their files from a table (CSV), or from bags or OCFL objects')
    .argument('[table]', 'the table', parsePath)
    .option('--files <folder>', 'the folder that the files of the table are in', parsePath)
    .option('--check', 'look for problems, and load nothing')
    .option('--again', 'load a table once more that was loaded already')
    .option('--user <name>', 'who makes it, with their permissions', 'admin')
    .option('--content-type <name>', 'the content type of rows that name none', 'islandora_object')
    .option(
      '--create-terms <vocabulary>',
      'create missing terms in this vocabulary, too; may be repeated (default: only where a field has auto_create)',
      (name: string, former: readonly string[]) => [...former, name],
      [],
    )
    .option('--no-new-terms', 'create no terms, not even where a field has auto_create')
    .option('--delimiter <character>', 'what stands between cells', parseDelimiter, ',')
    .option('--subdelimiter <text>', 'what stands between the values of a cell', '|')
    .option('--additional-files <column=term>', 'a column of more files, and the use they are of', parseUse, new Map())
    .option('--text-format <name>', 'the format of formatted texts')
    .option('--concurrency <count>', 'so many files at a time', parseConcurrency, USUAL_CONCURRENCY)
    .option('--output <file>', 'where the result is written (default: <table>.result.csv)', parsePath)
    .option('--quiet', 'show no progress')
    .addOption(
      new Option('--bag <path>', 'instead of a table: a BagIt bag, a zip file of one, or a folder of these')
        .argParser(parsePath)
        .conflicts('ocfl'),
    )
    .addOption(
      new Option('--ocfl <path>', 'instead of a table: an OCFL object, or a storage root').argParser(parsePath),
    );
  return withSettings(command)
    .addHelpText('after', AFTER)
    .action(async (table: string | undefined, flags: ImportFlags, self: Command) => {
      const misuse = whyNotUnderstood(table, flags, self);
      if (misuse !== undefined) self.error(`error: ${misuse}`);
      const work = async (repository: CommandRepository) => {
        if (table !== undefined) return (await import('./import-table.ts')).importTableFile(repository, table, flags);
        return (await import('./import-packages.ts')).importPackagesAt(repository, flags);
      };
      finish(await withRepository(flags, self, work, { hasStores: true }));
    });
}

function parseDelimiter(value: string): string {
  const character = value === '\\t' || value === 'tab' ? '\t' : value;
  if ([...character].length === 1 && !'"\r\n'.includes(character)) return character;
  throw new InvalidArgumentError('It must be one character such as ; or \\t, and no quote.');
}

function parseUse(value: string, former: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const [, column, term] = /^([^=]+)=(.+)$/.exec(value) ?? [];
  if (column !== undefined && term !== undefined) return new Map([...former, [column.trim(), term.trim()]]);
  throw new InvalidArgumentError('It must name a column and a term of media use, such as transcript=Transcript.');
}

function parseConcurrency(value: string): number {
  const count = Number(value);
  if (/^\d+$/.test(value) && count >= 1 && count <= MAX_CONCURRENCY) return count;
  throw new InvalidArgumentError(`It must be a number from 1 to ${MAX_CONCURRENCY}.`);
}
