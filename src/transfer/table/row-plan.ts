import type { CellFault } from '../../field-types/cell.ts';
import type { Item, MediaType, NodeType } from '../../model/content-model.ts';

/** One row of a table as it stands there. */
export interface TableRow {
  /** From 1, the header not counted. */
  readonly number: number;
  /** The line of the file that it begins on, from 1. */
  readonly line: number;
  /** By name of column, without those that are empty. */
  readonly cells: ReadonlyMap<string, string>;
  /** Why it cannot be understood, such as a cell too few; it has no cells then. */
  readonly fault?: { readonly column: string | undefined; readonly message: string };
}

/** Something that keeps a table from being loaded. */
export interface TableProblem {
  /** Undefined for what is wrong with the table as a whole. */
  readonly row: number | undefined;
  readonly line: number | undefined;
  readonly column: string | undefined;
  /** What is wrong, with the value, and what would be right. */
  readonly message: string;
  /** Problems of one column with the same group are reported once, with the number of their rows. */
  readonly group?: string;
}

/** A term that a cell names and that is to be made. */
export interface NewTerm {
  readonly vocabulary: string;
  readonly name: string;
}

/** An item as `parseItems` answers it; where it refers to a term that is still to be made, without `target_id`. */
export interface PlannedItem {
  readonly item: Item;
  readonly newTerm?: NewTerm;
}

/** A file that becomes a media of the row's node. */
export interface PlannedFile {
  /** What it is called in the journal: its column, and its place in the cell if there are several. */
  readonly part: string;
  /** Where it really is, links resolved: within the folder of files. */
  readonly path: string;
  readonly name: string;
  readonly bytes: number;
  /** What the table says of its bytes, in lower case. */
  readonly sha256: string | undefined;
  readonly mediaType: MediaType;
  /** The term that says what use it is of. */
  readonly useTermId: number;
  /** What else is known of the media, in the form of the API: its name, and the alternative text of an image. */
  readonly values: Readonly<Record<string, readonly Item[]>>;
  readonly fingerprint: string;
}

/** What is to be made of a row. */
export interface RowPlan {
  readonly number: number;
  readonly line: number;
  /** What the row calls itself: the value of its id column. */
  readonly id: string;
  /** The row of the same table that the node is a member of. */
  readonly parentId: string | undefined;
  readonly bundle: NodeType;
  /** Base fields and others, by name. */
  readonly values: ReadonlyMap<string, readonly PlannedItem[]>;
  readonly files: readonly PlannedFile[];
  /** Of all that the row says about its node. */
  readonly fingerprint: string;
}

/** A value of a cell as an item, or the reason why it cannot be read. */
export type CellValue = PlannedItem | CellFault;

export function faulty(fault: string): CellFault {
  return { fault };
}

export function isFault(value: CellValue): value is CellFault {
  return 'fault' in value;
}

/** A file that cannot be read as a table any further. */
export class TableError extends Error {
  override readonly name = 'TableError';
  readonly problem: TableProblem;

  constructor(problem: TableProblem) {
    super(problem.message);
    this.problem = problem;
  }
}

/** A problem of the table as a whole, or of one of its columns. */
export function tableProblem(message: string, column?: string): TableProblem {
  return { row: undefined, line: undefined, column, message };
}

/** Tells whether what was said of something is still the same: equal for equal JSON. */
export function fingerprintOf(said: unknown): string {
  return new Bun.CryptoHasher('sha256').update(JSON.stringify(said)).digest('base64url').slice(0, 22);
}
