import type { LoadContext, TableOptions } from '../table/table-options.ts';
import type { UpdateCheck } from '../update/check-update.ts';
import type { CellMode } from '../update/update-columns.ts';
import type { UpdateOptions } from '../update/update-plan.ts';
import type { TableUploadFollower } from './follow-table-upload.ts';
import { withoutPath } from './report-table-upload.ts';
import type { ReportedChanges, TableChanges, TableUploadReport } from './table-upload.ts';

/** The maximum number of characters of a cell in a report. */
const SHOWN_CHARACTERS = 300;

/** An uploaded table of changes. */
export interface ChangesTable {
  readonly file: string;
  /** Its name on the machine of the user. */
  readonly name: string;
  /** The path of the upload, which no message may show. */
  readonly place: string;
  readonly options: TableOptions;
  readonly changes: TableChanges;
}

/** Checks an uploaded table of changes. Throws the reason of the follower's signal. */
export async function checkChanges(
  context: LoadContext,
  table: ChangesTable,
  { signal, enter, showCheck }: TableUploadFollower,
): Promise<{ readonly report: TableUploadReport }> {
  enter(undefined);
  // Tables of changes are rare, and their modules take some megabytes of a server.
  const { checkUpdate } = await import('../update/check-update.ts');
  const check = await checkUpdate(context, table.file, updateOptions(table), { signal, onProgress: showCheck });
  return { report: reportOfChanges(check, table.place) };
}

/** Starts the bulk change that makes the changes of a table. Returns its id. Throws TableError if it has a problem by now. */
export async function startChanges(
  context: LoadContext,
  table: ChangesTable,
  { signal, enter, showCounts }: TableUploadFollower,
): Promise<number> {
  const { file, name, changes } = table;
  enter(undefined);
  const { startUpdate } = await import('../update/start-update.ts');
  return startUpdate(
    context,
    {
      ...{ file, name, reason: changes.reason === '' ? undefined : changes.reason, options: updateOptions(table) },
      onRows: (rows) => showCounts({ rows, nodes: 0, files: 0, bytes: 0, terms: 0 }),
    },
    signal,
  );
}

function updateOptions({ options, changes: { type, key, append, remove, overwrites } }: ChangesTable): UpdateOptions {
  const modes = new Map<string, CellMode>([
    ...append.map((column) => [column, 'append'] as const),
    ...remove.map((column) => [column, 'remove'] as const),
  ]);
  return { ...options, type, key, modes, overwrites };
}

function reportOfChanges(check: UpdateCheck, place: string): TableUploadReport {
  const { rows, problems, problemCount, newTerms, listedTerms } = check;
  return {
    ...{ rows, problemCount, problems: problems.map((problem) => withoutPath(problem, place)) },
    newTerms: [...newTerms],
    listedTerms: listedTerms.map(({ vocabulary, name, line }) => ({ vocabulary, name, line })),
    ...{ files: { count: 0, bytes: 0 }, unnamed: [], unnamedCount: 0, empty: [] },
    ...{ importedAt: undefined, isBegun: false, changes: changesOf(check) },
  };
}

function changesOf({ items, cells, cleared, shown }: UpdateCheck): ReportedChanges {
  return {
    ...{ items, cells: [...cells], cleared },
    shown: shown.map(({ row, line, id, label, cells: ofRow }) => ({
      ...{ row, line, id, label },
      cells: ofRow.map(({ column, before, after }) => ({ column, before: shortened(before), after: shortened(after) })),
    })),
  };
}

function shortened(text: string): string {
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text;
}
