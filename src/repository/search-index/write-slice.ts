import type { InStatement } from '@libsql/client';
import { sql } from 'drizzle-orm';
import { codeOf, ServiceError } from '../../base/errors.ts';
import { failedGuard } from '../../database/errors.ts';
import { query } from '../../database/query-builder.ts';
import { media as mediaTable } from '../../database/schema/content.ts';
import { files } from '../../database/schema/files.ts';
import { extractedTexts } from '../../database/schema/search.ts';
import { isAmong, namesOf } from '../../database/sql.ts';
import { type Named, plain, prepare } from '../../database/statement.ts';
import type { FieldValues } from '../../model/content-model.ts';
import type { ExtractedText } from './index-entry.ts';
import { compressed } from './index-media.ts';
import { entryOfSource } from './index-node.ts';
import { removeNodeStatements, updateStatements } from './index-statements.ts';
import { readMediaText, type SourceFile } from './media-text.ts';
import { type IndexedMedia, type IndexSource, readIndexSources } from './read-index-sources.ts';
import type { SearchServices } from './search-services.ts';
import { roleOf, type UseTerms } from './text-uses.ts';

/** Maximum size of the stored texts of nodes that are in memory at a time, in bytes. */
const MAX_TEXT_BYTES = 4 * 1024 * 1024;

/** Options of the writing of nodes. */
interface SliceOptions {
  /** The nodes whose texts are read from their files again. */
  readonly readsFiles: (nid: number) => boolean;
  /** True to write the texts even if they seem unchanged. */
  readonly isForced: boolean;
  /** Returns further statements of the transaction of a node. */
  readonly along?: (nid: number) => InStatement[];
}

const findSizes = prepare(({ ids }: Named<{ ids: string }>) =>
  query
    .select({ nid: extractedTexts.nodeId, bytes: sql<number>`sum(length(${extractedTexts.text}))` })
    .from(extractedTexts)
    .where(isAmong(extractedTexts.nodeId, ids))
    .groupBy(extractedTexts.nodeId),
);

/**
 * Writes the index of nodes from their stored content, each node in a transaction of its own; simultaneous ones share a
 * commit. Returns the nodes that other writes have changed meanwhile, which are to be written again.
 */
export async function writeSlice(
  services: SearchServices,
  nids: readonly number[],
  options: SliceOptions,
): Promise<number[]> {
  const terms = await services.search.uses.find();
  const sizes = await services.database.all(findSizes({ ids: JSON.stringify(nids) }));
  const sizeOf = new Map(sizes.map(({ nid, bytes }) => [nid, bytes]));
  const failed: number[] = [];
  for (const part of partsOf(nids, (nid) => sizeOf.get(nid) ?? 0)) {
    const sources = await readIndexSources(services, part);
    const results = await Promise.allSettled(
      part.map(async (nid) => writeOne(services, nid, sources.get(nid), terms, options)),
    );
    for (const [index, result] of results.entries()) {
      if (result.status === 'fulfilled') continue;
      if (failedGuard(result.reason) === undefined) throw result.reason;
      failed.push(part[index] as number);
    }
  }
  return failed;
}

function* partsOf(nids: readonly number[], sizeOf: (nid: number) => number): Generator<number[]> {
  let part: number[] = [];
  let bytes = 0;
  for (const nid of nids) {
    bytes += sizeOf(nid);
    if (part.length > 0 && bytes > MAX_TEXT_BYTES) {
      yield part;
      [part, bytes] = [[], sizeOf(nid)];
    }
    part.push(nid);
  }
  if (part.length > 0) yield part;
}

async function writeOne(
  services: SearchServices,
  nid: number,
  source: IndexSource | undefined,
  terms: UseTerms,
  options: SliceOptions,
): Promise<void> {
  const statements = await statementsFor(services, nid, source, terms, options).catch((error: unknown) => {
    if (isOfDatabase(error)) throw error;
    services.warn(`node ${nid} cannot be indexed`, error);
    return [];
  });
  await services.database.write([...statements, ...(options.along?.(nid) ?? [])]);
}

