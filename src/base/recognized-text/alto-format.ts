import { type Box, boxBetween, type ReadWord, type TextFormat, type TextSink } from './text-page.ts';

type Attributes = Readonly<Record<string, string>>;

/** Pixels at 300 dpi of a unit: a tenth of a millimetre, and 1/1200 inch. */
const PIXELS: Readonly<Record<string, number>> = { pixel: 1, mm10: 300 / 254, inch1200: 300 / 1200 };

interface OpenBlock {
  readonly box: Box | undefined;
  readonly language: string | undefined;
}

interface OpenLine extends OpenBlock {
  readonly words: ReadWord[];
  text: string;
  /** True for a line that the file does not have. */
  readonly isImplied: boolean;
}

/**
 * Creates a reader of ALTO 2 to 4 (<https://www.loc.gov/standards/alto/>). A word that is divided at the end of a line is
 * searched as a whole, in both places. Places are relative to the size of the page, in any unit; a page without a size has 300
 * dpi.
 */
export function createAltoFormat(sink: TextSink): TextFormat {
  const names: string[] = [];
  const blocks: OpenBlock[] = [];
  let unit = '';
  let scale = 1;
  let line: OpenLine | undefined;
  /** The whole word whose first part was the last word. */
  let divided: string | undefined;
  const boxOf = ({ HPOS, VPOS, WIDTH, HEIGHT }: Attributes): Box | undefined => {
    const [left = Number.NaN, top = Number.NaN, width = Number.NaN, height = Number.NaN] = [
      ...[HPOS, VPOS, WIDTH, HEIGHT],
    ].map((value) => (value === undefined || value.trim() === '' ? Number.NaN : Number(value) * scale));
    return boxBetween(left, top, left + width, top + height);
  };
  const blockBox = () => blocks.findLast(({ box }) => box !== undefined)?.box;

  const beginPage = ({ WIDTH, HEIGHT }: Attributes) => {
    divided = undefined;
    const box = boxBetween(0, 0, Number(WIDTH), Number(HEIGHT));
    scale = box === undefined ? (PIXELS[unit.trim()] ?? 1) : 1;
    sink.page(box);
  };
  const finishLine = () => {
    if (line === undefined) return;
    const { words, text, box, language } = line;
    if (words.length > 0) sink.line({ text, words, box, around: blockBox(), language });
    line = undefined;
  };
  const addWord = (attributes: Attributes) => {
    const { CONTENT = '', SUBS_TYPE, SUBS_CONTENT } = attributes;
    if (CONTENT.trim() === '') return;
    line ??= { words: [], text: '', box: undefined, language: undefined, isImplied: true };
    line.text += `${line.text === '' ? '' : ' '}${CONTENT}`;
    const isRest = SUBS_TYPE === 'HypPart2' && SUBS_CONTENT !== undefined && SUBS_CONTENT === divided;
    divided = SUBS_TYPE === 'HypPart1' ? SUBS_CONTENT : undefined;
    const whole = SUBS_CONTENT?.trim() ? { whole: SUBS_CONTENT } : {};
    line.words.push({ text: CONTENT, box: boxOf(attributes), ...(isRest ? { isRest } : whole) });
  };

  return {
    open(name, attributes) {
      names.push(name);
      const language = attributes.LANG ?? attributes.language ?? blocks.at(-1)?.language;
      if (name === 'Page') beginPage(attributes);
      else if (name === 'TextLine') {
        finishLine();
        line = { words: [], text: '', box: boxOf(attributes), language, isImplied: false };
      } else if (name === 'String') addWord(attributes);
      // A hyphen is no word of its own.
      else if (name === 'HYP' && line !== undefined) line.text += attributes.CONTENT ?? '-';
      if (name === 'Page' || name.endsWith('Block') || name === 'PrintSpace') {
        finishLine();
        blocks.push({ box: boxOf(attributes), language });
      }
    },
    text(data) {
      if (names.at(-1) === 'MeasurementUnit') unit += data;
    },
    close() {
      const name = names.pop() ?? '';
      if (name === 'TextLine') finishLine();
      if (name === 'Page' || name.endsWith('Block') || name === 'PrintSpace') {
        finishLine();
        blocks.pop();
      }
    },
    end: finishLine,
  };
}
