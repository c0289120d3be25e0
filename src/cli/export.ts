import { Command, InvalidArgumentError, Option } from 'commander';
import type { CommandRepository } from '../server/open-repository-for-command.ts';
import type { ExitCode } from './attempt.ts';
import type { ExportFlags } from './export-nodes.ts';
import { parseEntityId, parsePath } from './parse-value.ts';
import { withSettings } from './settings.ts';
import { withRepository } from './with-repository.ts';

const AFTER = `
It works while the repository runs. "repo import" reads the table; values without a place in a table are omitted. Bags and OCFL
objects contain everything, OCFL objects also earlier revisions.

Examples:
  repo export nodes.csv
  repo export nodes.xlsx --for-update
  repo export nodes.csv --files files --members-of 5
  repo export --template nodes.xlsx
  repo export --bag bags --node 12,13
  repo export --ocfl storage-root`;

/** Creates `repo export`, which writes nodes as a table with files, as bags, or as OCFL objects. */
export function exportCommand(finish: (code: ExitCode) => void): Command {
  const command = new Command('export')
    .description('export nodes and their files as a table, as bags, or as OCFL objects')
    .argument('[table]', 'table to write: CSV, or a spreadsheet by its name (.xlsx, .ods)', parsePath)
    .option('--files <folder>', 'with a table: folder for the files of the nodes', parsePath)
    .addOption(
      new Option('--bag <folder>', 'folder for BagIt bags, one for each node')
        .argParser(parsePath)
        .conflicts(['files', 'ocfl']),
    )
    .addOption(
      new Option('--ocfl <folder>', 'OCFL storage root, with one object for each node')
        .argParser(parsePath)
        .conflicts('files'),
    )
    .addOption(
      new Option('--node <ids>', 'only these nodes, such as 12,13; repeatable')
        .argParser(parseIds)
        .default([], 'all nodes'),
    )
    .option('--members-of <id>', 'only the members of this node, and their members', parseEntityId)
    .option('--content-type <type>', 'only nodes of this content type')
    .option('--user <name>', 'only content that this user may view (default: the administrator)')
    .option('--delimiter <character>', 'delimiter of cells of a CSV file', parseCharacter, ',')
    .option('--subdelimiter <text>', 'delimiter of the values of a cell', parseSubdelimiter, '|')
    .option('--for-spreadsheets', "with a table: write ' before cells that a spreadsheet would compute")
    .option('--for-update', 'with a table: for changes that "repo import --update" makes')
    .addOption(
      new Option('--template <table>', 'write an empty table with a column for each field, its help and lists')
        .argParser(parsePath)
        .conflicts(['files', 'bag', 'ocfl', 'node', 'membersOf', 'forSpreadsheets', 'forUpdate']),
    )
    .option('--quiet', 'show no progress');
  return withSettings(command)
    .addHelpText('after', AFTER)
    .action(async (table: string | undefined, flags: ExportFlags, self: Command) => {
      const misuse = usageError(table, flags);
      if (misuse !== undefined) self.error(`error: ${misuse}`);
      const work = async (repository: CommandRepository) => {
        const { template } = flags;
        if (template !== undefined)
          return (await import('./export-template.ts')).exportTemplate(repository, template, flags);
        const { exportNodes } = await import('./export-nodes.ts');
        return exportNodes(repository, table, flags);
      };
      finish(await withRepository(flags, self, work, { hasStores: true }));
    });
}

function usageError(table: string | undefined, flags: ExportFlags) {
  const { bag, ocfl, files, forSpreadsheets, forUpdate, template, delimiter, subdelimiter } = flags;
  const places = [table, bag, ocfl, template].filter((place) => place !== undefined);
  if (places.length === 0) return 'name a table, --bag, --ocfl or --template';
  if (places.length > 1) return 'a table, --bag, --ocfl and --template exclude each other';
  if (files !== undefined && table === undefined) return '--files requires a table';
  if (forSpreadsheets && table === undefined) return '--for-spreadsheets requires a table';
  if (forUpdate && table === undefined) return '--for-update requires a table';
  if (forUpdate && files !== undefined) return '--for-update and --files exclude each other';
  return delimiter === subdelimiter ? '--delimiter and --subdelimiter must differ' : undefined;
}

function parseIds(value: string, before: number[]): number[] {
  return [...before, ...value.split(',').map((id) => parseEntityId(id.trim()))];
}

function parseCharacter(value: string): string {
  if (value === '\\t' || value === 'tab') return '\t';
  if (/^[^"\r\n\p{L}\p{N}]$/u.test(value)) return value;
  throw new InvalidArgumentError('It must be one character that is no letter or digit, or tab.');
}

function parseSubdelimiter(value: string): string {
  if (value !== '' && !/["\r\n]/.test(value)) return value;
  throw new InvalidArgumentError('It must be a text without quotes and ends of lines.');
}