async function statementsFor(
  services: SearchServices,
  nid: number,
  source: IndexSource | undefined,
  terms: UseTerms,
  { readsFiles, isForced }: SliceOptions,
): Promise<InStatement[]> {
  if (source?.node === undefined) return removeNodeStatements(nid, services.now());
  const statements: InStatement[] = [];
  const { media, record } = source;
  const node = source.node();
  let extracted: readonly ExtractedText[] = source.extracted;
  if (readsFiles(nid)) {
    extracted = await extractAll(services, media, terms);
    statements.push(...textStatements(nid, source.extracted, extracted));
  }
  const entry = await entryOfSource(services, node, { media, extracted }, terms);
  const isSeen = record !== undefined && record.textHash !== entry.record.textHash && !isForced;
  // A first record tells harvesters when the node last changed.
  const now = record === undefined ? node.changed : services.now();
  return [...statements, ...updateStatements(nid, entry, record, { now, isSeen, isForced })];
}

/** Returns true for a failure of the database, which concerns all nodes. */
function isOfDatabase(error: unknown): boolean {
  return error instanceof ServiceError || codeOf(error)?.startsWith('SQLITE') === true;
}

const findTextMedia = prepare(({ ids }: Named<{ ids: string }>) => {
  const { id, bundle, document } = mediaTable;
  return query.select({ id, bundle, document }).from(mediaTable).where(isAmong(id, ids)).orderBy(id);
});
const findFile = prepare(({ id }: Named<{ id: number }>) => {
  const { uri, storedIn, filemime, recognizedType, filesize, storageKey } = files;
  return query
    .select({ uri, storedIn, filemime, recognizedType, filesize, storageKey })
    .from(files)
    .where(sql`${files.id} = ${id}`);
});

/** Finds the source file of a media. */
export async function findSourceFile(
  { database }: Pick<SearchServices, 'database'>,
  fileId: unknown,
): Promise<SourceFile | undefined> {
  return typeof fileId === 'number' ? database.get(findFile({ id: fileId })) : undefined;
}

/** Reads the texts of the published media of a node from their files. */
async function extractAll(
  services: SearchServices,
  media: readonly IndexedMedia[],
  terms: UseTerms,
): Promise<ExtractedText[]> {
  const roles = new Map(media.filter(({ status }) => status).map(({ id, uses }) => [id, roleOf(uses, terms)]));
  const ids = [...roles].filter(([, role]) => role === 'text' || role === 'hocr').map(([id]) => id);
  if (ids.length === 0) return [];
  const texts: ExtractedText[] = [];
  for (const { id, bundle, document } of await services.database.all(findTextMedia({ ids: JSON.stringify(ids) }))) {
    const type = services.model.mediaTypes.get(bundle);
    if (type === undefined) continue;
    const values = JSON.parse(document) as FieldValues;
    const file = await findSourceFile(services, values[type.sourceField.name]?.[0]?.target_id);
    const text = await readMediaText(services, type, values, file);
    if (text !== undefined) texts.push(compressed(id, roles.get(id) === 'hocr', text));
  }
  return texts;
}

const removeTexts = prepare(({ nid }: Named<{ nid: number }>) =>
  query.delete(extractedTexts).where(sql`${extractedTexts.nodeId} = ${nid}`),
);
const insertText = prepare((row: Named<{ nid: number; mediaId: number; isHocr: boolean; text: Buffer }>) => {
  const { mediaId, nodeId, isHocr, text } = extractedTexts;
  return plain(sql`INSERT INTO ${extractedTexts} (${namesOf(mediaId, nodeId, isHocr, text)})
    VALUES (${row.mediaId}, ${row.nid}, ${row.isHocr}, ${row.text})`);
});

function textStatements(
  nid: number,
  stored: readonly ExtractedText[],
  extracted: readonly ExtractedText[],
): InStatement[] {
  const isSame =
    stored.length === extracted.length &&
    stored.every(({ mediaId, text }, index) => {
      const next = extracted[index];
      return next !== undefined && mediaId === next.mediaId && text.equals(next.text);
    });
  if (isSame) return [];
  const inserts = extracted.map(({ mediaId = 0, isHocr, text }) => insertText({ nid, mediaId, isHocr, text }));
  return [removeTexts({ nid }), ...inserts];
}
