import { extensionOf, matchesMediaType } from '../../base/media-type.ts';
import type { DerivativeAction } from '../../derivatives/rules.ts';
import { mediaAccess, nodeAccess } from '../access.ts';
import type { Actor } from '../actor.ts';
import type { Services } from '../services.ts';

const SERVICE_FILE = 'http://pcdm.org/use#ServiceFile';
/** What a page is made of whichever program reads it: a Service File of another type is none to look at. */
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
/** Pages that are looked up at once. */
const BATCH_SIZE = 100;
/** Digits of a position, as far as they suffice: programs put files into the order of their names. */
const MIN_DIGITS = 5;

/** The image of one page. */
export interface PageFile {
  /** `00001-12.jpg`: the position, and the id of the node. */
  readonly name: string;
  readonly fileId: number;
  readonly uri: string;
  readonly mimeType: string;
  readonly bytes: number;
  /** Seconds since 1970. */
  readonly changed: number;
  readonly storageKey: string;
  /** As of the row (`files/scheme.ts`). */
  readonly storedIn: string | null;
}

/** Every file of the members that has one of the uses, those of media first that are older. */
const QUERY = `SELECT n.id, n.bundle, n.owner_id, n.status, m.bundle, m.owner_id, m.status, t.uri, s.field,
    f.id, f.owner_id, f.uri, f.filemime, f.filesize, f.changed, f.storage_key, f.stored_in
  FROM json_each(?1) o
    CROSS JOIN node n ON n.id = o.value
    CROSS JOIN reference r ON r.target_type = 'node' AND r.target_id = n.id AND r.source_type = 'media'
      AND r.field = 'field_media_of'
    CROSS JOIN media m ON m.id = r.source_id
    CROSS JOIN reference u ON u.source_type = 'media' AND u.source_id = m.id AND u.target_type = 'taxonomy_term'
    CROSS JOIN term_uri t ON t.term_id = u.target_id AND t.uri IN (SELECT value FROM json_each(?2))
    CROSS JOIN reference s ON s.source_type = 'media' AND s.source_id = m.id AND s.target_type = 'file' AND s.delta = 0
    CROSS JOIN file f ON f.id = s.target_id
  ORDER BY o.key, m.id`;

type Columns = [
  ...node: [id: number, bundle: string, ownerId: number, status: number],
  ...media: [bundle: string, ownerId: number, status: number, use: string, field: string],
  ...file: [id: number, ownerId: number, uri: string, mimeType: string, bytes: number, changed: number],
  ...object: [storageKey: string, storedIn: string | null],
];

interface Candidate {
  readonly nodeId: number;
  readonly isService: boolean;
  readonly file: Omit<PageFile, 'name'>;
}

/**
 * The page images of a node's members that the actor may see, in the order of `/node/N/members`: of each its Service
 * File if that is an image, else its Original File if an action that is made of members takes that type. Members
 * without either are left out. Whether the actor may view the node itself is the caller's to ask.
 */
export async function* listPages(services: Services, actor: Actor, nodeId: number): AsyncGenerator<PageFile> {
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

/** Whether there is a page at all. */
export async function hasPages(services: Services, actor: Actor, nodeId: number): Promise<boolean> {
  for await (const _page of listPages(services, actor, nodeId)) return true;
  return false;
}

/** All at once, so that the order is that of one moment: ten thousand take less room than a small picture. */
async function memberIds({ database }: Services, nodeId: number): Promise<number[]> {
  const row = await database.first(
    `SELECT json_group_array(source_id) FROM (SELECT r.source_id FROM reference r
      WHERE r.target_type = 'node' AND r.target_id = ? AND r.source_type = 'node' AND r.field = 'field_member_of'
      ORDER BY r.weight, r.source_id)`,
    [nodeId],
  );
  // A member may name the node twice.
  return [...new Set(JSON.parse(String(row?.[0] ?? '[]')) as number[])];
}

/** What is chosen for each of these members, in their order. */
async function readBatch(services: Services, actor: Actor, ids: readonly number[]): Promise<Candidate[]> {
  const actions = [...services.derivatives.rules.actions.values()].filter(({ ofMembers }) => ofMembers !== undefined);
  const uses = [SERVICE_FILE, ...actions.map(({ sourceTerm }) => sourceTerm)];
  const { rows } = await services.database.client.execute({
    sql: QUERY,
    args: [JSON.stringify(ids), JSON.stringify(uses)],
  });
  const chosen = new Map<number, Candidate>();
  for (const row of rows as unknown as Columns[]) {
    const [nodeId, , , , mediaType, , , use, field] = row;
    const mimeType = row[12];
    if (services.model.mediaTypes.get(mediaType)?.sourceField.name !== field) continue;
    const isService = use === SERVICE_FILE && PAGE_TYPES.has(mimeType);
    const former = chosen.get(nodeId);
    if (former && (former.isService || !isService)) continue;
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
  const [, nodeBundle, nodeOwner, nodeStatus, mediaBundle, mediaOwner, mediaStatus] = row;
  const node = { bundle: nodeBundle, ownerId: nodeOwner, status: nodeStatus === 1 };
  const belongsTo = { nodes: [node], hasLostNode: false };
  const media = { bundle: mediaBundle, ownerId: mediaOwner, status: mediaStatus === 1, belongsTo };
  return nodeAccess.view(actor, node).isAllowed && mediaAccess.view(actor, media).isAllowed;
}

function fileOf(row: Columns): Candidate['file'] {
  const [, , , , , , , , , fileId, , uri, mimeType, bytes, changed, storageKey, storedIn] = row;
  return { fileId, uri, mimeType, bytes, changed, storageKey, storedIn };
}
