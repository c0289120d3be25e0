import { setImmediate } from 'node:timers/promises';
import type { ShowableFile } from '../../repository/content/lists/showable.ts';
import type { Schemes } from '../../repository/files/scheme.ts';
import { storedText } from '../../repository/files/stored-text.ts';
import { createHocrReader, type RecognizedPage } from './read-hocr.ts';

/** Maximum size of a file of recognized text. A page of a newspaper has about 3 MB. */
export const MAX_HOCR_BYTES = 16 * 1024 * 1024;

/** Reads a file of recognized text. Undefined for one with too many lines or too deep a structure. */
export async function readHocrFile(services: Schemes, file: ShowableFile): Promise<RecognizedPage | undefined> {
  const reader = createHocrReader();
  for await (const text of storedText(services, file)) {
    reader.push(text);
    // Other requests proceed in between.
    await setImmediate();
  }
  return reader.end();
}
