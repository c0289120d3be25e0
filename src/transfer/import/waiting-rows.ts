import type { RowPlan } from '../table/row-plan.ts';

/** Of the cells of rows that wait in memory. */
const MAX_CHARS = 32_000_000;
/** What a row takes beside its cells, in characters of these: many short rows are no less than few long ones. */
const OF_EACH_ROW = 500;

/** A row that was understood. */
export interface PlannedRow {
  readonly plan: RowPlan;
  /** Of its cells. */
  readonly chars: number;
}

/** Rows whose parents stand below them. */
export interface WaitingRows {
  /** Keeps a row until its parent is there. Those that have waited longest are let go where there are too many. */
  add(parentId: string, row: PlannedRow): void;
  /** Takes out the rows that waited for a parent. */
  take(parentId: string): PlannedRow[];
  /** Whether rows were let go: they have to be read again. */
  readonly hasLost: boolean;
}

/** A room of bounded size for rows that wait. */
export function createWaitingRows(maxChars = MAX_CHARS): WaitingRows {
  const rows = new Map<string, PlannedRow[]>();
  let chars = 0;
  let hasLost = false;
  const take = (parentId: string): PlannedRow[] => {
    const found = rows.get(parentId) ?? [];
    rows.delete(parentId);
    for (const row of found) chars -= row.chars + OF_EACH_ROW;
    return found;
  };
  return {
    add(parentId, row) {
      const siblings = rows.get(parentId);
      if (siblings) siblings.push(row);
      else rows.set(parentId, [row]);
      chars += row.chars + OF_EACH_ROW;
      while (chars > maxChars) {
        const oldest = rows.keys().next().value as string;
        take(oldest);
        hasLost = true;
      }
    },
    take,
    get hasLost() {
      return hasLost;
    },
  };
}
