import { basename } from 'node:path';
import { CommandError } from '../base/errors.ts';
import { countInWords, numberText } from '../base/in-words.ts';
import type { ItemState } from '../bulk/bulk-action.ts';
import { type BulkRun, findResults, findRun, isUndoable } from '../bulk/find-runs.ts';
import { finishRun } from '../bulk/finish-run.ts';
import { startUndo } from '../bulk/start-run.ts';
import { shown } from '../field-types/cell.ts';
import { entityPath } from '../paths.ts';
import type { CommandRepository } from '../server/open-repository-for-command.ts';
import { deleteImport } from '../transfer/import/delete-import.ts';
import { findImport } from '../transfer/import/find-imports.ts';
import type { CheckProgress } from '../transfer/table/check-table.ts';
import { TableError } from '../transfer/table/row-plan.ts';
import { checkUpdate, type UpdateCheck } from '../transfer/update/check-update.ts';
import { startUpdate } from '../transfer/update/start-update.ts';
import type { CellMode } from '../transfer/update/update-columns.ts';
import type { UpdateOptions, UpdatePlan } from '../transfer/update/update-plan.ts';
import type { ImportFlags } from './import-flags.ts';
import { CHECK_LOOK, importContext, newTermLines, optionsOf, placeInTable, printProblems } from './import-table.ts';
import { type ProgressStyle, showProgress } from './progress-display.ts';
import { withStopSignal } from './stop-signal.ts';
import { plainLine } from './text.ts';

/** The maximum number of items that are named with the reason why they were not changed. */
const MAX_NAMED = 100;

/** Checks a table of changes and makes them, and prints a summary. Returns false for problems and after Ctrl-C. */
export function updateFromTable(repository: CommandRepository, file: string, flags: ImportFlags): Promise<boolean> {
  return withStopSignal(async (signal) => {
    const context = await importContext(repository, flags.user);
    const options = updateOptionsOf(flags);
    const display = showProgress<CheckProgress>(CHECK_LOOK, flags.quiet ?? false);
    const startedAt = performance.now();
    try {
      const check = await checkUpdate(context, file, options, { signal, onProgress: display.show });
      display.end();
      if (check.problemCount > 0) return printProblems(file, check, 'Nothing was changed.');
      console.log([summaryLine(file, check), ...newTermLines(file, check)].join('\n'));
      if (flags.check || check.items === 0) {
        for (const plan of check.shown) console.log(changeLines(file, plan).join('\n'));
        const more = check.items - check.shown.length;
        if (more > 0) console.log(`… and ${countInWords(more, 'more item')}.`);
        return true;
      }
      const update = { file, name: basename(file), reason: flags.reason, options };
      return await finish(repository, await startUpdate(context, update, signal), flags, { signal, startedAt });
    } catch (error) {
      display.end();
      if (error instanceof TableError) throw new CommandError(error.message);
      if (!signal.aborted || error !== signal.reason) throw error;
      console.error('The check was interrupted. Nothing was changed.');
      return false;
    }
  });
}

/**
 * Restores the values that an update has changed, or deletes the nodes that an import has created, of items that no one has changed
 * since. Returns false after Ctrl-C.
 */
export function undoImport(repository: CommandRepository, id: number, flags: ImportFlags): Promise<boolean> {
  return withStopSignal(async (signal) => {
    const { database } = repository.services;
    const { actor } = await importContext(repository, flags.user);
    const run = await findRun(database, id);
    const startedAt = performance.now();
    if (run === undefined) {
      const created = await findImport(database, id);
      if (created === undefined) throw new CommandError(`There is no import with the number ${id}. See repo imports.`);
      return finish(repository, await deleteImport(database, actor, created), flags, { signal, startedAt });
    }
    if (run.action !== 'update') throw new CommandError(`There is no import with the number ${id}. See repo imports.`);
    if (run.undoneBy !== null) throw new CommandError(`The update ${id} is undone already (run ${run.undoneBy}).`);
    if (!isUndoable(run)) throw new CommandError(`The update ${id} has not ended, or has changed nothing.`);
    const undone = { id, type: run.type, field: undefined, membersOf: undefined };
    const undoing = await startUndo(database, actor, undone);
    return finish(repository, undoing, flags, { signal, startedAt });
  });
}

