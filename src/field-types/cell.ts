import type { FieldDefinition, Item } from '../model/content-model.ts';

/** The reason why a value of a table cell cannot be read. */
export interface CellFault {
  readonly fault: string;
  /** As in `TableProblem`. */
  readonly group?: string;
}

/** The format of a reference in a cell, around the text that names the target. */
export interface CellTarget {
  write(item: Item, target: string): string;
  /** Returns the text that names the target, and the other members of the item. */
  read(text: string, definition: FieldDefinition): { readonly target: string; readonly own: Item } | CellFault;
}

/** Separates the parts of links: an address can hold neither a space nor two percent signs in a row. */
export const PART_SEPARATOR = '%%';

const MAX_SHOWN_CHARS = 80;

/** Returns a value in quotes, as a message shows it: on one line, and cut where it is long. */
export function shown(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > MAX_SHOWN_CHARS ? `"${line.slice(0, MAX_SHOWN_CHARS)}…"` : `"${line}"`;
}

/** Returns names as a sentence lists them: `a, b or c`. */
export function oneOf(names: readonly string[], most = 12): string {
  if (names.length > most) return `${names.slice(0, most).join(', ')} … (${names.length} in all)`;
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
}

/** Returns a scalar as the text of a cell: booleans as 1 and 0, nothing as an empty text. */
export function cellText(value: Item[string] | undefined): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'boolean') return value ? '1' : '0';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** Returns the parts of a link as a cell shows them, the title last if there is one. */
export function linkCell(parts: readonly Item[string][], title: Item[string] | undefined): string {
  const text = cellText(title);
  return [...parts.map(cellText), ...(text === '' ? [] : [text])].join(PART_SEPARATOR);
}

/** Returns the fault of a value without the format of its type. */
export function formFault(text: string, form: string, { authoritySources }: FieldDefinition): CellFault {
  const sources = authoritySources === undefined ? '' : `; the sources are ${Object.keys(authoritySources).join(', ')}`;
  return { fault: `${shown(text)} is not of the form ${form}${sources}.` };
}
