import { asc, eq, sql } from 'drizzle-orm';
import type { Database } from '../../database/database.ts';
import { query } from '../../database/query-builder.ts';
import { nodes } from '../../database/schema/content.ts';
import { extractedTexts } from '../../database/schema/search.ts';
import { isAmong, nested } from '../../database/sql.ts';
import { type Named, prepare } from '../../database/statement.ts';
import { textOfMarkup } from '../../field-types/text-without-markup.ts';
import type { FieldValues } from '../../model/content-model.ts';
import { accessSetOf } from '../../repository/access/set-columns.ts';
import type { ParsedQuery } from '../query/parse-query.ts';
import type { FoundPage, SearchItem, SnippetPart, Viewer } from '../search-types.ts';
import type { SearchSetup } from '../setup.ts';
import { areTextsVisibleTo, isNodeVisibleTo } from '../visible-to.ts';
import { cutBeginning, cutMatch } from './cut-snippet.ts';
import { type Marks, marksOf } from './mark-words.ts';
import { wordsIn } from './words-in.ts';

/** The extracted texts that are read for the snippet of a node. */
const MAX_TEXTS = 8;
/** The size of compressed texts that are read for the snippets of a page. */
const MAX_BYTES = 4_000_000;
/** The maximum length of a text that is taken for an address. */
const MAX_ADDRESS_CHARS = 2_000;

const findDocuments = prepare(({ ids }: Named<{ ids: string }>) =>
  query
    .select({
      id: nodes.id,
      bundle: nodes.bundle,
      status: nodes.status,
      ownerId: nodes.ownerId,
      accessSet: accessSetOf(nodes.id),
      document: nodes.document,
      hasTexts: nested(
        sql<number>`EXISTS (SELECT 1 FROM ${extractedTexts} WHERE ${extractedTexts.nodeId} = ${nodes.id})`,
      ),
    })
    .from(nodes)
    .where(isAmong(nodes.id, ids)),
);

const findExtracted = prepare(({ nid }: Named<{ nid: number }>) =>
  query
    .select({ text: extractedTexts.text })
    .from(extractedTexts)
    .where(eq(extractedTexts.nodeId, nid))
    .orderBy(asc(extractedTexts.mediaId))
    .limit(MAX_TEXTS),
);

/** A result that a page shows. */
interface Hit {
  readonly nid: number;
  /** False for a book of which only pages match. */
  readonly isHit: boolean;
  /** The pages of a book that are shown with it. */
  readonly pages: readonly number[];
  readonly pageCount: number;
}

interface Page {
  readonly hits: readonly Hit[];
  readonly parsed: ParsedQuery;
  readonly viewer: Viewer;
}

/** The time that is left for snippets. */
interface SnippetTime {
  /** False if texts of media are no longer read. */
  readonly hasRoom: boolean;
  pause(): Promise<void>;
}

/**
 * Returns the items of a page with their snippets: the first match in the fields of the node, else in its extracted text,
 * else the beginning of its first text. The snippet of a page of a book is rather that of its text. Leaves out nodes that the
 * viewer may no longer view.
 */
export async function makeSnippets(
  database: Database,
  { textFields }: SearchSetup,
  { hits, parsed, viewer }: Page,
  time: SnippetTime,
): Promise<SearchItem[]> {
  if (hits.length === 0) return [];
  const ids = [...new Set(hits.flatMap(({ nid, pages }) => [nid, ...pages]))];
  const rows = await database.all(findDocuments({ ids: JSON.stringify(ids) }));
  const visible = new Map(rows.filter((row) => isNodeVisibleTo(viewer, row)).map((row) => [row.id, row]));
  const marks = marksOf(parsed);
  let budget = MAX_BYTES;
  /** Returns the texts of a node, each time from the first one. */
  const fieldsOf = ({ document, bundle }: (typeof rows)[number]) => {
    const values = JSON.parse(document);
    return () => textsOf(values, textFields[bundle] ?? []);
  };
  const readMedia = async (row: (typeof rows)[number]): Promise<readonly { readonly text: Uint8Array }[]> => {
    if (row.hasTexts === 0 || !areTextsVisibleTo(viewer, row) || parsed.groups.length === 0) return [];
    if (budget <= 0 || !time.hasRoom) return [];
    const extracted = await database.all(findExtracted({ nid: row.id }));
    budget -= extracted.reduce((bytes, { text }) => bytes + text.length, 0);
    return extracted;
  };
  const pageOf = async (nid: number): Promise<FoundPage[]> => {
    const row = visible.get(nid);
    if (row === undefined) return [];
    await time.pause();
    const texts = Array.from(plainTexts(await readMedia(row)));
    const fields = fieldsOf(row);
    const snippet = firstMatch(texts, marks) ?? firstMatch(fields(), marks) ?? cutFirst(fields());
    return [{ nid, snippet, words: wordsIn(texts, parsed) }];
  };
  const items: SearchItem[] = [];
  for (const { nid, isHit, pages, pageCount } of hits) {
    const row = visible.get(nid);
    if (row === undefined) continue;
    await time.pause();
    const texts = fieldsOf(row);
    let snippet = firstMatch(texts(), marks);
    if (snippet === undefined && isHit)
      snippet = firstMatch(plainTexts(await readMedia(row)), marks) ?? cutFirst(texts());
    const foundPages: FoundPage[] = [];
    for (const page of pages) foundPages.push(...(await pageOf(page)));
    items.push({ nid, snippet: snippet ?? [], pages: foundPages, pageCount });
  }
  return items;
}

function cutFirst(texts: Iterable<string>): SnippetPart[] {
  for (const text of texts) if (text.trim() !== '') return cutBeginning(text);
  return [];
}

function firstMatch(texts: Iterable<string>, marks: Marks): SnippetPart[] | undefined {
  for (const text of texts) {
    const snippet = cutMatch(text, marks);
    if (snippet !== undefined) return snippet;
  }
  return undefined;
}

/** Yields the texts of a document, without markup. */
function* textsOf(document: FieldValues, fields: readonly string[]): Generator<string> {
  for (const field of fields)
    for (const { value, processed } of document[field] ?? []) {
      const isMarkup = typeof processed === 'string' && processed !== '';
      const text = isMarkup ? textOfMarkup(processed) : value;
      if (typeof text === 'string' && !isAddress(text)) yield text;
    }
}

/** An address after the signs that separate addresses. */
const ADDRESS = /^[\s;,]*(?:(?:https?|ftps?):\/\/|(?:urn|info|doi|hdl|ark|mailto|tel):|www\.)./i;

/** Returns true for a text of addresses alone, such as that of a rights statement, which tells a reader nothing. */
function isAddress(text: string): boolean {
  if (text.length > MAX_ADDRESS_CHARS || !ADDRESS.test(text)) return false;
  const parts = text.split(/[\s;,]+/).filter((part) => part !== '');
  return parts.every((part) => ADDRESS.test(part));
}

/** Decompresses a text only if the ones before it have no match. */
function* plainTexts(extracted: readonly { readonly text: Uint8Array }[]): Generator<string> {
  for (const { text } of extracted) yield new TextDecoder().decode(Bun.zstdDecompressSync(text));
}
