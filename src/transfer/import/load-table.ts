import { releaseAfterRows } from '../../base/release-memory.ts';
import { ID } from '../table/columns.ts';
import type { Planner } from '../table/create-planner.ts';
import type { RowPlan, TableProblem, TableRow } from '../table/row-plan.ts';
import { findLoaded, isWhole, type LoadedRow } from './journal-items.ts';
import { type ImportContext, loadFiles, loadNode, RowFailure } from './load-row.ts';
import { createRowSlots, createWaitingRows, type PlannedRow } from './row-scheduling.ts';

/** Number of rows between two checks of the memory. */
const ROWS_PER_MEMORY_CHECK = 100;

/** A table without problems. */
interface TableToLoad {
  /** Reads its rows from the beginning. */
  readonly rows: () => AsyncIterable<TableRow[]>;
  readonly plan: Planner['plan'];
  /** The ids of the rows that are parents of others. */
  readonly parents: Pick<ReadonlySet<string>, 'has'>;
  /** True if an earlier process has loaded some of it. */
  readonly isBegun: boolean;
}

/** Observers of the loading. */
interface LoadWatch {
  /** Called after a row was completely loaded. */
  onRow(): void;
  /** Called after a node was created. */
  onNode(): void;
  /** Called after a file was loaded and its media created. */
  onFile(bytes: number): void;
}

/**
 * Creates the content of the rows of a table concurrently, parents before their children in any order of rows. When the
 * signal is aborted or a row fails, completes the started rows, and throws the signal's reason or RowFailure.
 */
export async function loadTable(loading: ImportContext, table: TableToLoad, watch: LoadWatch): Promise<void> {
  const failing = new AbortController();
  const signal = AbortSignal.any([loading.signal, failing.signal]);
  const slots = createRowSlots((error) => failing.abort(error));
  const nodes = new Map<string, number>();
  const underWay = new Map<string, Promise<number>>();
  const rowLoading = { ...loading, signal };
  const ready: PlannedRow[] = [];

  /** Creates node and media. Releases waiting children once the node exists. */
  async function load(plan: RowPlan, former: LoadedRow | undefined, release: (id: string) => void): Promise<void> {
    const making = former ? Promise.resolve(former.nodeId) : makeNode(plan);
    const isParent = table.parents.has(plan.id);
    if (isParent) underWay.set(plan.id, making);
    const nodeId = await making;
    if (former === undefined) watch.onNode();
    if (isParent) {
      nodes.set(plan.id, nodeId);
      underWay.delete(plan.id);
      release(plan.id);
    }
    await loadFiles(rowLoading, plan, nodeId, former, watch.onFile);
    watch.onRow();
  }

  async function makeNode(plan: RowPlan): Promise<number> {
    const { parentId } = plan;
    const parent = parentId === undefined ? undefined : (nodes.get(parentId) ?? (await underWay.get(parentId)));
    return loadNode(rowLoading, plan, parent);
  }

  const isThere = (parentId: string) => nodes.has(parentId) || underWay.has(parentId);

  /** Reads the table once. Returns true if rows were dropped because their parents come too late. */
  async function pass(isFirst: boolean): Promise<boolean> {
    const waiting = createWaitingRows();
    const release = (id: string) => {
      for (const row of waiting.take(id)) ready.push(row);
    };
    const begin = ({ plan, chars }: PlannedRow, former?: LoadedRow) =>
      slots.begin(chars, () => load(plan, former, release));
    const beginReady = async () => {
      for (let next = ready.shift(); next !== undefined && !signal.aborted; next = ready.shift()) await begin(next);
    };
    for await (const batch of table.rows()) {
      signal.throwIfAborted();
      const known = isFirst && !table.isBegun ? undefined : await findKnown(batch);
      const left: TableRow[] = [];
      for (const row of batch) {
        const id = idOf(row);
        const former = known?.get(id);
        if (former && table.parents.has(id)) {
          nodes.set(id, former.nodeId);
          release(id);
        }
        if (former === undefined || !isWhole(former)) left.push(row);
        else if (isFirst) watch.onRow();
      }
      // Plans rows concurrently, so that they share queries.
      const plans = await Promise.all(left.map(table.plan));
      for (const [index, row] of left.entries()) {
        if (index % ROWS_PER_MEMORY_CHECK === 0) releaseAfterRows();
        await beginReady();
        signal.throwIfAborted();
        const plan = soundPlan(plans[index] as RowPlan | TableProblem[]);
        const former = known?.get(plan.id);
        const planned = { plan, chars: charsOf(row) };
        const { parentId } = plan;
        if (former || parentId === undefined || isThere(parentId)) await begin(planned, former);
        else waiting.add(parentId, planned);
      }
    }
    while (slots.count > 0 || ready.length > 0) {
      signal.throwIfAborted();
      await beginReady();
      await slots.someEnded();
    }
    return waiting.hasLost;
  }

  async function findKnown(batch: readonly TableRow[]): Promise<Map<string, LoadedRow>> {
    return findLoaded(loading.context.services.database, loading.run, batch.map(idOf));
  }

  /** Returns the plan of a row; throws RowFailure if it has problems that the check did not find. */
  function soundPlan(plan: RowPlan | TableProblem[]): RowPlan {
    if (!Array.isArray(plan)) return plan;
    throw new RowFailure(plan[0] as TableProblem);
  }

  try {
    for (let isFirst = true; await pass(isFirst); ) isFirst = false;
  } catch (error) {
    // Only the first failure is reported; a full disk causes many.
    failing.abort(error);
  }
  await slots.allEnded();
  signal.throwIfAborted();
}

function charsOf({ cells }: TableRow): number {
  let chars = 0;
  for (const cell of cells.values()) chars += cell.length;
  return chars;
}

/** Returns the id of a row. */
export function idOf({ cells }: TableRow): string {
  return cells.get(ID)?.trim() ?? '';
}
