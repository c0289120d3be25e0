import { StringDecoder } from 'node:string_decoder';
import { createHtmlParser } from '../../base/html-parser.ts';
import { releaseAfterRows } from '../../base/release-memory.ts';
import { SpreadsheetError } from './sheet-row.ts';

/** Maximum depth of elements. The parser takes the longer for each element the deeper it is. */
const MAX_DEPTH = 200;
/** Maximum number of bytes without an element or text: the parser holds them in memory. */
const MAX_SILENT_BYTES = 32 * 1024 * 1024;

/** Receives the content of an XML document, in order. */
export interface XmlHandler {
  readonly open: (name: string, attributes: Readonly<Record<string, string>>) => void;
  /** Called with parts of a text. */
  readonly text?: (text: string) => void;
  readonly close?: (name: string) => void;
}

/** The bytes of a document. */
export interface XmlSource {
  open(): AsyncIterable<Uint8Array>;
}

/**
 * Reads an XML document part by part, and yields the number of bytes that were read so far. Throws SpreadsheetError for a
 * document that would take too much memory.
 */
export async function* readXml(source: XmlSource, handler: XmlHandler): AsyncGenerator<number> {
  let [depth, silentBytes, bytes] = [0, 0, 0];
  const parser = createHtmlParser(
    {
      onopentag(name, attributes) {
        silentBytes = 0;
        depth += 1;
        if (depth > MAX_DEPTH) throw new SpreadsheetError('The elements of the spreadsheet are nested too deeply.');
        handler.open(name, attributes);
      },
      ontext(text) {
        silentBytes = 0;
        handler.text?.(text);
      },
      onclosetag(name) {
        silentBytes = 0;
        depth -= 1;
        handler.close?.(name);
      },
    },
    { xmlMode: true },
  );
  const decoder = new StringDecoder('utf8');
  for await (const chunk of source.open()) {
    silentBytes += chunk.byteLength;
    bytes += chunk.byteLength;
    parser.write(decoder.write(chunk));
    releaseAfterRows();
    if (silentBytes > MAX_SILENT_BYTES) throw new SpreadsheetError('The spreadsheet is no valid XML.');
    yield bytes;
  }
  parser.end(decoder.end());
  yield bytes;
}

/** Reads a whole small document. Throws SpreadsheetError above `maxBytes`. */
export async function readWholeXml(source: XmlSource, handler: XmlHandler, maxBytes: number): Promise<void> {
  for await (const bytes of readXml(source, handler))
    if (bytes > maxBytes) throw new SpreadsheetError(`A part of the spreadsheet has more than ${maxBytes} bytes.`);
}

/** Returns the name of an element or attribute without its prefix. */
export function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}
