import type { InStatement } from '@libsql/client';
import { sql } from 'drizzle-orm';
import { media as mediaTable } from '../../database/schema/content.ts';
import { extractedTexts } from '../../database/schema/search.ts';
import { namesOf } from '../../database/sql.ts';
import { type Named, plain, prepare, type Statement } from '../../database/statement.ts';
import type { FieldValues, MediaType } from '../../model/content-model.ts';
import { typeOfFile } from '../files/file-type.ts';
import { makePending } from '../pending-nodes.ts';
import { nodesOfMedia } from '../relations.ts';
import type { ExtractedText } from './index-entry.ts';
import { entryOfSource } from './index-node.ts';
import { removeExtractedOf, updateStatements } from './index-statements.ts';
import { readMediaText, type SourceFile } from './media-text.ts';
import { type IndexedMedia, type IndexSource, readIndexSources } from './read-index-sources.ts';
import type { SearchServices } from './search-services.ts';
import { isFileOfRecord, roleOf, type UseTerms } from './text-uses.ts';

/** A media before or after a write. */
export interface MediaState {
  readonly status: boolean;
  readonly values: FieldValues;
}

/** A write of a media. */
interface MediaChange {
  /** Undefined for a new media. */
  readonly id: number | undefined;
  readonly uuid: string;
  readonly type: MediaType;
  /** Undefined for a new media. */
  readonly before: MediaState | undefined;
  /** Undefined for a removed media. */
  readonly after: MediaState | undefined;
  /** Finds its source file as it will be stored. */
  readonly findFile: () => Promise<SourceFile | undefined>;
}

function usesOf({ values }: MediaState): number[] {
  return (values.field_media_use ?? []).map(({ target_id }) => Number(target_id));
}

/** Returns the nodes whose index depends on a media; none for derivatives without text, and for unpublished media. */
function indexedNodesOf(state: MediaState | undefined, terms: UseTerms): number[] {
  return state?.status && roleOf(usesOf(state), terms) !== 'derivative' ? nodesOfMedia(state.values) : [];
}

/** Returns the last statements of the transaction that writes a media: they index its text with its nodes. */
export async function indexMedia(services: SearchServices, change: MediaChange): Promise<InStatement[]> {
  const terms = await services.search.uses.find();
  const { id, before, after } = change;
  const [nodesBefore, nodesAfter] = [indexedNodesOf(before, terms), indexedNodesOf(after, terms)];
  const nids = [...new Set([...nodesBefore, ...nodesAfter])];
  if (nids.length === 0) return [];
  const [sources, own] = await Promise.all([
    readIndexSources(services, nids),
    nodesAfter.length > 0 && after ? ownSources(services, change, after, terms) : undefined,
  ]);
  const statements: InStatement[] = [];
  for (const nid of nids) {
    const source = sources.get(nid);
    if (source !== undefined)
      statements.push(
        ...(await nodeStatements(services, nid, source, id, nodesAfter.includes(nid) ? own : undefined, terms)),
      );
  }
  return [...textStatements(change, sources, nodesAfter, own?.text), ...statements];
}

/** A media with its text, as it will be stored. */
interface OwnSources {
  readonly media: IndexedMedia;
  readonly text: ExtractedText | undefined;
}

async function ownSources(
  services: SearchServices,
  { id = 0, type, findFile }: MediaChange,
  after: MediaState,
  terms: UseTerms,
): Promise<OwnSources> {
  const file = await findFile();
  const uses = usesOf(after);
  const role = roleOf(uses, terms);
  const isText = role === 'text' || role === 'hocr';
  const text = isText ? await readMediaText(services, type, after.values, file) : undefined;
  return {
    media: { id, status: after.status, uses, mimeType: file && typeOfFile(file) },
    text: text === undefined ? undefined : compressed(id, role === 'hocr', text),
  };
}

/** Returns a text as it is stored. */
export function compressed(mediaId: number, isHocr: boolean, text: string): ExtractedText & { mediaId: number } {
  return { mediaId, isHocr, text: Bun.zstdCompressSync(text) };
}

async function nodeStatements(
  services: SearchServices,
  nid: number,
  { node, media, extracted, record }: IndexSource,
  mediaId: number | undefined,
  own: OwnSources | undefined,
  terms: UseTerms,
): Promise<Statement[]> {
  if (node === undefined) return [];
  // The build has not reached the node, or has just read it.
  if (record === undefined) return [makePending([nid])];
  const texts = extracted.filter((each) => each.mediaId !== mediaId);
  const sources = {
    media: [...media.filter((each) => each.id !== mediaId), ...(own ? [own.media] : [])],
    extracted: own?.text ? inOrder([...texts, own.text]) : texts,
  };
  const entry = await entryOfSource(services, node(), sources, terms);
  const { textHash, hasText, facets } = entry.record;
  // Records for harvesters name the types of files. With a text, the manifest offers a search.
  const isSeen = filesIn(media, terms) !== filesIn(sources.media, terms) || !facets.equals(record.facets);
  if (!isSeen && textHash === record.textHash && hasText === record.hasText) return [];
  return updateStatements(nid, entry, record, { now: services.now(), isSeen });
}

/** Returns the files that records for harvesters name, as a text to compare. */
function filesIn(media: readonly IndexedMedia[], terms: UseTerms): string {
  return media
    .filter(({ status, uses, mimeType }) => status && mimeType !== undefined && isFileOfRecord(uses, terms))
    .map(({ id, mimeType }) => `${id} ${mimeType}`)
    .sort()
    .join();
}

/** Sorts texts by media; a new media is the last one. */
function inOrder(texts: readonly ExtractedText[]): ExtractedText[] {
  return texts.toSorted((a, b) => (a.mediaId || Number.POSITIVE_INFINITY) - (b.mediaId || Number.POSITIVE_INFINITY));
}

interface TextRow {
  readonly uuid: string;
  readonly nids: string;
  readonly isHocr: boolean;
  readonly text: Buffer;
}

const insertText = prepare(({ uuid, nids, isHocr, text }: Named<TextRow>) => {
  const { mediaId, nodeId, isHocr: hocr, text: content } = extractedTexts;
  return plain(sql`INSERT INTO ${extractedTexts} (${namesOf(mediaId, nodeId, hocr, content)})
    SELECT ${mediaTable.id}, j.value, ${isHocr}, ${text} FROM ${mediaTable}, json_each(${nids}) j
    WHERE ${mediaTable.uuid} = ${uuid}`);
});

function textStatements(
  { id, uuid }: MediaChange,
  sources: ReadonlyMap<number, IndexSource>,
  nodesAfter: readonly number[],
  text: ExtractedText | undefined,
): InStatement[] {
  const stored = Array.from(sources.values(), ({ extracted }) => extracted.find(({ mediaId }) => mediaId === id));
  const isSame = stored.length === nodesAfter.length && stored.every((each) => text && each?.text.equals(text.text));
  if (isSame) return [];
  const removal = id === undefined || stored.every((each) => each === undefined) ? [] : [removeExtractedOf([id])];
  if (text === undefined) return removal;
  const nids = JSON.stringify([...new Set(nodesAfter)]);
  return [...removal, insertText({ uuid, nids, isHocr: text.isHocr, text: text.text })];
}
