import { Command } from 'commander';
import { countInWords, numberText } from '../base/in-words.ts';
import type { CommandRepository } from '../server/open-repository-for-command.ts';
import type { TableProblem } from '../transfer/table/row-plan.ts';
import type { ExitCode } from './attempt.ts';
import { parsePath } from './parse-value.ts';
import { type SettingFlags, withSettings } from './settings.ts';
import { unlessStopped } from './stop-signal.ts';
import { plainLine } from './text.ts';
import { withRepository } from './with-repository.ts';

interface UsageFlags extends SettingFlags {
  check?: boolean;
  sheet?: string;
}

const AFTER = `
The table has the columns of /admin/reports/usage: id, date, views, and optionally kind (item, which is the default, or file),
unique_views, downloads, unique_downloads. A date is a day or a month; the numbers of a month are stored on its first day. They replace
numbers of the same day. Collections follow from their items: rows of the kind collection are skipped. The whole table is
checked before anything is stored. It works while the repository runs.

Examples:
  repo usage import old-numbers.csv --check
  repo usage import old-numbers.csv`;

/** Creates `repo usage`, which imports usage statistics. */
export function usageCommand(finish: (code: ExitCode) => void): Command {
  const usage = new Command('usage').description('import usage statistics').addHelpText('after', AFTER);
  usage.addCommand(importCommand(finish));
  return usage;
}

function importCommand(finish: (code: ExitCode) => void): Command {
  const command = new Command('import')
    .description('import views and downloads of an earlier system from a table (CSV, XLSX, ODS)')
    .argument('<table>', 'CSV file or spreadsheet (.xlsx, .ods)', parsePath)
    .option('--check', 'check the table, and import nothing')
    .option('--sheet <name>', 'sheet of a spreadsheet (default: the first visible one)');
  return withSettings(command)
    .addHelpText('after', AFTER)
    .action(async (file: string, flags: UsageFlags, self: Command) =>
      finish(await withRepository(flags, self, (repository) => importFile(repository, file, flags))),
    );
}

async function importFile(
  { services: { database, now } }: CommandRepository,
  file: string,
  { check: isCheck = false, sheet }: UsageFlags,
): Promise<boolean> {
  const [{ checkUsage, importUsage }, { TableError }] = await Promise.all([
    import('../transfer/usage/import-usage.ts'),
    import('../transfer/table/row-plan.ts'),
  ]);
  const whenStopped = 'The import was interrupted. Run the same command to repeat it.';
  try {
    const isDone = await unlessStopped(whenStopped, async (signal) => {
      const table = { file, form: { delimiter: ',', sheet }, now: now(), signal };
      const { rows, skipped, problems, problemCount } = await checkUsage(table);
      for (const problem of problems) console.error(lineOf(problem));
      if (problemCount > 0) {
        console.error(`Nothing was imported: the table has ${countInWords(problemCount, 'problem')}.`);
        return false;
      }
      if (!isCheck) await importUsage(database, table);
      const skippedRows = skipped === 0 ? '' : ` ${numberText(skipped)} of collections are skipped.`;
      console.log(`${isCheck ? 'Can import' : 'Imported'} ${countInWords(rows, 'row')}.${skippedRows}`);
      return true;
    });
    return isDone === true;
  } catch (error) {
    if (!(error instanceof TableError)) throw error;
    console.error(lineOf(error.problem));
    return false;
  }
}

function lineOf({ line, column, message }: TableProblem): string {
  const place = [line === undefined ? [] : [`line ${line}`], column === undefined ? [] : [column]].flat().join(', ');
  return plainLine(place === '' ? message : `${place}: ${message}`);
}
