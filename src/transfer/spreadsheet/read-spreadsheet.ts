import { open } from 'node:fs/promises';
import { noteStreamed } from '../../base/release-memory.ts';
import type { SpreadsheetFile } from './open-spreadsheet.ts';
import { readOds } from './read-ods.ts';
import { readXlsx } from './read-xlsx.ts';
import type { SheetRow } from './sheet-row.ts';

const CHUNK_BYTES = 256 * 1024;

interface SheetReading {
  /** The name of the sheet; undefined for the first visible one. */
  readonly sheet: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called with all bytes of the file, in order, as far as rows are read. */
  readonly onBytes?: ((chunk: Uint8Array) => void) | undefined;
}

/**
 * Reads the rows of a sheet with at least one value, in order. Throws SpreadsheetError as `openSpreadsheet`, for a missing
 * sheet and for merged cells; the reason of the signal.
 */
export async function* readSpreadsheet(
  path: string,
  file: SpreadsheetFile,
  { sheet, signal, onBytes }: SheetReading,
): AsyncGenerator<readonly SheetRow[]> {
  const bytes = onBytes && (await open(path));
  try {
    const size = bytes === undefined ? 0 : (await bytes.stat()).size;
    let told = 0;
    const tell = async (part: number) => {
      while (bytes !== undefined && told < size * Math.min(1, part)) {
        const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
        const { bytesRead } = await bytes.read(buffer, 0, CHUNK_BYTES, told);
        if (bytesRead === 0) return;
        told += bytesRead;
        onBytes?.(buffer.subarray(0, bytesRead));
      }
    };
    let before = 0;
    for await (const { rows, part } of file.format === 'xlsx' ? readXlsx(file, sheet) : readOds(file, sheet)) {
      signal?.throwIfAborted();
      noteStreamed(Math.max(0, part - before) * size);
      before = part;
      await tell(part);
      if (rows.length > 0) yield rows;
    }
    await tell(1);
  } finally {
    await bytes?.close();
  }
}
