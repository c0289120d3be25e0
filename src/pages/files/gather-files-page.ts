import { MEDIA_USE_URI } from '../../model/media-use.ts';
import { mediaAccess, replaceSourceAccess } from '../../repository/access.ts';
import { atNode } from '../../repository/actor-at.ts';
import { open } from '../../repository/content/content.ts';
import { type FileSize, findAttachedFiles } from '../../repository/content/read/find-attached-files.ts';
import type { ContentInContext } from '../../repository/content/read/read-content.ts';
import type { AttachedMedia } from '../../repository/content/read/surroundings.ts';
import { isAttachable } from '../../repository/media/media-type-of.ts';
import { TRACK_FIELD } from '../../repository/uploads/attach-target.ts';
import type { Call } from '../../web/call.ts';
import { findFailures } from '../upload/find-failures.ts';
import type { FileRow, FilesPageData } from './files-page-data.ts';

/** The number of files on a page of the list. */
const FILES_PER_PAGE = 100;

/** Returns the data of a page of an item's files. `page` counts from 0. */
export async function gatherFilesPage(
  call: Call,
  { content, surroundings, parsed }: ContentInContext,
  page: number,
): Promise<FilesPageData> {
  const { api, actor } = call;
  const { services } = api;
  const media = surroundings.hasMoreMedia ? await api.content.everyMedia(parsed(), actor) : surroundings.media;
  const shown = media.slice(page * FILES_PER_PAGE, (page + 1) * FILES_PER_PAGE);
  const [{ sizes }, failures] = await Promise.all([
    findAttachedFiles(services, shown),
    findFailures(call, content.head.id),
  ]);
  const thumbnail = media.find(isThumbnail);
  return {
    id: content.head.id,
    title: open(content).draft.label,
    page,
    pages: Math.ceil(media.length / FILES_PER_PAGE),
    total: media.length,
    rows: shown.map((each) => rowOf(call, each, each.file && sizes[each.file.id])),
    mayAdd: mediaAccess.createAny(atNode(actor, content.head), services.model.mediaTypes.keys()).isAllowed,
    thumbnail: thumbnail && mayReplace(call, thumbnail) ? thumbnail.id : undefined,
    hasThumbnail: thumbnail !== undefined,
    failures,
    formToken: call.formToken,
  };
}

const isThumbnail = ({ uses }: AttachedMedia) =>
  uses.some(({ externalUri }) => externalUri === MEDIA_USE_URI.thumbnail);

function rowOf(call: Call, media: AttachedMedia, size: FileSize | undefined): FileRow {
  const { actor, api } = call;
  const type = api.services.model.mediaTypes.get(media.bundle);
  return {
    media,
    size,
    mayEdit: mediaAccess.update(actor, media).isAllowed,
    mayReplace: mayReplace(call, media),
    mayCaption: type?.fieldNamed.has(TRACK_FIELD) === true && replaceSourceAccess(actor, media).isAllowed,
    mayDelete: mediaAccess.remove(actor, media).isAllowed,
  };
}

function mayReplace({ api, actor }: Call, media: AttachedMedia): boolean {
  const type = api.services.model.mediaTypes.get(media.bundle);
  return type !== undefined && isAttachable(type) && replaceSourceAccess(actor, media).isAllowed;
}
