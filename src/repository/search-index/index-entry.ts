import { hash } from 'bun';
import { indexedText } from '../../base/words.ts';
import { titleWordsOf } from '../title-words.ts';
import { describeNode, type FacetGroup, type IndexedNode, type MediaOfNode } from './describe-node.ts';
import type { SearchServices } from './search-services.ts';

/** Maximum number of characters of extracted text that the index holds of a node with several media. */
const MAX_FULLTEXT_CHARS = 16 * 1024 * 1024;

/** The rows of a node in the index. */
export interface IndexEntry {
  /** The columns of `search_text`. */
  readonly texts: Texts;
  /** The keys of its rows in `search_title_word`. */
  readonly titleWords: readonly string[];
  /** The columns of `node_record` that follow from the content. */
  readonly record: EntryRecord;
}

type Texts = Readonly<Record<'title' | 'subject' | 'creator' | 'identifier' | 'text' | 'fulltext', string>>;

export interface EntryRecord {
  readonly status: boolean;
  readonly ownerId: number;
  readonly bundle: string;
  readonly created: number;
  readonly changed: number;
  readonly titleKey: string;
  readonly dateFrom: number | null;
  readonly dateTo: number | null;
  readonly hasText: boolean;
  readonly facets: Buffer;
  readonly collections: string;
  readonly textHash: string;
}

/** The extracted text of a media. */
export interface ExtractedText {
  readonly mediaId: number | undefined;
  readonly isHocr: boolean;
  /** zstd of UTF-8. */
  readonly text: Buffer;
}

/** Returns the rows of a node with the given texts and files. A promise only if a facet has a new text. */
export function indexEntry(
  { search }: SearchServices,
  node: IndexedNode,
  extracted: readonly ExtractedText[],
  fileTypes: ReadonlySet<string>,
): IndexEntry | Promise<IndexEntry> {
  const media: MediaOfNode = { hasText: extracted.length > 0, fileTypes };
  const description = describeNode(search.model, node, media);
  const texts: Texts = { ...description.columns, fulltext: extracted.length === 0 ? '' : fulltextOf(extracted) };
  const { titleKey, years, collections, facets } = description;
  const { status, ownerId, bundle, created, changed } = node;
  const complete = (numbers: ReadonlyMap<string, number>): IndexEntry => ({
    texts,
    titleWords: titleWordsOf(node.title),
    record: {
      ...{ status, ownerId, bundle, created, changed, titleKey },
      dateFrom: years?.from ?? null,
      dateTo: years?.to ?? null,
      hasText: media.hasText,
      facets: encodeFacets(facets, numbers),
      collections: JSON.stringify(collections),
      textHash: hashOf(texts),
    },
  });
  const numbers = search.facetValues.numbersOf(textsIn(facets));
  return numbers instanceof Promise ? numbers.then(complete) : complete(numbers);
}

/** Returns the texts that count: hOCR repeats the extracted text, if there is any. */
function fulltextOf(extracted: readonly ExtractedText[]): string {
  const plain = extracted.filter(({ isHocr }) => !isHocr);
  let text = '';
  for (const each of plain.length > 0 ? plain : extracted) {
    if (text.length >= MAX_FULLTEXT_CHARS) break;
    text += `${Bun.zstdDecompressSync(each.text).toString()}\n`;
  }
  return indexedText(text.slice(0, MAX_FULLTEXT_CHARS));
}

function hashOf({ title, subject, creator, identifier, text, fulltext }: Texts): string {
  return hash.xxHash64(`${title}\0${subject}\0${creator}\0${identifier}\0${text}\0${fulltext}`).toString(16);
}

function textsIn(groups: readonly FacetGroup[]): Set<string> {
  const words = new Set<string>();
  for (const [, values] of groups) for (const value of values) if (typeof value === 'string') words.add(value);
  return words;
}

function encodeFacets(groups: readonly FacetGroup[], numbers: ReadonlyMap<string, number>): Buffer {
  const encoded = Buffer.allocUnsafe(groups.reduce((bytes, [, values]) => bytes + 8 + 4 * values.length, 0));
  let at = 0;
  const put = (value: number) => {
    at = encoded.writeUInt32LE(value, at);
  };
  for (const [facet, values] of groups) {
    put(facet);
    put(values.length);
    for (const value of values) put(typeof value === 'string' ? (numbers.get(value) ?? 0) : value);
  }
  return encoded;
}
