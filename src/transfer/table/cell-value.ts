import type { CellFault } from '../../field-types/cell.ts';
import type { PlannedItem } from './row-plan.ts';

/** A value of a cell as an item, or the reason why it cannot be read. */
export type CellValue = PlannedItem | CellFault;

export function faulty(fault: string): CellFault {
  return { fault };
}

export function isFault(value: CellValue): value is CellFault {
  return 'fault' in value;
}
