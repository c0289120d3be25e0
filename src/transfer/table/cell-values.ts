import type { CellFault } from '../../field-types/cell.ts';
import type { FieldTypes } from '../../field-types/field-type.ts';
import type { FieldDefinition } from '../../model/content-model.ts';
import { entityTarget } from '../../repository/content/referring-fields.ts';
import { type CellValue, isFault } from './cell-value.ts';
import type { FindReferred } from './find-referred.ts';
import { jsonValues, plainValue } from './plain-value.ts';
import { createReferenceValues } from './reference-value.ts';
import type { PlannedItem } from './row-plan.ts';
import type { TableOptions } from './table-options.ts';
import type { TermValues } from './term-value.ts';

/** What a cell comes to. */
export interface CellValues {
  readonly items: PlannedItem[];
  /** What of it is not understood. */
  readonly faults: readonly CellFault[];
}

export interface ReadCells {
  read(cell: string, definition: FieldDefinition): CellValues | Promise<CellValues>;
}

/** Prepares the reading of the cells of fields: one value, or several with the subdelimiter in between. */
export function createCellValues(
  referred: FindReferred,
  terms: TermValues,
  fieldTypes: FieldTypes,
  { subdelimiter, textFormat }: Pick<TableOptions, 'subdelimiter' | 'textFormat'>,
): ReadCells {
  const references = createReferenceValues(referred, terms, fieldTypes);

  function valuesOf(cell: string, definition: FieldDefinition): readonly string[] {
    // A title is one, whatever is in it.
    if (definition.name === 'title' || !cell.includes(subdelimiter)) return [cell];
    return cell.split(subdelimiter).filter((value) => value.trim() !== '');
  }

  return {
    read(cell, definition) {
      const type = fieldTypes.of(definition);
      if (type.isJsonInCells) return collect([jsonValues(cell, type, definition)]);
      const texts = valuesOf(cell, definition);
      if (entityTarget(definition) === undefined)
        return collect(texts.map((text) => plainValue(text, type, definition, textFormat)));
      const values = texts.map((text) => references.read(text, definition));
      return values.some((value) => value instanceof Promise)
        ? Promise.all(values).then(collectOnes)
        : collectOnes(values as CellValue[]);
    },
  };
}

function collectOnes(values: readonly CellValue[]): CellValues {
  return collect(values.map((value) => [value]));
}

function collect(values: readonly (readonly CellValue[])[]): CellValues {
  const items: PlannedItem[] = [];
  const faults: CellFault[] = [];
  for (const [index, ofText] of values.entries())
    for (const value of ofText) {
      if (!isFault(value)) items.push(value);
      else faults.push(values.length === 1 ? value : { ...value, fault: `Value ${index + 1}: ${value.fault}` });
    }
  return { items, faults };
}
