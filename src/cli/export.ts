import { Command, InvalidArgumentError, Option } from 'commander';
import type { CommandRepository } from '../server/open-repository-for-command.ts';
import type { ExitCode } from './attempt.ts';
import type { ExportFlags } from './export-nodes.ts';
import { parseEntityId, parsePath } from './parse-value.ts';
import { withSettings } from './settings.ts';
import { withRepository } from './with-repository.ts';

const AFTER = `
It may be done while the repository runs. A table is in the form that "repo import" takes back; it is for spreadsheets, and
leaves out what has no place in one. Bags and OCFL objects hold everything, OCFL the earlier revisions, too.

Examples:
  repo export nodes.csv
  repo export nodes.csv --files files --members-of 5
  repo export --bag bags --node 12,13
  repo export --ocfl storage-root`;

/** Creates `repo export`, which writes nodes as a table with files, as bags, or as OCFL objects. */
export function exportCommand(finish: (code: ExitCode) => void): Command {
  const command = new Command('export')
    .description('write nodes into a table with their files, or into packages: bags or OCFL objects')
    .argument('[table]', 'the CSV file to write', parsePath)
    .option('--files <folder>', 'with a table: write the files of the nodes into this folder', parsePath)
    .addOption(
      new Option('--bag <folder>', 'write a BagIt bag for each node into this folder')
        .argParser(parsePath)
        .conflicts(['files', 'ocfl']),
    )
    .addOption(
      new Option('--ocfl <folder>', 'write an object for each node into this OCFL storage root')
        .argParser(parsePath)
        .conflicts('files'),
    )
    .option('--node <ids>', 'these nodes only, such as 12,13', parseIds, [])
    .option('--members-of <id>', 'only what is a member of this node, or of its members', parseEntityId)
    .option('--content-type <type>', 'only nodes of this content type')
    .option('--user <name>', 'only what this user may see (default: the administrator)')
    .option('--delimiter <character>', 'what stands between the cells of the table', parseCharacter, ',')
    .option('--subdelimiter <text>', 'what stands between the values of a cell', parseSubdelimiter, '|')
    .option('--quiet', 'show no progress');
  return withSettings(command)
    .addHelpText('after', AFTER)
    .action(async (table: string | undefined, flags: ExportFlags, self: Command) => {
      const misuse = whyNotUnderstood(table, flags);
      if (misuse !== undefined) self.error(`error: ${misuse}`);
      const work = async (repository: CommandRepository) => {
        const { exportNodes } = await import('./export-nodes.ts');
        return exportNodes(repository, table, flags);
      };
      finish(await withRepository(flags, self, work, { hasStores: true }));
    });
}

function whyNotUnderstood(table: string | undefined, { bag, ocfl, files, delimiter, subdelimiter }: ExportFlags) {
  const places = [table, bag, ocfl].filter((place) => place !== undefined);
  if (places.length === 0) return 'say where to: the name of a table, --bag or --ocfl';
  if (places.length > 1) return 'a table, --bag and --ocfl are written one at a time';
  if (files !== undefined && table === undefined) return '--files goes with a table';
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
