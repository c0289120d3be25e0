import { varintsIn } from './index-structure.ts';

/** The rows of one word in one segment: its postings, without the headers and footers of their pages. */
export interface Doclist {
  readonly bytes: Uint8Array;
  /** The places at which an id is written as a whole, instead of its distance to the one before. */
  readonly wholeIds: readonly number[];
}

const HEADER_BYTES = 4;

/** A page of a segment: postings, and a footer with the places of its words. */
interface Page {
  readonly block: Uint8Array;
  /** The place of the first id before the first word of the page; 0 if there is none. */
  readonly firstId: number;
  readonly footer: number;
}

function pageOf(block: Uint8Array): Page {
  const view = new DataView(block.buffer, block.byteOffset, block.byteLength);
  const [firstId, footer] = [view.getUint16(0), view.getUint16(2)];
  if (firstId > footer || footer > block.length) throw new RangeError('a page of the full-text index is damaged');
  return { block, firstId, footer };
}

/**
 * Finds the postings of a word in consecutive pages of a segment, of which the first one may have the word. Undefined if the
 * segment does not have it. Throws RangeError for a damaged page.
 */
export function findDoclist(blocks: readonly Uint8Array[], word: Uint8Array): Doclist | undefined {
  const [first, ...others] = blocks.map(pageOf);
  const place = first && findWord(first, word);
  if (first === undefined || place === undefined) return undefined;
  const { start, end, isLast } = place;
  if (!isLast) return { bytes: first.block.subarray(start, end), wholeIds: [] };
  const parts = [first.block.subarray(start, end)];
  const wholeIds: number[] = [];
  let length = end - start;
  for (const page of others) {
    const hasWords = page.footer < page.block.length;
    const [firstWord = page.footer] = hasWords ? varintsIn(page.block, page.footer) : [];
    if (page.firstId !== 0) wholeIds.push(length + page.firstId - HEADER_BYTES);
    parts.push(page.block.subarray(HEADER_BYTES, firstWord));
    length += firstWord - HEADER_BYTES;
    if (hasWords) break;
  }
  return { bytes: parts.length === 1 ? (parts[0] as Uint8Array) : Buffer.concat(parts), wholeIds };
}

interface WordPlace {
  /** Where its postings begin and end on the page. */
  readonly start: number;
  readonly end: number;
  /** True for the last word of the page, whose postings may go on in the next one. */
  readonly isLast: boolean;
}

/** Finds a word among those of a page, which are sorted. */
function findWord({ block, footer }: Page, word: Uint8Array): WordPlace | undefined {
  let at = 0;
  /** The number of bytes that the word and the one before have in common. */
  let common = 0;
  let place = footer;
  const number = () => {
    let value = 0;
    let byte: number;
    do {
      byte = block[place++] ?? 0;
      value = value * 128 + (byte & 0x7f);
    } while (byte >= 0x80);
    return value;
  };
  for (let offset = footer; offset < block.length; ) {
    place = offset;
    const isFirst = offset === footer;
    at += number();
    offset = place;
    place = at;
    const kept = isFirst ? 0 : number();
    const added = number();
    if (place + added > footer) throw new RangeError('a page of the full-text index is damaged');
    // A word that keeps less of the one before than that has in common with ours is behind ours, and one that keeps more, too, differs there.
    if (kept < common) return undefined;
    if (kept > common) continue;
    let same = 0;
    while (same < added && kept + same < word.length && block[place + same] === word[kept + same]) same++;
    common = kept + same;
    if (same === added && common === word.length) {
      const start = place + added;
      const isLast = offset >= block.length;
      place = offset;
      return { start, end: isLast ? footer : at + number(), isLast };
    }
    const isBehind =
      same < added && (common === word.length || (block[place + same] as number) > (word[common] as number));
    if (isBehind) return undefined;
  }
  return undefined;
}
