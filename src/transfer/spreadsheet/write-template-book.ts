import { columnLetters, MAX_ROWS } from './sheet-row.ts';
import { forXlsx } from './write-spreadsheet.ts';

const COLUMN_CHARS = 24;
const LISTS = 'Lists';
/** The first row for values: after the header and the row with help. */
const FIRST_ROW = 3;

/**
 * Writes a workbook with some rows, and offers a list of choices in each of its columns that has one. The lists are on a hidden
 * sheet, and other values are allowed: a cell may have several.
 */
export async function writeTemplateBook(
  rows: readonly (readonly string[])[],
  choices: readonly (readonly string[])[],
): Promise<Uint8Array> {
  const { writeXlsx } = await import('hucre/xlsx');
  const lists = choices.flatMap((values, at) => (values.length > 0 ? [{ values, letters: columnLetters(at) }] : []));
  const longest = Math.max(0, ...lists.map(({ values }) => values.length));
  const listRows = Array.from({ length: longest }, (_, row) =>
    lists.map(({ values }) => (values[row] === undefined ? null : forXlsx(values[row]))),
  );
  const dataValidations = lists.map(({ values, letters }, at) => {
    const column = columnLetters(at);
    return {
      type: 'list' as const,
      formula1: `${LISTS}!$${column}$1:$${column}$${values.length}`,
      range: `${letters}${FIRST_ROW}:${letters}${MAX_ROWS}`,
      allowBlank: true,
      showErrorMessage: false,
    };
  });
  return writeXlsx({
    sheets: [
      {
        name: 'Table',
        rows: rows.map((cells) => cells.map(forXlsx)),
        columns: choices.map(() => ({ numFmt: '@', width: COLUMN_CHARS })),
        freezePane: { rows: FIRST_ROW - 1 },
        dataValidations,
      },
      ...(lists.length > 0 ? [{ name: LISTS, rows: listRows, hidden: true }] : []),
    ],
  });
}
