import { stringify } from 'csv-stringify/sync';
import { sheetFormat, writeSpreadsheet } from '../spreadsheet/write-spreadsheet.ts';

const SHEET_NAME = 'Table';

/** Writes rows as a table in the format of a file name: .xlsx, .ods, and CSV for all others. */
export function tableFile(
  name: string,
  rows: AsyncIterable<readonly (readonly string[])[]>,
  delimiter = ',',
): AsyncIterable<Uint8Array> {
  const format = sheetFormat(name);
  return format === undefined ? csvBytes(rows, delimiter) : writeSpreadsheet(format, SHEET_NAME, rows);
}

async function* csvBytes(
  batches: AsyncIterable<readonly (readonly string[])[]>,
  delimiter: string,
): AsyncGenerator<Uint8Array> {
  for await (const rows of batches)
    yield Buffer.from(
      stringify(
        rows.map((row) => [...row]),
        { delimiter },
      ),
    );
}
