import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { codeOf } from '../base/errors.ts';
import type { Administration } from '../modes/administration.ts';
import type { ImportAdministration, PreparedImport, TableOptions } from '../modes/import-administration.ts';
import { administer } from './administer.ts';
import { counted } from './count-text.ts';
import { EXIT, type ExitCode } from './exit-code.ts';
import type { ImportDisplay } from './import-display.ts';
import { importPackages, type PackageFlags, packageOptions } from './import-packages.ts';
import { formerLine, newTermLines, planLine, problemLine, summaryLine } from './import-text.ts';
import { parsePath } from './parse-value.ts';
import { type SettingFlags, settingOptions } from './settings.ts';
import { withStopSignal } from './stop-signal.ts';
import { timeText } from './verify-text.ts';

interface ImportFlags extends SettingFlags, PackageFlags {
  files?: string;
  check?: boolean;
  again?: boolean;
  user: string;
  contentType: string;
  newTerms: boolean;
  createTerms: readonly string[];
  delimiter: string;
  subdelimiter: string;
  additionalFiles: ReadonlyMap<string, string>;
  textFormat?: string;
  concurrency: number;
  output?: string;
  quiet?: boolean;
}

const USUAL_CONCURRENCY = 8;
const MAX_CONCURRENCY = 64;
/** Of problems, on the screen: whoever has put these right knows what to look for. */
const MAX_SHOWN = 100;

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

/** `repo import`: nodes with their files, out of a table. */
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
    .option('--quiet', 'show no progress');
  for (const option of [...packageOptions(), ...settingOptions()]) command.addOption(option);
  return command
    .addHelpText('after', AFTER)
    .action(async (table: string | undefined, flags: ImportFlags, self: Command) => {
      const misuse = whyNotUnderstood(table, flags, self);
      if (misuse !== undefined) self.error(`error: ${misuse}`);
      let isDone = true;
      const work = async ({ imports, packages }: Administration) => {
        isDone = table === undefined ? await importPackages(packages, flags) : await importTable(imports, table, flags);
      };
      const code = await administer(flags, self, work, { hasStores: true });
      finish(code === EXIT.ok && !isDone ? EXIT.failure : code);
    });
}

/** These go with packages, too; all others are about tables. */
const OF_PACKAGES = new Set(['bag', 'ocfl', 'check', 'user', 'quiet']);

function whyNotUnderstood(
  table: string | undefined,
  { bag, ocfl, output, check, newTerms, createTerms }: ImportFlags,
  command: Command,
): string | undefined {
  const option = bag === undefined ? '--ocfl' : '--bag';
  if (bag === undefined && ocfl === undefined) {
    if (table === undefined) return 'say what to load: the name of a table, --bag or --ocfl';
    if (!newTerms && createTerms.length > 0) return '--create-terms and --no-new-terms contradict each other';
    const result = output ?? resultBeside(table);
    return whyNoResult(result, table) ?? (check || !existsSync(table) ? undefined : whyNotWritten(result));
  }
  if (table !== undefined) return `a table and ${option} are loaded one at a time`;
  const settings = new Set(settingOptions().map((each) => each.attributeName()));
  const other = command.options.find((each) => {
    const name = each.attributeName();
    return !OF_PACKAGES.has(name) && !settings.has(name) && command.getOptionValueSource(name) === 'cli';
  });
  return other && `${other.long} goes with a table, and not with ${option}`;
}

/** Under whatever name it goes: the result takes the place of what is there. */
function whyNoResult(output: string, table: string): string | undefined {
  if (resolve(output) === resolve(table)) return '--output names the table itself';
  if (!existsSync(output)) return undefined;
  const place = statSync(output);
  if (place.isDirectory())
    return `the result cannot be written to ${output}, which is a folder; name a file with --output`;
  const own = existsSync(table) ? statSync(table) : undefined;
  return own?.ino === place.ino && own.dev === place.dev ? '--output names the table itself' : undefined;
}

