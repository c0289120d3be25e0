import { sql } from 'drizzle-orm';
import type { SelectResultFields } from 'drizzle-orm/query-builders/select.types';
import { alias } from 'drizzle-orm/sqlite-core';
import { ServiceError } from '../base/errors.ts';
import { extensionOf, matchesMediaType } from '../base/media-type.ts';
import { packTar, type TarEntry } from '../base/tar.ts';
import { query } from '../database/query-builder.ts';
import { media, nodes } from '../database/schema/content.ts';
import { files } from '../database/schema/files.ts';
import { references, termUris } from '../database/schema/references.ts';
import { isAmong } from '../database/sql.ts';
import { type Named, plain, prepare } from '../database/statement.ts';
import { MEDIA_USE_URI } from '../model/media-use.ts';
import { accessSetOf, mediaSetOf } from '../repository/access/set-columns.ts';
import { mediaAccess, nodeAccess } from '../repository/access.ts';
import type { Actor } from '../repository/actor.ts';
import { mediaUseIds, readUseIds } from '../repository/content/media-nodes.ts';
import { typeOfFile, typeOfFileColumns } from '../repository/files/file-type.ts';
import type { FindFile } from '../repository/files/find-file.ts';
import { storageOf } from '../repository/files/scheme.ts';
import { isMediaOf, isMemberOf } from '../repository/relations.ts';
import type { JobServices } from './job-planner.ts';
import type { DerivativeAction } from './rules.ts';

/** Widely supported image types: a Service File of another type is not a page. */
const PAGE_TYPES = new Set([
  'image/jpeg',
  'image/png',
  'image/tiff',
  'image/gif',
  'image/webp',
  'image/bmp',
  'image/x-ms-bmp',
  'image/jp2',
  'image/heic',
]);
/** Number of pages per query. */
const BATCH_SIZE = 100;
/** Minimum number of digits of a position: programs order files by name. */
const MIN_DIGITS = 5;

/** The image of one page. */
interface PageFile {
  /** `00001-12.jpg`: the position, and the id of the node. */
  readonly name: string;
  readonly fileId: number;
  readonly uri: string;
  readonly mimeType: string;
  readonly bytes: number;
  /** Seconds since 1970. */
  readonly changed: number;
  readonly storageKey: string;
  /** As in the row (`files/scheme.ts`). */
  readonly storedIn: string | null;
}

const [link, use, source] = [alias(references, 'r'), alias(references, 'u'), alias(references, 's')];

const COLUMNS = {
  nodeId: nodes.id,
  nodeBundle: nodes.bundle,
  nodeOwner: nodes.ownerId,
  nodeStatus: nodes.status,
  nodeSet: accessSetOf(nodes.id),
  mediaBundle: media.bundle,
  mediaOwner: media.ownerId,
  mediaStatus: media.status,
  mediaSet: mediaSetOf(media.id),
  mediaUses: mediaUseIds(media.id),
  use: termUris.uri,
  field: source.field,
  fileId: files.id,
  uri: files.uri,
  mimeType: typeOfFileColumns(files),
  bytes: files.filesize,
  changed: files.changed,
  storageKey: files.storageKey,
  storedIn: files.storedIn,
};
type Columns = SelectResultFields<typeof COLUMNS>;

/** Finds every file of the members that has one of the uses, those of older media first. CROSS fixes the order of the join. */
const pageFiles = prepare(({ ids, uses }: Named<{ ids: string; uses: string }>) =>
  plain(
    sql`SELECT ${sql.join(Object.values(COLUMNS), sql`, `)}
      FROM json_each(${ids}) member
        CROSS JOIN ${nodes} ON ${nodes.id} = member.value
        CROSS JOIN ${references} ${link} ON ${isMediaOf(link, nodes.id)}
        CROSS JOIN ${media} ON ${media.id} = ${link.sourceId}
        CROSS JOIN ${references} ${use} ON ${use.sourceType} = 'media' AND ${use.sourceId} = ${media.id}
          AND ${use.targetType} = 'taxonomy_term'
        CROSS JOIN ${termUris} ON ${termUris.termId} = ${use.targetId} AND ${isAmong(termUris.uri, uses)}
        CROSS JOIN ${references} ${source} ON ${source.sourceType} = 'media' AND ${source.sourceId} = ${media.id}
          AND ${source.targetType} = 'file' AND ${source.delta} = 0
        CROSS JOIN ${files} ON ${files.id} = ${source.targetId}
      ORDER BY member.key, ${media.id}`,
    COLUMNS,
  ),
);

const memberIdsOf = prepare(({ nodeId }: Named<{ nodeId: number }>) => {
  const members = query
    .select({ id: references.sourceId })
    .from(references)
    .where(isMemberOf(references, nodeId))
    .orderBy(references.weight, references.sourceId)
    .as('members');
  return query.select({ ids: sql<string>`json_group_array(${members.id})` }).from(members);
});

interface Candidate {
  readonly nodeId: number;
  readonly isService: boolean;
  readonly file: Omit<PageFile, 'name'>;
}

/**
 * Returns the page images of a node's members that the actor may view, in the order of `/node/N/members`: the Service File
 * if it is an image, else the Original File if an action on members accepts its type. Skips members without either. The
 * caller checks access to the node itself.
 */
