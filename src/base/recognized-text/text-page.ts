/** A rectangle in the unit of its file: usually pixels of the recognized image. */
export interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** A word of recognized text, or a part of one at the end of a line. */
export interface TextWord {
  readonly text: string;
  /** The place of its line if the file does not tell its own. */
  readonly box: Box;
  /** The whole word that a part is searched as. */
  readonly whole?: string;
  /** True for the rest of a whole word, of which the word before it is the first part. */
  readonly isRest?: boolean;
}

/** A line of recognized text. */
export interface TextLine {
  readonly text: string;
  /** All words of the line. Empty if the file tells the place of none. */
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

/** A word as its file tells it. */
export interface ReadWord extends Omit<TextWord, 'box'> {
  readonly box: Box | undefined;
}

/** A line as its file tells it. */
export interface ReadLine {
  /** The text, if it is not that of the words. */
  readonly text?: string | undefined;
  readonly words: readonly ReadWord[];
  readonly box: Box | undefined;
  /** The place of a line that has none of its own, and no word with one. */
  readonly around: Box | undefined;
  readonly language: string | undefined;
}

/** Takes what a file tells, in its order. */
export interface TextSink {
  /** A page begins. Its lines follow. */
  page(box: Box | undefined): void;
  line(line: ReadLine): void;
}

/** A format of recognized text, whose elements come in the order of the file. */
export interface TextFormat {
  open(name: string, attributes: Readonly<Record<string, string>>): void;
  text(data: string): void;
  close(): void;
  end(): void;
}

/** Returns a box between two corners. Undefined for an empty one, and for corners that are no numbers. */
export function boxBetween(left: number, top: number, right: number, bottom: number): Box | undefined {
  return right > left && bottom > top ? { left, top, right, bottom } : undefined;
}

/** Returns the smallest box with all the given ones. Undefined for none. */
export function boxAround(boxes: readonly (Box | undefined)[]): Box | undefined {
  return boxes.reduce((all, box) => {
    if (all === undefined || box === undefined) return all ?? box;
    return {
      left: Math.min(all.left, box.left),
      top: Math.min(all.top, box.top),
      right: Math.max(all.right, box.right),
      bottom: Math.max(all.bottom, box.bottom),
    };
  }, undefined);
}

/** Maximum number of characters of the text of a line. The rest is left out of the text, not of the words. */
const MAX_LINE_CHARS = 2_000;

/** Returns a line in its place; its words without one have that of the line. Undefined without text, and without any place. */
export function placedLine({ words, text, box, around, language }: ReadLine): TextLine | undefined {
  const shown = tidy(text ?? words.map((word) => word.text).join(' ')).slice(0, MAX_LINE_CHARS);
  const place = box ?? boxAround(words.map((word) => word.box)) ?? around;
  if (shown === '' || place === undefined) return undefined;
  const hasPlaces = words.some((word) => word.box !== undefined);
  return {
    text: shown,
    words: hasPlaces ? words.map((word) => ({ ...word, box: word.box ?? place })) : [],
    box: place,
    language,
  };
}

/** Returns the words of a line as they are searched: a word that continues in the next line is whole. */
export function searchedText({ words, text = '' }: ReadLine): string {
  if (words.length === 0) return text;
  return words.flatMap((word) => (word.isRest ? [] : (word.whole ?? word.text))).join(' ');
}

/** Returns a text in one line. */
export function tidy(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
