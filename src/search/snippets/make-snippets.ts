import { asc, eq } from 'drizzle-orm';
import type { Database } from '../../database/database.ts';
import { query } from '../../database/query-builder.ts';
import { nodes } from '../../database/schema/content.ts';
import { extractedTexts } from '../../database/schema/search.ts';
import { isAmong } from '../../database/sql.ts';
import { type Named, prepare } from '../../database/statement.ts';
import { textOfMarkup } from '../../field-types/text-without-markup.ts';
import type { FieldValues } from '../../model/content-model.ts';
import type { ParsedQuery } from '../query/parse-query.ts';
import type { SearchItem, SnippetPart, Viewer } from '../search-types.ts';
import type { SearchSetup } from '../setup.ts';
import { isVisibleTo } from '../visible-to.ts';
import { cutBeginning, cutMatch } from './cut-snippet.ts';
import { type Marks, marksOf } from './mark-words.ts';

/** The extracted texts that are read for the snippet of a node. */
const MAX_TEXTS = 8;
/** The size of compressed texts that are read for the snippets of a page. */
const MAX_BYTES = 4_000_000;

const findDocuments = prepare(({ ids }: Named<{ ids: string }>) =>
  query
    .select({
      id: nodes.id,
      bundle: nodes.bundle,
      status: nodes.status,
      ownerId: nodes.ownerId,
      document: nodes.document,
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

interface Page {
  readonly nids: readonly number[];
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
 * else the beginning of its first text. Leaves out nodes that the viewer may no longer view.
 */
export async function makeSnippets(
  database: Database,
  { textFields }: SearchSetup,
  { nids, parsed, viewer }: Page,
  time: SnippetTime,
): Promise<SearchItem[]> {
  if (nids.length === 0) return [];
  const rows = await database.all(findDocuments({ ids: JSON.stringify(nids) }));
  const visible = new Map(rows.filter((row) => isVisibleTo(viewer, viewer.nodes, row)).map((row) => [row.id, row]));
  const marks = marksOf(parsed);
  const items: SearchItem[] = [];
  let budget = MAX_BYTES;
  for (const nid of nids) {
    const row = visible.get(nid);
    if (row === undefined) continue;
    await time.pause();
    const texts = textsOf(JSON.parse(row.document), textFields[row.bundle] ?? []);
    let snippet = firstMatch(texts, marks);
    const readsMedia = viewer.viewsMedia && parsed.groups.length > 0 && budget > 0 && time.hasRoom;
    if (snippet === undefined && readsMedia) {
      const extracted = await database.all(findExtracted({ nid }));
      budget -= extracted.reduce((bytes, { text }) => bytes + text.length, 0);
      snippet = firstMatch(plainTexts(extracted), marks);
    }
    items.push({ nid, snippet: snippet ?? cutBeginning(texts.find((text) => text.trim() !== '') ?? '') });
  }
  return items;
}

function firstMatch(texts: Iterable<string>, marks: Marks): SnippetPart[] | undefined {
  for (const text of texts) {
    const snippet = cutMatch(text, marks);
    if (snippet !== undefined) return snippet;
  }
  return undefined;
}

/** Returns the texts of a document, without markup. */
function textsOf(document: FieldValues, fields: readonly string[]): string[] {
  return fields
    .flatMap((field) => document[field] ?? [])
    .flatMap(({ value, processed }) => {
      if (typeof processed === 'string' && processed !== '') return textOfMarkup(processed);
      return typeof value === 'string' ? value : [];
    });
}

/** Decompresses a text only if the ones before it have no match. */
function* plainTexts(extracted: readonly { readonly text: Uint8Array }[]): Generator<string> {
  for (const { text } of extracted) yield new TextDecoder().decode(Bun.zstdDecompressSync(text));
}
