import { setImmediate } from 'node:timers/promises';
import { type Box, placedLine, type RecognizedPage, type TextLine } from '../../base/recognized-text/text-page.ts';
import { createTextReader } from '../../base/recognized-text/text-reader.ts';
import type { ShowableFile } from '../../repository/content/lists/find-showable.ts';
import type { Schemes } from '../../repository/files/scheme.ts';
import { storedText } from '../../repository/files/stored-text.ts';

/** Maximum number of lines of a page: a page of a newspaper has some 3,000. */
export const MAX_LINES = 20_000;
/** Maximum size of a file of recognized text. A page of a newspaper has about 3 MB. */
export const MAX_RECOGNIZED_BYTES = 16 * 1024 * 1024;

/** Reads recognized text part by part: the first page of several. */
interface PageReader {
  push(text: string): void;
  /** Returns the page after the last push. Undefined for more than `MAX_LINES` lines, or elements nested too deeply. */
  end(): RecognizedPage | undefined;
}

/** Creates a reader of hOCR, ALTO and PAGE XML. */
export function createPageReader(): PageReader {
  const lines: TextLine[] = [];
  let box: Box | undefined;
  let pages = 0;
  let isTooLong = false;
  const reader = createTextReader({
    page(its) {
      pages += 1;
      if (pages === 1) box = its;
    },
    line(read) {
      const line = pages < 2 && !isTooLong ? placedLine(read) : undefined;
      if (line === undefined) return;
      if (lines.length < MAX_LINES) lines.push(line);
      else isTooLong = true;
    },
  });
  return {
    push(text) {
      if (!isTooLong) reader.push(text);
    },
    end() {
      const isComplete = reader.end() && !isTooLong;
      return isComplete ? { box, lines } : undefined;
    },
  };
}

/** Reads a file of recognized text. Undefined for one with too many lines or too deep a structure. */
export async function readRecognizedFile(services: Schemes, file: ShowableFile): Promise<RecognizedPage | undefined> {
  const reader = createPageReader();
  for await (const text of storedText(services, file)) {
    reader.push(text);
    // Other requests proceed in between.
    await setImmediate();
  }
  return reader.end();
}