/** Told before a table is checked, which may take long; a disk that is full is only found later. */
function whyNotWritten(output: string): string | undefined {
  const folder = dirname(output);
  try {
    accessSync(folder, constants.W_OK);
    return undefined;
  } catch (error) {
    const code = codeOf(error);
    const isMissing = code === 'ENOENT' || code === 'ENOTDIR';
    const reason = isMissing
      ? 'there is no such folder'
      : code === 'EROFS'
        ? 'it is write-protected'
        : 'this user may not write there';
    return `the result cannot be written to ${folder}: ${reason}; name a file elsewhere with --output`;
  }
}

/** Checks and loads, and says what came of it; answers whether all is as was asked for. */
async function importTable(imports: ImportAdministration, file: string, flags: ImportFlags): Promise<boolean> {
  const { showImport } = await import('./import-display.ts');
  const display = showImport(flags.quiet ?? false);
  try {
    return await withStopSignal(async (signal) => {
      try {
        return await checkAndLoad(imports, file, flags, display, signal);
      } catch (error) {
        if (!signal.aborted || error !== signal.reason) throw error;
        display.end();
        console.error('The check was broken off. Nothing was loaded.');
        return false;
      }
    });
  } finally {
    display.end();
  }
}

async function checkAndLoad(
  imports: ImportAdministration,
  file: string,
  flags: ImportFlags,
  display: ImportDisplay,
  signal: AbortSignal,
): Promise<boolean> {
  const startedAt = performance.now();
  const { user, again = false, concurrency, output = resultBeside(file) } = flags;
  const request = { file, again, options: optionsOf(flags) };
  const prepared = await imports.prepare(request, user, { signal, onProgress: display.check });
  display.end();
  if ('finished' in prepared) {
    const { finished } = prepared;
    console.log(
      `${basename(file)} was imported already, on ${timeText(finished.endedAt ?? finished.startedAt)}; --again loads it once more.`,
    );
    if (!flags.check) await imports.writeResult(prepared, user, output);
    return true;
  }
  if (prepared.problemCount > 0) return tellProblems(file, prepared);
  const former = prepared.found.kind === 'new' ? prepared.found.former : undefined;
  if (former) console.error(formerLine(file, former));
  if (flags.check) {
    console.log([planLine(file, prepared), ...newTermLines(prepared)].join('\n'));
    return true;
  }
  const totalRows = prepared.check.rows;
  const summary = await imports.load(
    prepared,
    user,
    { concurrency, output },
    {
      signal,
      onProgress: (counts) => display.load({ ...counts, totalRows }),
    },
  );
  display.end();
  console.log(summaryLine(summary, (performance.now() - startedAt) / 1_000));
  if (summary.failure) console.error(problemLine(file, summary.failure));
  if (summary.failure || summary.isBrokenOff) {
    const left = totalRows - summary.rows;
    console.error(`${counted(left, 'row')} ${left === 1 ? 'is' : 'are'} left. The same command goes on from here.`);
    return false;
  }
  console.log(`What has become of each row is in ${output}.`);
  return true;
}

function tellProblems(file: string, { problems, problemCount }: PreparedImport): false {
  for (const problem of problems.slice(0, MAX_SHOWN)) console.error(problemLine(file, problem));
  if (problemCount > MAX_SHOWN) console.error(`… and ${counted(problemCount - MAX_SHOWN, 'more problem')}.`);
  console.error(`${basename(file)} has ${counted(problemCount, 'problem')}. Nothing was loaded.`);
  return false;
}

function optionsOf(flags: ImportFlags): TableOptions {
  const { delimiter, subdelimiter, contentType, files, newTerms, createTerms, textFormat, additionalFiles } = flags;
  return { delimiter, subdelimiter, contentType, files, newTerms, createTerms, textFormat, additionalFiles };
}

/** `scans/nodes.result.csv` for `scans/nodes.csv`. */
function resultBeside(file: string): string {
  const extension = extname(file);
  return join(dirname(file), `${basename(file, extension)}.result${extension || '.csv'}`);
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
