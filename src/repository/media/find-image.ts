import { and, eq, getTableColumns, inArray } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { Cache } from '../../base/cache.ts';
import type { Database } from '../../database/database.ts';
import { query } from '../../database/query-builder.ts';
import { media } from '../../database/schema/content.ts';
import { type FileRow, files } from '../../database/schema/files.ts';
import { references, termUris } from '../../database/schema/references.ts';
import { isText } from '../../database/sql.ts';
import { type Named, prepare } from '../../database/statement.ts';
import type { ContentModel } from '../../model/content-model.ts';
import { MEDIA_USE_URI } from '../../model/media-use.ts';
import { mediaSetOf } from '../access/set-columns.ts';
import { mediaAccess } from '../access.ts';
import type { Access, ContentFacts } from '../access-rule.ts';
import type { Actor } from '../actor.ts';
import { mediaNodesOf, mediaUseIds, readMediaNodes, readUseIds } from '../content/media-nodes.ts';
import { sourceFieldOf } from '../content/read/surroundings-queries.ts';
import { typeOfFile } from '../files/file-type.ts';
import { isMediaOf, isNodeOf } from '../relations.ts';

/** The media uses of the copies of an image. */
const COPY_USES = {
  tiles: MEDIA_USE_URI.tiles,
  service: MEDIA_USE_URI.service,
  thumbnail: MEDIA_USE_URI.thumbnail,
} as const;
type CopyUse = keyof typeof COPY_USES;

/** A file that was derived from an image. */
export interface ImageCopy {
  readonly use: CopyUse;
  readonly file: FileRow;
}

/** A media with its source file, and the files that were derived from it. */
export interface SourceImage {
  readonly file: FileRow;
  /** The published media with these uses of the same node. Without tiles, if the node has several originals. */
  readonly copies: readonly ImageCopy[];
  readonly access: Access;
  /** True if anonymous callers may view the media, so that shared caches may store its images. */
  readonly isOpen: boolean;
}

/** Finds the image of a media by its UUID, with the actor's access. Undefined for an unknown media, or one without a file. */
export type FindImage = (actor: Actor, uuid: string) => Promise<SourceImage | undefined>;

const MAX_BYTES = 2 * 1024 * 1024;
/** Estimated bytes of a file's row. */
const FILE_BYTES = 800;
/** Maximum number of copies that are considered. */
const MAX_COPIES = 50;

const [of, otherOf, use, source] = [
  alias(references, 'o'),
  alias(references, 'p'),
  alias(references, 'u'),
  alias(references, 's'),
];
const other = alias(media, 'c');

/** Caches the results for anonymous callers until the next write (`Database.stamp`): a viewer asks for many tiles. */
export function createFindImage(database: Database, { mediaTypes }: ContentModel, anonymous: Actor): FindImage {
  const cache = new Cache<SourceImage>({
    maxBytes: MAX_BYTES,
    bytesOf: ({ copies }) => (copies.length + 1) * FILE_BYTES,
    state: database.stamp,
  });
  const findMedia = prepare(({ uuid }: Named<{ uuid: string }>) =>
    query
      .select({
        ...getTableColumns(files),
        bundle: media.bundle,
        mediaOwnerId: media.ownerId,
        mediaStatus: media.status,
        belonging: mediaNodesOf(media),
        accessSet: mediaSetOf(media.id),
        uses: mediaUseIds(media.id),
      })
      .from(media)
      .innerJoin(source, and(isText(source.sourceType, 'media'), eq(source.sourceId, media.id), eq(source.delta, 0)))
      .innerJoin(files, and(isText(source.targetType, 'file'), eq(files.id, source.targetId)))
      .where(and(eq(media.uuid, uuid), eq(source.field, sourceFieldOf(mediaTypes, media.bundle)))),
  );
  // Cross joins keep their order: without statistics, the database begins with the references of all media.
  const findCopies = prepare(({ uuid }: Named<{ uuid: string }>) =>
    query
      .selectDistinct({ ...getTableColumns(files), use: termUris.uri })
      .from(media)
      .crossJoin(of)
      .crossJoin(otherOf)
      .crossJoin(other)
      .crossJoin(use)
      .crossJoin(termUris)
      .crossJoin(source)
      .crossJoin(files)
      .where(
        and(
          eq(media.uuid, uuid),
          isNodeOf(of, media.id),
          isMediaOf(otherOf, of.targetId),
          ...[eq(other.id, otherOf.sourceId), eq(other.status, true)],
          ...[isText(use.sourceType, 'media'), eq(use.sourceId, other.id), isText(use.field, 'field_media_use')],
          eq(termUris.termId, use.targetId),
          inArray(termUris.uri, [...Object.values(COPY_USES), MEDIA_USE_URI.original]),
          ...[isText(source.sourceType, 'media'), eq(source.sourceId, other.id), eq(source.delta, 0)],
          eq(source.field, sourceFieldOf(mediaTypes, other.bundle)),
          ...[isText(source.targetType, 'file'), eq(files.id, source.targetId)],
        ),
      )
      .limit(MAX_COPIES),
  );

  const findNow: FindImage = async (actor, uuid) => {
    const [media, related] = await Promise.all([database.get(findMedia({ uuid })), database.all(findCopies({ uuid }))]);
    if (media === undefined) return undefined;
    const { bundle, mediaOwnerId, mediaStatus, belonging, accessSet, uses, ...row } = media;
    const file = asRecognized(row);
    const facts: ContentFacts = {
      bundle,
      ownerId: mediaOwnerId,
      status: mediaStatus,
      accessSet,
      useIds: readUseIds(uses),
      belongsTo: readMediaNodes(belonging),
    };
    return {
      file,
      copies: copiesOf(file, related),
      access: mediaAccess.view(actor, facts),
      isOpen: mediaAccess.view(anonymous, facts).isAllowed,
    };
  };
  return (actor, uuid) =>
    actor === anonymous
      ? cache.read(`${uuid} ${actor.sight.version}`, () => findNow(actor, uuid))
      : findNow(actor, uuid);
}

/** Returns a file whose type is that of its bytes, if it was stored without one. */
const asRecognized = (file: FileRow): FileRow => ({ ...file, filemime: typeOfFile(file) });

/**
 * Returns the copies of an original. With several originals, the source of a thumbnail is unknown; a tile pack names its
 * source itself.
 */
function copiesOf(file: FileRow, related: readonly (FileRow & { use: string })[]): ImageCopy[] {
  const originals = new Set(related.filter(({ use: uri }) => uri === MEDIA_USE_URI.original).map(({ id }) => id));
  const isAlone = originals.size === 1 && originals.has(file.id);
  return related.flatMap(({ use: uri, ...row }) => {
    const copy = asRecognized(row);
    const known = (Object.keys(COPY_USES) as CopyUse[]).find((each) => COPY_USES[each] === uri);
    if (known === undefined || copy.id === file.id || (known !== 'tiles' && !isAlone)) return [];
    return [{ use: known, file: copy }];
  });
}
