import { Command, InvalidArgumentError, Option } from 'commander';
import { oneOf } from '../field-types/cell.ts';
import type { LinkedType } from '../repository/access-rule.ts';
import type { CommandRepository } from '../server/open-repository-for-command.ts';
import { KIND_NAMES } from '../transfer/update/update-columns.ts';
import type { ExitCode } from './attempt.ts';
import { type ImportFlags, usageError } from './import-flags.ts';
import { parseConcurrency, parseEntityId, parsePath } from './parse-value.ts';
import { withSettings } from './settings.ts';
import { withRepository } from './with-repository.ts';

const DEFAULT_CONCURRENCY = 8;

const AFTER = `
The table has the columns of Islandora Workbench: id, title, file, parent_id, field_... The whole table is checked before
anything is loaded. It works while the repository runs. The same command resumes an import after Ctrl-C or a crash, and
creates nothing twice. The result of each row is written to a second table.

Examples:
  repo import nodes.csv --check
  repo import nodes.csv --files scans
  repo import nodes.csv --create-terms person --create-terms corporate_body
  repo import nodes.csv --files scans --additional-files "transcript=Transcript" --user jane
  repo import nodes.xlsx --sheet Maps
  repo import changes.csv --update --check
  repo import changes.csv --update --append field_subject --reason "Subjects of 2026"
  repo import --undo 17
  repo import --bag bags
  repo import --bag scans --plan items.csv
  repo import --ocfl storage-root --check`;

/** Creates `repo import`, which loads nodes with their files from a table or from packages. */
export function importCommand(finish: (code: ExitCode) => void): Command {
  const command = new Command('import')
    .description('import nodes and their files from a table (CSV, XLSX, ODS), bags or OCFL objects')
    .argument('[table]', 'CSV file or spreadsheet (.xlsx, .ods)', parsePath)
    .option('--files <folder>', 'folder of the files of the table', parsePath)
    .option('--check', 'check the table or packages, and import nothing')
    .option('--again', 'load a table again, although it was loaded before')
    .option('--user <name>', 'user who creates the content, with their permissions', 'admin')
    .option('--content-type <name>', 'content type of rows without one', 'islandora_object')
    .addOption(
      new Option('--create-terms <vocabulary>', 'create missing terms in this vocabulary; repeatable')
        .argParser((name: string, previous: readonly string[]) => [...previous, name])
        .default([], 'only for fields with auto_create'),
    )
    .option('--no-new-terms', 'create no terms, not even for fields with auto_create')
    .option('--delimiter <character>', 'delimiter of cells of a CSV file', parseDelimiter, ',')
    .option('--sheet <name>', 'sheet of a spreadsheet (default: the first visible one)')
    .option('--subdelimiter <text>', 'delimiter of the values of a cell', '|')
    .addOption(
      new Option('--additional-files <column=term>', 'column of further files, and the term of their use; repeatable')
        .argParser(parseUse)
        .default(new Map(), 'none'),
    )
    .option('--text-format <name>', 'format of formatted texts')
    .option('--concurrency <count>', 'number of concurrent files', parseConcurrency, DEFAULT_CONCURRENCY)
    .option('--output <file>', 'table of results (default: <table>.result.csv)', parsePath)
    .option('--quiet', 'show no progress')
    .option('--update', 'change existing content: the column node_id, media_id, term_id or uuid names it')
    .addOption(new Option('--type <kind>', 'with --update: node, media or term').argParser(parseKind).default('node'))
    .option('--key <column>', 'with --update: the field that names the rows (default: the id or uuid)')
    .addOption(columnsOption('--append <column>', 'with --update: cells of this column add values; repeatable'))
    .addOption(columnsOption('--remove <column>', 'with --update: cells of this column remove values; repeatable'))
    .option('--overwrite', 'with --update: change values that others have changed since the export')
    .option('--reason <text>', 'with --update: reason for the history')
    .addOption(
      new Option(
        '--undo <import>',
        'undo an import, by its number in repo imports: restore values, or delete created items',
      ).argParser(parseEntityId),
    )
    .addOption(
      new Option('--bag <path>', 'instead of a table: a BagIt bag, a ZIP file of one, or a folder of these')
        .argParser(parsePath)
        .conflicts('ocfl'),
    )
    .option(
      '--plan <table>',
      'with --bag, for a bag of plain files: write a table of items for them, and load nothing',
      parsePath,
    )
    .option('--folders-as-items', 'with --plan: each folder is an item with its files as members (default: each file)')
    .addOption(
      new Option('--ocfl <path>', 'instead of a table: an OCFL object, or a storage root').argParser(parsePath),
    );
  return withSettings(command)
    .addHelpText('after', AFTER)
    .action(async (table: string | undefined, flags: ImportFlags, self: Command) => {
      const misuse = usageError(table, flags, self);
      if (misuse !== undefined) self.error(`error: ${misuse}`);
      const work = async (repository: CommandRepository) => {
        const { undo, update } = flags;
        if (undo !== undefined) return (await import('./update-table.ts')).undoImport(repository, undo, flags);
        if (table !== undefined && update)
          return (await import('./update-table.ts')).updateFromTable(repository, table, flags);
        if (table !== undefined) return (await import('./import-table.ts')).importTableFile(repository, table, flags);
        if (flags.plan !== undefined) return (await import('./plan-bag.ts')).planBag(repository, flags);
        return (await import('./import-packages.ts')).importPackagesAt(repository, flags);
      };
      finish(await withRepository(flags, self, work, { hasStores: true }));
    });
}

function columnsOption(flags: string, description: string): Option {
  return new Option(flags, description)
    .argParser((name: string, previous: readonly string[]) => [...previous, name])
    .default([], 'none');
}

function parseKind(value: string): LinkedType {
  const [type] = Object.entries(KIND_NAMES).find(([, name]) => name === value) ?? [];
  if (type !== undefined) return type as LinkedType;
  throw new InvalidArgumentError(`It must be ${oneOf(Object.values(KIND_NAMES))}.`);
}

function parseDelimiter(value: string): string {
  const character = value === '\\t' || value === 'tab' ? '\t' : value;
  if ([...character].length === 1 && !'"\r\n'.includes(character)) return character;
  throw new InvalidArgumentError('It must be one character such as ; or \\t, except quotes.');
}

function parseUse(value: string, previous: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const [, column, term] = /^([^=]+)=(.+)$/.exec(value) ?? [];
  if (column !== undefined && term !== undefined) return new Map([...previous, [column.trim(), term.trim()]]);
  throw new InvalidArgumentError('It must name a column and a term of media use, such as transcript=Transcript.');
}
