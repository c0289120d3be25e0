import type { FieldValues } from '../../model/content-model.ts';
import type { LinkedType } from '../../repository/access-rule.ts';
import type { PlannedItem, TableProblem } from '../table/row-plan.ts';
import type { TableOptions } from '../table/table-options.ts';
import type { CellMode } from './update-columns.ts';

/** The interpretation of a table that changes content. */
export interface UpdateOptions extends TableOptions {
  readonly type: LinkedType;
  /** The columns whose cells add values to a field, or remove them. The others replace all values. */
  readonly modes: ReadonlyMap<string, CellMode>;
  /** The column of a field whose values name the content of the rows; default: the column of ids or UUIDs. */
  readonly key?: string | undefined;
  /** True to change content that was changed since the export, too. */
  readonly overwrites: boolean;
}

/** A cell that would change, as texts. */
export interface CellChange {
  readonly column: string;
  readonly before: string;
  readonly after: string;
}

/** The changes of a row. */
export interface UpdatePlan {
  readonly row: number;
  readonly line: number;
  readonly id: number;
  readonly label: string;
  /** The present values of the fields to change, and the ones that they get. */
  readonly before: FieldValues;
  readonly after: ReadonlyMap<string, readonly PlannedItem[]>;
  readonly cells: readonly CellChange[];
}

/** The content of a row, and what of it the table changes. */
export interface PlannedRow {
  /** Undefined if the row names no content. */
  readonly id: number | undefined;
  /** Undefined if nothing changes, or with problems. */
  readonly plan: UpdatePlan | undefined;
  readonly problems: readonly TableProblem[];
}

/** Written by exports for spreadsheets before a cell that would be computed. */
export const ESCAPED = /^'(?=[=+\-@\t\r\n])/;

/** The cell that clears a field. */
export const CLEARING = '-';
