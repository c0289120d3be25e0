import { Command, InvalidArgumentError, Option } from 'commander';
import type { Administration } from '../modes/administration.ts';
import type { ExportRequest, ExportSummary } from '../modes/export-administration.ts';
import { administer } from './administer.ts';
import { counted, filesText } from './count-text.ts';
import { EXIT, type ExitCode } from './exit-code.ts';
import { parseEntityId, parsePath } from './parse-value.ts';
import { plainLine } from './plain-line.ts';
import { type SettingFlags, settingOptions } from './settings.ts';
import { unlessStopped } from './stop-signal.ts';

interface ExportFlags extends SettingFlags {
  files?: string;
  bag?: string;
  ocfl?: string;
  node: number[];
  membersOf?: number;
  contentType?: string;
  user?: string;
  delimiter: string;
  subdelimiter: string;
  quiet?: boolean;
}

/** More of them are counted, and not shown. */
const MAX_SHOWN_PROBLEMS = 100;

const AFTER = `
It may be done while the repository runs. A table is in the form that "repo import" takes back; it is for spreadsheets, and
leaves out what has no place in one. Bags and OCFL objects hold everything, OCFL the earlier revisions, too.

Examples:
  repo export nodes.csv
  repo export nodes.csv --files files --members-of 5
  repo export --bag bags --node 12,13
  repo export --ocfl storage-root`;

/** `repo export`: nodes as a table with files, as bags, or as OCFL objects. */
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
  for (const option of settingOptions()) command.addOption(option);
  return command
    .addHelpText('after', AFTER)
    .action(async (table: string | undefined, flags: ExportFlags, self: Command) => {
      const misuse = whyNotUnderstood(table, flags);
      if (misuse !== undefined) self.error(`error: ${misuse}`);
      let isDone = false;
      const work = async (repository: Administration) => {
        const summary = await unlessStopped(
          'The export was broken off. What was written of packages is whole; a table is not written.',
          (signal) => run(repository, table, flags, signal),
        );
        isDone = summary !== undefined && tellSummary(summary);
      };
      const code = await administer(flags, self, work, { hasStores: true });
      finish(code === EXIT.ok && !isDone ? EXIT.failure : code);
    });
}

function whyNotUnderstood(table: string | undefined, { bag, ocfl, files, delimiter, subdelimiter }: ExportFlags) {
  const places = [table, bag, ocfl].filter((place) => place !== undefined);
  if (places.length === 0) return 'say where to: the name of a table, --bag or --ocfl';
  if (places.length > 1) return 'a table, --bag and --ocfl are written one at a time';
  if (files !== undefined && table === undefined) return '--files goes with a table';
  return delimiter === subdelimiter ? '--delimiter and --subdelimiter must differ' : undefined;
}

async function run(
  { exports }: Administration,
  table: string | undefined,
  flags: ExportFlags,
  signal: AbortSignal,
): Promise<ExportSummary> {
  const { showExport } = await import('./export-display.ts');
  const display = showExport(flags.quiet ?? false);
  let told = 0;
  const watch = {
    signal,
    onProgress: display.show,
    onProblem: ({ nodeId, message }: { nodeId: number; message: string }) => {
      told += 1;
      if (told <= MAX_SHOWN_PROBLEMS) display.tell(plainLine(`Node ${nodeId}: ${message}`));
    },
  };
  const { node: nodes, membersOf, contentType, user, files, delimiter, subdelimiter } = flags;
  const request: ExportRequest = { nodes, membersOf, contentType, user };
  try {
    if (table !== undefined) return await exports.toTable(request, { table, files, delimiter, subdelimiter }, watch);
    const format = flags.bag === undefined ? 'ocfl' : 'bag';
    return await exports.toPackages(request, { format, folder: flags[format] as string }, watch);
  } finally {
    display.end();
  }
}

/** Says what came of it; answers whether all of it was done. */
function tellSummary({ nodes, files, bytes, problems, losses, isWritten }: ExportSummary): boolean {
  const hidden = problems - MAX_SHOWN_PROBLEMS;
  if (hidden > 0) console.error(`And ${hidden} more of these.`);
  for (const [what, count] of losses) console.error(`Note: ${count} ${what}.`);
  if (!isWritten) console.error('The table was not written: some of its cells would be taken for something else.');
  else {
    const withFiles = files === 0 ? '' : ` and ${filesText(files, bytes)}`;
    console.log(`Exported ${counted(nodes, 'node')}${withFiles}.`);
  }
  return problems === 0;
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
