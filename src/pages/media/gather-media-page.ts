import { MEDIA_USE_URI } from '../../model/media-use.ts';
import type { ContentInContext } from '../../repository/content/read/read-content.ts';
import type { AttachedMedia, SourceFile } from '../../repository/content/read/surroundings.ts';
import { readFits } from '../../repository/files/stored-text.ts';
import type { MediaFacts } from '../../repository/media/media-facts.ts';
import type { Call } from '../../web/call.ts';
import type { ContentPage } from '../content/shown-content.ts';
import { mediaStage } from '../viewer/media-stage.ts';
import { type MediaPageData, mediaPage } from './media-page.tsx';

/** Reads the further data of a media's page. */
export async function gatherMediaPage(call: Call, entity: ContentInContext): Promise<ContentPage> {
  const { model, fields } = call.api.services;
  const source = { model, fieldTypes: fields.types };
  const stage = mediaStage(entity.parsed(), entity.surroundings.file, source);
  const data: MediaPageData = { stage, facts: await gatherMediaFacts(call, entity) };
  return { render: (shown, source) => mediaPage(shown, data, source) };
}

const USE_FIELD = 'field_media_use';

/** Reads the facts about the file of a media, if the caller may read it, and its technical metadata. */
async function gatherMediaFacts(call: Call, { content, surroundings }: ContentInContext): Promise<MediaFacts> {
  const { api } = call;
  const { file } = surroundings;
  if (file === undefined) return { file: undefined, technical: undefined };
  const uses = surroundings.targets.flatMap(({ field, target }) => (field === USE_FIELD ? [target.externalUri] : []));
  const own = { id: content.head.id, file };
  const described = uses.includes(MEDIA_USE_URI.fits)
    ? own
    : uses.includes(MEDIA_USE_URI.original)
      ? await descriptionOf(call, surroundings.targets)
      : undefined;
  const [row, facts] = await Promise.all([
    api.findFile.byId(file.id),
    described && readDescription(call, described.file),
  ]);
  return {
    file: row && { bytes: row.row.filesize, sha256: row.row.sha256, width: row.row.width, height: row.row.height },
    technical: facts && described && { facts, media: described.id },
  };
}

interface SourceMedia {
  readonly id: number;
  readonly file: SourceFile;
}

/**
 * Returns the media with the technical metadata of the original file of a node. Undefined if the node has several
 * originals: the metadata names none of them.
 */
async function descriptionOf(
  { api, actor }: Call,
  targets: ContentInContext['surroundings']['targets'],
): Promise<SourceMedia | undefined> {
  const node = targets.find(({ target }) => target.type === 'node')?.target;
  if (node === undefined) return undefined;
  const entity = await api.content.read({ type: 'node', id: node.id, actor, surroundings: 'always' });
  const media = entity?.surroundings.media ?? [];
  const withUse = (uri: string) => media.filter(({ uses }) => uses.some(({ externalUri }) => externalUri === uri));
  if (withUse(MEDIA_USE_URI.original).length > 1) return undefined;
  const [description] = withUse(MEDIA_USE_URI.fits).filter(
    (each): each is AttachedMedia & { file: SourceFile } => each.file !== undefined,
  );
  return description && { id: description.id, file: description.file };
}

async function readDescription({ api }: Call, { id }: SourceFile) {
  const file = await api.findFile.byId(id);
  return file && readFits(api.services, file.row);
}