interface Watch {
  readonly signal: AbortSignal;
  readonly startedAt: number;
}

/** Works on a run until its end, and prints the result. Returns false unless all items were changed. */
async function finish(repository: CommandRepository, id: number, flags: ImportFlags, { signal, startedAt }: Watch) {
  const display = showProgress(CHANGE_LOOK, flags.quiet ?? false);
  let run: BulkRun;
  try {
    run = await finishRun(repository.bulkParts(), id, { signal, onProgress: display.show });
  } catch (error) {
    console.error(`Run ${id} has begun. A running server continues it.`);
    throw error;
  } finally {
    display.end();
  }
  const { counts, action } = run;
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
  const verb = action === 'undo' ? 'Restored' : action === 'delete' ? 'Deleted' : 'Changed';
  console.log(`${verb} ${countInWords(counts.done, 'item')} in ${seconds} s.`);
  for (const state of ['skipped', 'failed'] as const) await printResults(repository, run, state);
  if (action === 'update' && counts.done > 0) console.log(`To undo it: repo import --undo ${id}`);
  if (run.endedAt === null)
    console.error(`${countInWords(counts.waiting, 'item')} left. A running server continues with them.`);
  return run.state === 'done' && counts.skipped + counts.failed === 0;
}

async function printResults({ services }: CommandRepository, { id, counts, type }: BulkRun, state: ItemState) {
  const results = await findResults(services.database, state, { runId: id, limit: MAX_NAMED, offset: 0 });
  for (const { entityId, label, reason } of results)
    console.error(plainLine(`${entityPath[type](entityId)} ${shown(label ?? '')}: ${reason ?? state}`));
  const more = counts[state] - results.length;
  if (more > 0) console.error(`… and ${countInWords(more, 'more item')} (${state}).`);
}

function updateOptionsOf(flags: ImportFlags): UpdateOptions {
  const { append, remove, type, key, overwrite: overwrites = false } = flags;
  const twice = append.find((column) => remove.includes(column));
  if (twice !== undefined) throw new CommandError(`--append and --remove both name ${twice}`);
  const modes = new Map<string, CellMode>([
    ...append.map((column) => [column, 'append'] as const),
    ...remove.map((column) => [column, 'remove'] as const),
  ]);
  return { ...optionsOf(flags), type, key, modes, overwrites };
}

/** Formats what a table would change: `nodes.csv changes 2 of 4 items: 2 cells of field_subject and 1 of title.` */
function summaryLine(file: string, { rows, items, cells, cleared }: UpdateCheck): string {
  const name = basename(file);
  if (items === 0) return `${name} changes nothing: all ${countInWords(rows, 'row')} have the present values.`;
  const columns = [...cells].map(([column, count]) => `${numberText(count)} in ${column}`).join(', ');
  const lost = cleared === 0 ? '' : ` ${countInWords(cleared, 'cell')} would lose all values.`;
  return `${name} changes ${numberText(items)} of ${countInWords(rows, 'item')}: ${columns}.${lost}`;
}

function changeLines(file: string, { row, line, id, label, cells }: UpdatePlan): string[] {
  const where = `${placeInTable(file, line, row)}, ${id} ${shown(label)}`;
  return cells.map(({ column, before, after }) =>
    plainLine(`${where}, ${column}: ${shown(before)} → ${shown(after.trim() === '-' ? '' : after)}`),
  );
}

const CHANGE_LOOK: ProgressStyle<BulkRun> = {
  format: 'Changing [{bar}] {percentage}% | {value} of {total} items | {eta_formatted} left',
  measure({ counts }) {
    const total = Object.values(counts).reduce((sum, each) => sum + each, 0);
    return { total, value: total - counts.waiting, facts: {} };
  },
  lineOf: ({ counts }) => `${numberText(counts.done)} items are changed, ${numberText(counts.waiting)} wait.`,
  isResumable: true,
};
