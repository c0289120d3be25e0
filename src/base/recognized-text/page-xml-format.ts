import { type Box, boxBetween, type ReadWord, type TextFormat, type TextSink, tidy } from './text-page.ts';

type Attributes = Readonly<Record<string, string>>;

/** Maximum number of characters of a list of points that are read. */
const MAX_POINTS_CHARS = 100_000;

/** A region, line, word or glyph while it is read. */
interface OpenPart {
  readonly name: string;
  readonly language: string | undefined;
  points: [number, number][];
  /** The words of a line. */
  readonly words: ReadWord[];
  text: string | undefined;
  /** The rank of the text: the lowest index is the best reading. */
  rank: number;
  hasLines: boolean;
}

const PART = /^(?:\w*Region|TextLine|Word|Glyph)$/;

/**
 * Creates a reader of PAGE XML (<https://github.com/PRImA-Research-Lab/PAGE-XML>), of all its versions. A line without words has its
 * own text, a region without lines its own. Of several readings of a text, that with the lowest index counts.
 */
export function createPageXmlFormat(sink: TextSink): TextFormat {
  const names: string[] = [];
  const parts: OpenPart[] = [];
  let reading: { text: string; readonly rank: number } | undefined;

  const finish = (part: OpenPart) => {
    const box = boxOf(part.points);
    const text = tidy(part.text ?? '');
    const parent = parts.at(-1);
    if (part.name === 'Word') {
      if (text !== '') parent?.words.push({ text, box });
      return;
    }
    if (part.name === 'Glyph') return;
    const isLine = part.name === 'TextLine';
    const words = isLine ? part.words : [];
    const isText = words.length > 0 || (text !== '' && !part.hasLines);
    if (isText) {
      const around = parts.map(({ points }) => boxOf(points)).findLast((each) => each !== undefined);
      sink.line({ text: words.length > 0 ? undefined : text, words, box, around, language: part.language });
    }
    if (parent !== undefined) parent.hasLines ||= isText || part.hasLines;
  };

  return {
    open(name, attributes) {
      names.push(name);
      const part = parts.at(-1);
      if (name === 'Page') sink.page(boxBetween(0, 0, Number(attributes.imageWidth), Number(attributes.imageHeight)));
      else if (PART.test(name)) {
        const language = attributes.primaryLanguage ?? attributes.language ?? part?.language;
        parts.push({ name, language, points: [], words: [], text: undefined, rank: 0, hasLines: false });
      } else if (name === 'Coords') addPoints(part, attributes.points);
      else if (name === 'Point' && names.at(-2) === 'Coords') addPoints(part, `${attributes.x},${attributes.y}`);
      else if (name === 'TextEquiv') reading = { text: '', rank: Number(attributes.index ?? 0) || 0 };
    },
    text(data) {
      if (names.at(-1) === 'Unicode' && reading !== undefined) reading.text += data;
    },
    close() {
      const name = names.pop() ?? '';
      const part = parts.at(-1);
      if (name === 'TextEquiv') {
        if (part !== undefined && reading !== undefined && (part.text === undefined || reading.rank < part.rank))
          Object.assign(part, reading);
        reading = undefined;
      } else if (part?.name === name) {
        parts.pop();
        finish(part);
      }
    },
    end() {},
  };
}

function addPoints(part: OpenPart | undefined, text: Attributes[string] | undefined): void {
  for (const [, x, y] of (text ?? '').slice(0, MAX_POINTS_CHARS).matchAll(/(-?[\d.]+),(-?[\d.]+)/g))
    part?.points.push([Number(x), Number(y)]);
}

/** Returns the smallest box around points. */
function boxOf(points: readonly (readonly [number, number])[]): Box | undefined {
  if (points.length === 0) return undefined;
  const bounds = { left: Number.POSITIVE_INFINITY, top: Number.POSITIVE_INFINITY, right: -1, bottom: -1 };
  for (const [x, y] of points) {
    bounds.left = Math.min(bounds.left, x);
    bounds.top = Math.min(bounds.top, y);
    bounds.right = Math.max(bounds.right, x);
    bounds.bottom = Math.max(bounds.bottom, y);
  }
  return boxBetween(bounds.left, bounds.top, bounds.right, bounds.bottom);
}
