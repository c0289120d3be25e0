import { setImmediate } from 'node:timers/promises';
import { createHtmlParser } from '../../base/html-parser.ts';
import type { ShowableFile } from '../../repository/content/lists/find-showable.ts';
import type { Schemes } from '../../repository/files/scheme.ts';
import { storedText } from '../../repository/files/stored-text.ts';

/** A rectangle in pixels of the recognized image. */
export interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** A word of recognized text. */
interface TextWord {
  readonly text: string;
  readonly box: Box;
}

/** A line of recognized text. */
export interface TextLine {
  readonly text: string;
  /** The words of the line that have a box. Empty if the file tells none. */
  readonly words: readonly TextWord[];
  readonly box: Box;
  /** As the file tells it: a language tag, or a code of the program. */
  readonly language: string | undefined;
}

/** The recognized text of a page. */
export interface RecognizedPage {
  /** The rectangle of the page. Undefined if the file does not tell it. */
  readonly box: Box | undefined;
  readonly lines: readonly TextLine[];
}

/** Maximum number of lines of a page: a page of a newspaper has some 3,000. */
export const MAX_LINES = 20_000;
/** Maximum depth of elements. The parser takes the longer for each element the deeper it is. */
const MAX_DEPTH = 500;
/** Maximum length of an attribute that is read. */
const MAX_ATTRIBUTE_CHARS = 2_000;
/** Maximum number of characters of a line. The rest is left out. */
const MAX_LINE_CHARS = 2_000;

/** The elements of lines (hOCR 1.2, 5.2 and 6). */
const LINES: ReadonlySet<string> = new Set(['ocr_line', 'ocrx_line', 'ocr_header', 'ocr_caption', 'ocr_textfloat']);
const WORD = 'ocrx_word';
const BOX = /(?:^|;)\s*bbox\s+(-?\d+)\s+(-?\d+)\s+(-?\d+)\s+(-?\d+)/;

interface OpenWord {
  text: string;
  readonly box: Box;
  readonly depth: number;
}

interface OpenLine {
  text: string;
  readonly box: Box;
  readonly words: TextWord[];
  readonly language: string | undefined;
  readonly depth: number;
}

/** Reads hOCR, which is HTML that may be malformed, chunk by chunk. Reads the first page of several. */
interface HocrReader {
  push(text: string): void;
  /** Returns the page after the last push. Undefined for more than `MAX_LINES` lines, or elements nested too deeply. */
  end(): RecognizedPage | undefined;
}

export function createHocrReader(): HocrReader {
  const lines: TextLine[] = [];
  let box: Box | undefined;
  let pages = 0;
  let depth = 0;
  let open: OpenLine | undefined;
  let word: OpenWord | undefined;
  let isBeyondLimits = false;
  const finishWord = () => {
    const text = word?.text.replace(/\s+/g, ' ').trim();
    if (word && text) open?.words.push({ text, box: word.box });
    word = undefined;
  };
  const finish = () => {
    finishWord();
    const text = open?.text.replace(/\s+/g, ' ').trim().slice(0, MAX_LINE_CHARS);
    if (open && text) {
      isBeyondLimits ||= lines.length === MAX_LINES;
      if (!isBeyondLimits) lines.push({ text, words: open.words, box: open.box, language: open.language });
    }
    open = undefined;
  };
  const parser = createHtmlParser({
    onopentag(_, { class: classes = '', title = '', lang }) {
      depth += 1;
      isBeyondLimits ||= depth > MAX_DEPTH;
      if (classes.length > MAX_ATTRIBUTE_CHARS || title.length > MAX_ATTRIBUTE_CHARS) return;
      const names = classes.split(/\s+/);
      if (names.includes('ocr_page')) {
        pages += 1;
        if (pages === 1) box = boxIn(title);
      }
      const ownBox = pages < 2 ? boxIn(title) : undefined;
      if (ownBox === undefined) return;
      if (names.some((name) => LINES.has(name))) {
        // A line within a line ends the outer one: its text is complete so far.
        finish();
        open = { text: '', words: [], box: ownBox, language: lang || undefined, depth };
      } else if (open !== undefined && names.includes(WORD)) {
        finishWord();
        word = { text: '', box: ownBox, depth };
      }
    },
    ontext(data) {
      if (open === undefined || open.text.length >= MAX_LINE_CHARS) return;
      open.text += data;
      if (word !== undefined) word.text += data;
    },
    onclosetag() {
      if (word?.depth === depth) finishWord();
      if (open?.depth === depth) finish();
      depth -= 1;
    },
  });
  return {
    push(text) {
      if (!isBeyondLimits) parser.write(text);
    },
    end() {
      if (isBeyondLimits) return undefined;
      parser.end();
      finish();
      return isBeyondLimits ? undefined : { box, lines };
    },
  };
}

/** Returns the box in a title such as `bbox 10 20 300 40; baseline 0 -5`. Undefined for an empty one. */
function boxIn(title: string): Box | undefined {
  const [, ...numbers] = BOX.exec(title) ?? [];
  const [left = 0, top = 0, right = 0, bottom = 0] = numbers.map(Number);
  return right > left && bottom > top ? { left, top, right, bottom } : undefined;
}

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
