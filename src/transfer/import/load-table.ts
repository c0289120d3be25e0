import { releaseAfterRows } from '../../base/release-memory.ts';
import { ID } from '../table/columns.ts';
import type { Planner } from '../table/create-planner.ts';
import type { RowPlan, TableProblem, TableRow } from '../table/row-plan.ts';
import { findLoaded, isWhole, type LoadedRow } from './journal-items.ts';
import { type Loading, loadFiles, loadNode, RowFailure } from './load-row.ts';
import { createRowSlots, createWaitingRows, type PlannedRow } from './row-scheduling.ts';

/** How many rows are loaded between two looks at the memory. */
const ROWS_BETWEEN_LOOKS = 100;

/** A table that is known to be right. */
export interface TableToLoad {
  /** Reads its rows from the beginning. */
  readonly rows: () => AsyncIterable<TableRow[]>;
  readonly plan: Planner['plan'];
  /** The ids of the rows that are parents of others. */
  readonly parents: Pick<ReadonlySet<string>, 'has'>;
  /** Whether an earlier process has loaded some of it. */
  readonly isBegun: boolean;
}

/** Told of what was done. */
export interface LoadWatch {
  /** A row is there, whole. */
  onRow(): void;
  /** A node was made. */
  onNode(): void;
  /** A file was loaded, and its media made. */
  onFile(bytes: number): void;
}

/**
 * Makes what the rows of a table describe, many at a time, a child after its parent wherever that stands. What was
 * begun is ended when the signal is aborted or a row fails: then it throws the signal's reason, or RowFailure.
 */
export async function loadTable(loading: Loading, table: TableToLoad, watch: LoadWatch): Promise<void> {
  const failing = new AbortController();
  const signal = AbortSignal.any([loading.signal, failing.signal]);
  const slots = createRowSlots((error) => failing.abort(error));
  const nodes = new Map<string, number>();
  const underWay = new Map<string, Promise<number>>();
  const rowLoading = { ...loading, signal };
  const ready: PlannedRow[] = [];

  /** Makes node and media; children that wait for the node can be begun as soon as it is there. */
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

  /** Reads the table once; answers whether rows are left whose parents stood too far below. */
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
      // At once, so that one question to the database answers what all of them ask.
      const plans = await Promise.all(left.map(table.plan));
      for (const [index, row] of left.entries()) {
        if (index % ROWS_BETWEEN_LOOKS === 0) releaseAfterRows();
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

  /** Of rows that were found to be right before. */
  function soundPlan(plan: RowPlan | TableProblem[]): RowPlan {
    if (!Array.isArray(plan)) return plan;
    throw new RowFailure(plan[0] as TableProblem);
  }

  try {
    for (let isFirst = true; await pass(isFirst); ) isFirst = false;
  } catch (error) {
    // Of several that fail, as they do on a full disk, the first is told.
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

/** What a row calls itself. */
export function idOf({ cells }: TableRow): string {
  return cells.get(ID)?.trim() ?? '';
}
