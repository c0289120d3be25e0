import { INLINE_ELEMENTS } from '../html-parser.ts';
import { type Box, boxAround, boxBetween, type TextFormat, type TextSink, tidy } from './text-page.ts';

/** Maximum length of an attribute that is read. */
const MAX_ATTRIBUTE_CHARS = 2_000;
/** Maximum number of words of a line. Further ones are those of another line in its place. */
const MAX_LINE_WORDS = 2_000;

type Kind = 'area' | 'line' | 'word' | 'dropCap' | 'character' | 'unread' | 'other';

/** The classes of elements (hOCR 1.2, 5 and 6). Words of an area may lack a line. */
const KINDS: ReadonlyMap<string, Kind> = new Map<string, Kind>([
  ...(['ocr_page', 'ocr_carea', 'ocr_par', 'ocrx_block'] as const).map((name) => [name, 'area'] as const),
  ...(['ocr_line', 'ocrx_line', 'ocr_header', 'ocr_caption', 'ocr_textfloat'] as const).map(
    (name) => [name, 'line'] as const,
  ),
  ['ocrx_word', 'word'],
  ['ocr_dropcap', 'dropCap'],
  ['ocrx_cinfo', 'character'],
  ['ocr_cinfo', 'character'],
]);
const PAGE = 'ocr_page';
const UNREAD: ReadonlySet<string> = new Set(['script', 'style', 'template', 'title']);
const NUMBER = '(-?\\d+(?:\\.\\d+)?)';
const BOX = new RegExp(`(?:^|;)\\s*bbox\\s+${[NUMBER, NUMBER, NUMBER, NUMBER].join('\\s+')}`);

interface OpenElement {
  readonly kind: Kind;
  readonly isInline: boolean;
  readonly box: Box | undefined;
}

/** A word while its text is read. */
interface OpenWord {
  text: string;
  box: Box | undefined;
  /** True if an element of a word has begun in it: another one is another word. */
  hasElement: boolean;
  /** True if its letters are elements: white space between them is that of the file. */
  hasCharacters: boolean;
}

interface OpenLine {
  readonly words: OpenWord[];
  readonly box: Box | undefined;
  readonly language: string | undefined;
  /** True for a line that the file does not have: its words are directly in an area. */
  readonly isImplied: boolean;
  /** The place of its last word with one. */
  last: Box | undefined;
}

const IMPLIED: Omit<OpenLine, 'words'> = { box: undefined, language: undefined, isImplied: true, last: undefined };

/**
 * Creates a reader of hOCR (<http://kba.github.io/hocr-spec/1.2/>). Characters, drop caps and emphasis in a word, or without a
 * space beside it, belong to it. Text outside of words, and words without a box, have the place of their line.
 */
export function createHocrFormat(sink: TextSink): TextFormat {
  const elements: OpenElement[] = [];
  let line: OpenLine | undefined;
  /** The word that the next letter continues. */
  let word: OpenWord | undefined;
  let isInWord = false;
  const innermost = (kind: Kind) => elements.findLast((element) => element.kind === kind);

  const finishLine = () => {
    if (line === undefined) return;
    const words = line.words.map(({ text, box }) => ({ text: tidy(text), box })).filter(({ text }) => text !== '');
    const around = elements.findLast(({ kind, box }) => kind === 'area' && box !== undefined)?.box;
    if (words.length > 0) sink.line({ words, box: line.box, around, language: line.language });
    line = undefined;
    word = undefined;
  };
  const beginWord = (box: Box | undefined): OpenWord => {
    if (line?.isImplied && box && line.last && !isBeside(box, line.last)) finishLine();
    const full = line !== undefined && line.words.length >= MAX_LINE_WORDS ? line : undefined;
    if (full !== undefined) finishLine();
    line ??= full ? { ...full, words: [] } : { ...IMPLIED, words: [] };
    line.last = box ?? line.last;
    word = { text: '', box, hasElement: false, hasCharacters: false };
    line.words.push(word);
    return word;
  };
  const beginElement = (box: Box | undefined) => {
    if (word === undefined || word.hasElement) word = beginWord(box);
    // Text without a space before it, such as a drop cap, is its beginning.
    else word.box = boxAround([word.box, box]);
    word.hasElement = true;
    isInWord = true;
  };
  const addInWord = (open: OpenWord, data: string) => {
    const isCharacter = innermost('character') !== undefined;
    open.hasCharacters ||= isCharacter;
    open.text += open.hasCharacters && !isCharacter ? data.replace(/\s+/g, '') : data;
  };
  /** Text of neighbouring blocks is not joined. */
  const endText = () => {
    if (isInWord) return;
    word = undefined;
    if (line?.isImplied) finishLine();
  };
  const addOutside = (data: string) => {
    const dropCap = innermost('dropCap')?.box;
    for (const part of data.split(/(\s+)/)) {
      if (part === '') continue;
      if (part.trim() === '') word = undefined;
      else {
        word ??= beginWord(undefined);
        word.text += part;
        if (dropCap !== undefined) word.box = boxAround([word.box, dropCap]);
      }
    }
  };

  return {
    open(name, { class: classes = '', title = '', lang }) {
      const isRead = classes.length <= MAX_ATTRIBUTE_CHARS && title.length <= MAX_ATTRIBUTE_CHARS;
      const names = isRead ? classes.split(/\s+/) : [];
      const box = isRead ? boxIn(title) : undefined;
      const kind = UNREAD.has(name) ? 'unread' : (names.map((each) => KINDS.get(each)).find(Boolean) ?? 'other');
      // A line within a line ends the outer one: its text is complete so far.
      if (kind === 'area' || kind === 'line') finishLine();
      else if (!INLINE_ELEMENTS.has(name)) endText();
      if (names.includes(PAGE)) sink.page(box);
      elements.push({ kind, box, isInline: INLINE_ELEMENTS.has(name) });
      if (kind === 'line') line = { words: [], box, language: lang || undefined, isImplied: false, last: undefined };
      if (kind === 'word') beginElement(box);
    },
    text(data) {
      if (innermost('unread') !== undefined) return;
      if (isInWord && word !== undefined) addInWord(word, data);
      else if (line !== undefined || innermost('area') !== undefined) addOutside(data);
    },
    close() {
      const { kind, isInline } = elements.at(-1) ?? {};
      if (kind === 'area' || kind === 'line') finishLine();
      else if (!isInline) endText();
      if (kind === 'word') {
        isInWord = false;
        if (word?.hasCharacters === false && /\s$/.test(word.text)) word = undefined;
      }
      elements.pop();
    },
    end: finishLine,
  };
}

/** Returns true for a word in the same line as the one before it. */
function isBeside(box: Box, last: Box): boolean {
  const middle = (box.top + box.bottom) / 2;
  return middle >= last.top && middle <= last.bottom;
}

/** Returns the box in a title such as `bbox 10 20 300 40; baseline 0 -5`. Undefined for an empty one. */
function boxIn(title: string): Box | undefined {
  const [, ...numbers] = BOX.exec(title) ?? [];
  const [left = 0, top = 0, right = 0, bottom = 0] = numbers.map(Number);
  return boxBetween(left, top, right, bottom);
}
