import type { PlannedItem } from './row-plan.ts';

/** Why a value of a cell is not understood. */
export interface CellFault {
  readonly fault: string;
  /** As in `TableProblem`. */
  readonly group?: string;
}

/** A value of a cell as it is understood, or why it is not. */
export type CellValue = PlannedItem | CellFault;

const MAX_SHOWN_CHARS = 80;

export function faulty(fault: string): CellFault {
  return { fault };
}

export function isFault(value: CellValue): value is CellFault {
  return 'fault' in value;
}

/** A value in quotes, as a message shows it: on one line, and not longer than helps. */
export function shown(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > MAX_SHOWN_CHARS ? `"${line.slice(0, MAX_SHOWN_CHARS)}…"` : `"${line}"`;
}

/** Names as a list that is read out: `a, b or c`. */
export function oneOf(names: readonly string[], most = 12): string {
  if (names.length > most) return `${names.slice(0, most).join(', ')} … (${names.length} in all)`;
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
}