async function* listPages(services: JobServices, actor: Actor, nodeId: number): AsyncGenerator<PageFile> {
  const ids = await memberIds(services, nodeId);
  const digits = Math.max(MIN_DIGITS, String(ids.length).length);
  let position = 0;
  for (let start = 0; start < ids.length; start += BATCH_SIZE) {
    for (const { nodeId: id, file } of await readBatch(services, actor, ids.slice(start, start + BATCH_SIZE))) {
      position += 1;
      const number = String(position).padStart(digits, '0');
      yield { name: `${number}-${id}.${extensionOf(file.mimeType) ?? 'bin'}`, ...file };
    }
  }
}

/** Returns whether a node has at least one page. */
export async function hasPages(services: JobServices, actor: Actor, nodeId: number): Promise<boolean> {
  for await (const _page of listPages(services, actor, nodeId)) return true;
  return false;
}

/** Reads all ids at once, so that their order is consistent: ten thousand need less memory than a small image. */
async function memberIds({ database }: JobServices, nodeId: number): Promise<number[]> {
  const members = await database.get(memberIdsOf({ nodeId }));
  // A member may name the node twice.
  return [...new Set(JSON.parse(members?.ids ?? '[]') as number[])];
}

/** Returns the page of each of these members, in their order. */
async function readBatch(services: JobServices, actor: Actor, ids: readonly number[]): Promise<Candidate[]> {
  const actions = [...services.derivatives.rules.actions.values()].filter(({ ofMembers }) => ofMembers !== undefined);
  const uses = [MEDIA_USE_URI.service, ...actions.map(({ sourceTerm }) => sourceTerm)];
  const rows = await services.database.all(pageFiles({ ids: JSON.stringify(ids), uses: JSON.stringify(uses) }));
  const chosen = new Map<number, Candidate>();
  for (const row of rows) {
    const { nodeId, mediaBundle, use, field, mimeType } = row;
    if (services.model.mediaTypes.get(mediaBundle)?.sourceField.name !== field) continue;
    const isService = use === MEDIA_USE_URI.service && PAGE_TYPES.has(mimeType);
    const previous = chosen.get(nodeId);
    if (previous && (previous.isService || !isService)) continue;
    if (!isService && !actions.some((action) => isSource(action, use, mimeType))) continue;
    if (isVisible(actor, row)) chosen.set(nodeId, { nodeId, isService, file: fileOf(row) });
  }
  return [...chosen.values()];
}

function isSource({ sourceTerm, sourceMimeTypes }: DerivativeAction, use: string, mimeType: string): boolean {
  return use === sourceTerm && sourceMimeTypes.some((pattern) => matchesMediaType(pattern, mimeType));
}

/** Returns whether the actor may view the page and its media, and therefore read the media's file. */
function isVisible(actor: Actor, row: Columns): boolean {
  const node = { bundle: row.nodeBundle, ownerId: row.nodeOwner, status: row.nodeStatus, accessSet: row.nodeSet };
  const belongsTo = { nodes: [node], hasLostNode: false };
  const own = { bundle: row.mediaBundle, ownerId: row.mediaOwner, status: row.mediaStatus, accessSet: row.mediaSet };
  const medium = { ...own, useIds: readUseIds(row.mediaUses), belongsTo };
  return nodeAccess.view(actor, node).isAllowed && mediaAccess.view(actor, medium).isAllowed;
}

function fileOf({ fileId, uri, mimeType, bytes, changed, storageKey, storedIn }: Columns): Candidate['file'] {
  return { fileId, uri, mimeType, bytes, changed, storageKey, storedIn };
}

interface PackParts {
  readonly services: JobServices;
  readonly findFile: FindFile;
}

/**
 * Returns the pages of a node that the actor may view as a tar archive (`listPages`). Throws `storage-failed` for a file
 * that cannot be read completely: the archive has no end then.
 */
export function packPages(parts: PackParts, actor: Actor, nodeId: number): AsyncGenerator<Uint8Array, void, void> {
  return packTar(entries(parts, actor, nodeId));
}

async function* entries(parts: PackParts, actor: Actor, nodeId: number): AsyncGenerator<TarEntry> {
  for await (const page of listPages(parts.services, actor, nodeId)) {
    const file = await current(parts, page);
    const { name, bytes, changed, storageKey } = file;
    const { storage } = storageOf(parts.services, file);
    yield { name, bytes, modified: changed, open: () => storage.read(storageKey) };
  }
}

/** Returns the page with the present file: the file may have been replaced since its row was read. */
async function current({ services, findFile }: PackParts, page: PageFile): Promise<PageFile> {
  const { storage } = storageOf(services, page);
  if ((await storage.stat(page.storageKey))?.bytes === page.bytes) return page;
  const row = (await findFile.byId(page.fileId))?.row;
  // The name depends on the type. A row with another key names the present object.
  if (row && typeOfFile(row) === page.mimeType && row.storageKey !== page.storageKey)
    return {
      ...page,
      bytes: row.filesize,
      changed: row.changed,
      storageKey: row.storageKey,
      storedIn: row.storedIn,
    };
  throw new ServiceError('storage-failed', 'The content of a page cannot be read.', {
    cause: `${page.uri}: no object of ${page.bytes} bytes`,
  });
}
