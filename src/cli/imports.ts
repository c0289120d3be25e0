import { Command } from 'commander';
import { countInWords } from '../base/in-words.ts';
import type { BulkRun } from '../bulk/find-runs.ts';
import type { CreatingImport, ListedImport } from '../transfer/import/find-imports.ts';
import type { ExitCode } from './attempt.ts';
import { type SettingFlags, withSettings } from './settings.ts';
import { plainLine, timeText } from './text.ts';
import { withRepository } from './with-repository.ts';

const MAX_IMPORTS = 100;

const AFTER = `
The last ${MAX_IMPORTS} tables that were imported, the newest first: number, time, user, table and effect. The number undoes an import:
changed items get their earlier values, and created items are deleted with their media and files, unless somebody has changed them since.

Example:
  repo imports
  repo import --undo 17`;

/** Creates `repo imports`, which lists the tables that were imported. */
export function importsCommand(finish: (code: ExitCode) => void): Command {
  const command = new Command('imports')
    .description('list the imported tables, with the numbers that undo them')
    .addHelpText('after', AFTER);
  return withSettings(command).action(async (flags: SettingFlags, self: Command) =>
    finish(
      await withRepository(flags, self, async ({ services }) => {
        const { findImports } = await import('../transfer/import/find-imports.ts');
        const imports = await findImports(services.database, undefined, MAX_IMPORTS);
        for (const each of imports) console.log(plainLine(lineOf(each)));
        if (imports.length === 0) console.error('No table was imported yet.');
      }),
    ),
  );
}

function lineOf(listed: ListedImport): string {
  const { id, createdAt, userName } = listed.kind === 'create' ? listed.import : listed.run;
  const effect = listed.kind === 'create' ? creation(listed.import) : change(listed.run);
  return [id, timeText(createdAt), userName ?? '-', effect].join('  ');
}

function creation({ name, nodes, rows, endedAt, isUnderWay, deletedBy }: CreatingImport): string {
  const left = isUnderWay ? `, running: ${rows} rows` : endedAt === undefined ? `, interrupted: ${rows} rows` : '';
  return `${name}  created ${countInWords(nodes, 'item')}${deletedBy === undefined ? left : `, deleted by ${deletedBy}`}`;
}

function change({ parameters, counts, endedAt, undoneBy }: BulkRun): string {
  const state = undoneBy === null ? (endedAt === null ? ', running' : '') : `, undone by ${undoneBy}`;
  return `${parameters.targetLabel}  changed ${countInWords(counts.done, 'item')}${state}`;
}
