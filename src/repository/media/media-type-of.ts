import type { ContentModel, MediaType } from '../../model/content-model.ts';
import type { ItemModels } from '../../model/item-models.ts';
import { allowsExtension } from '../files/content-location.ts';
import { MEDIA_OF } from '../relations.ts';

/** Spec: loader-api, section 5 "Bundle by extension". */
const TYPES: Readonly<Record<string, readonly string[]>> = {
  image: ['png', 'gif', 'jpg', 'jpeg'],
  document: ['pdf', 'doc', 'docx', 'ppt', 'pptx'],
  file: ['tif', 'tiff', 'jp2', 'zip', 'tar'],
  audio: ['mp3', 'wav', 'aac'],
  video: ['mp4', 'mov', 'wmv', 'avi', 'mts', 'flv', 'f4v', 'swf', 'mkv', 'webm', 'ogv', 'mpeg'],
  extracted_text: ['txt'],
};
const TYPE_OF_OTHERS = 'file';

/**
 * Returns the media type for a file by its extension: the usual type, or any other that accepts it for a node. Undefined
 * if none does.
 */
export function mediaTypeOf({ mediaTypes }: ContentModel, name: string): MediaType | undefined {
  const extension = extensionOf(name);
  const usual = Object.keys(TYPES).find((type) => TYPES[type]?.includes(extension)) ?? TYPE_OF_OTHERS;
  const candidates = [mediaTypes.get(usual), mediaTypes.get(TYPE_OF_OTHERS), ...mediaTypes.values()];
  return candidates.find((type) => type !== undefined && isAttachable(type) && takesName(type, name));
}

/** Returns the extension of a file name in lower case, without the dot; empty if it has none. */
export function extensionOf(name: string): string {
  const dot = name.lastIndexOf('.');
  return dot < 0 ? '' : name.slice(dot + 1).toLowerCase();
}

/** Returns true if media of a type have a file, a node and a use. */
export function isAttachable({ sourceField, fieldNamed }: MediaType): boolean {
  return sourceField.targetType === 'file' && fieldNamed.has(MEDIA_OF) && fieldNamed.has('field_media_use');
}

/** Returns true if media of a type accept a file of that name. */
function takesName({ sourceField }: MediaType, name: string): boolean {
  return allowsExtension(sourceField.fileExtensions, name);
}

/**
 * Returns the URI of the model of an item that is made of a file: a page if its parent consists of pages. `parentUris` are
 * those of the terms of the parent. Undefined if the configuration has no such model.
 */
export function modelUriForFile(
  models: ItemModels,
  type: MediaType,
  filename: string,
  parentUris: ReadonlySet<string>,
): string | undefined {
  const [page] = models.hasStructure(parentUris, 'paged') ? models.urisOf('page') : [];
  return page ?? models.uriForFile(type.name, extensionOf(filename));
}
