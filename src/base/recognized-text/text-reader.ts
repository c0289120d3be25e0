import type { Parser } from 'htmlparser2';
import { createHtmlParser } from '../html-parser.ts';
import { createAltoFormat } from './alto-format.ts';
import { createHocrFormat } from './hocr-format.ts';
import { createPageXmlFormat } from './page-xml-format.ts';
import type { TextFormat, TextSink } from './text-page.ts';

/** Maximum depth of elements. The parser takes the longer for each element the deeper it is. */
const MAX_DEPTH = 500;
/** The characters at the beginning of a file that tell its format. */
export const HEAD_CHARS = 16 * 1024;

/** Declarations, comments and white space before the first element. */
const PROLOGUE = /^(?:\uFEFF|\s+|<\?[\s\S]*?\?>|<!--[\s\S]*?-->|<![^[>]*(?:\[[\s\S]*?\]\s*)?>)*/;
const ROOT = /^<(?:[\w.-]+:)?([\w.-]+)/;
const HOCR = /\bocrx?_(?:page|carea|par|line|word)\b|\bocr-(?:system|capabilities)\b/;

/** Returns the format of a file with this beginning; undefined if it is none of recognized text. */
export function recognizedFormat(head: string): 'alto' | 'page' | 'hocr' | undefined {
  const beginning = head.slice(0, HEAD_CHARS);
  const root = ROOT.exec(beginning.replace(PROLOGUE, ''))?.[1];
  if (root === 'alto') return 'alto';
  if (root === 'PcGts') return 'page';
  return HOCR.test(beginning) ? 'hocr' : undefined;
}

/** Reads recognized text part by part. */
export interface TextReader {
  push(text: string): void;
  /** Ends the text. Returns false if elements are nested too deeply: what follows them was not read. */
  end(): boolean;
}

/** Creates a reader of ALTO, PAGE XML and hOCR, which is HTML that may be malformed. A file of any other format is read as hOCR. */
export function createTextReader(sink: TextSink): TextReader {
  let head = '';
  let parser: Parser | undefined;
  let isTooDeep = false;
  const begin = () => {
    const name = recognizedFormat(head);
    const isXml = name === 'alto' || name === 'page';
    parser = createParser(formatNamed(name, sink), isXml, () => {
      isTooDeep = true;
    });
    parser.write(head);
    head = '';
  };
  return {
    push(text) {
      if (isTooDeep) return;
      if (parser !== undefined) return void parser.write(text);
      head += text;
      if (head.length >= HEAD_CHARS) begin();
    },
    end() {
      if (parser === undefined) begin();
      if (!isTooDeep) parser?.end();
      return !isTooDeep;
    },
  };
}

function formatNamed(name: ReturnType<typeof recognizedFormat>, sink: TextSink): TextFormat {
  if (name === 'alto') return createAltoFormat(sink);
  return name === 'page' ? createPageXmlFormat(sink) : createHocrFormat(sink);
}

function createParser(format: TextFormat, isXml: boolean, tooDeep: () => void): Parser {
  let depth = 0;
  return createHtmlParser(
    {
      onopentag(name, attributes) {
        depth += 1;
        if (depth > MAX_DEPTH) tooDeep();
        // Names of XML may have the prefix of a namespace.
        else format.open(isXml ? name.slice(name.indexOf(':') + 1) : name, attributes);
      },
      ontext(data) {
        if (depth <= MAX_DEPTH) format.text(data);
      },
      onclosetag() {
        if (depth <= MAX_DEPTH) format.close();
        depth -= 1;
      },
      onend: () => format.end(),
    },
    { xmlMode: isXml },
  );
}
