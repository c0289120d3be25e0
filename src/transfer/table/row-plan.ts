import type { CellFault } from '../../field-types/cell.ts';
import type { Item, MediaType, NodeType } from '../../model/content-model.ts';
import type { Downloads, RemoteFile } from '../files/downloads.ts';

/** A row of a table, as text. */
export interface TableRow {
  /** Its position after the header, from 1. */
  readonly number: number;
  /** The first line of the row in the file, from 1; in a spreadsheet the row of the sheet. */
  readonly line: number;
  /** The number of the row in messages, if it is not its position: that of a spreadsheet is its row of the sheet. */
  readonly shownNumber?: number | undefined;
  /** The cells with a value, by name of their column. */
  readonly cells: ReadonlyMap<string, string>;
  /** The reason why the row is invalid, such as a missing cell. Such a row has no cells. */
  readonly fault?: { readonly column: string | undefined; readonly message: string };
}

/** A problem that prevents the import of a table. */
export interface TableProblem {
  /** Undefined for a problem of the whole table. */
  readonly row: number | undefined;
  readonly line: number | undefined;
  readonly column: string | undefined;
  /** The problem, with the value, and what is valid. */
  readonly message: string;
  /** Problems of one column with the same group are reported once, with the number of their rows. */
  readonly group?: string;
}

/** A term that the import creates. */
export interface NewTerm {
  readonly vocabulary: string;
  readonly name: string;
}

/** An item from `parseItems`, without `target_id` if it refers to a new term. */
export interface PlannedItem {
  readonly item: Item;
  readonly newTerm?: NewTerm;
}

/** The place of a file that a table names. */
export type FileSource =
  /** Its path with resolved links, in the folder of files. */
  | { readonly path: string; readonly bytes: number }
  /** `bytes` is undefined if the server does not tell, and during the loading. */
  | { readonly remote: RemoteFile; readonly from: Downloads; readonly bytes: number | undefined };

/** A file that becomes a media of the row's node. */
export interface PlannedFile {
  /** Its name in the journal: its column, and its position in the cell if there are several. */
  readonly part: string;
  readonly source: FileSource;
  readonly name: string;
  /** The checksum in the table, in lower case. */
  readonly sha256: string | undefined;
  readonly mediaType: MediaType;
  /** The term of its media use. */
  readonly useTermId: number;
  /** Further values of the media as API items: its name, and the alternative text of an image. */
  readonly values: Readonly<Record<string, readonly Item[]>>;
  readonly fingerprint: string;
}

/** The node and files that a row describes. */
export interface RowPlan {
  readonly number: number;
  readonly line: number;
  /** The value of its id column. */
  readonly id: string;
  /** The id of the row of the same table that the node is a member of. */
  readonly parentId: string | undefined;
  readonly bundle: NodeType;
  /** Values of base fields and other fields, by name. */
  readonly values: ReadonlyMap<string, readonly PlannedItem[]>;
  readonly files: readonly PlannedFile[];
  /** The fingerprint of all cells about the node. */
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

/** The error for a file that cannot be read as a table. */
export class TableError extends Error {
  override readonly name = 'TableError';
  readonly problem: TableProblem;

  constructor(problem: TableProblem) {
    super(problem.message);
    this.problem = problem;
  }
}

/** Returns a problem of the whole table, or of one of its columns. */
export function tableProblem(message: string, column?: string): TableProblem {
  return { row: undefined, line: undefined, column, message };
}

/** Returns a text that is equal for equal JSON, to detect changes of a value. */
export function fingerprintOf(value: unknown): string {
  return new Bun.CryptoHasher('sha256').update(JSON.stringify(value)).digest('base64url').slice(0, 22);
}
