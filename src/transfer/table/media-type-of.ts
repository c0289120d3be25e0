import { type CellFault, shown } from '../../field-types/cell.ts';
import type { ContentModel, MediaType } from '../../model/content-model.ts';
import { allowsExtension } from '../../repository/files/content-location.ts';
import { faulty } from './row-plan.ts';

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

/** Returns the media type for a file by its extension: the usual type, or any other that accepts it for a node. */
export function mediaTypeOf({ mediaTypes }: ContentModel, name: string): MediaType | CellFault {
  const dot = name.lastIndexOf('.');
  const extension = dot < 0 ? '' : name.slice(dot + 1).toLowerCase();
  const usual = Object.keys(TYPES).find((type) => TYPES[type]?.includes(extension)) ?? TYPE_OF_OTHERS;
  const candidates = [mediaTypes.get(usual), mediaTypes.get(TYPE_OF_OTHERS), ...mediaTypes.values()];
  const found = candidates.find((type) => type && isAttachable(type) && takesName(type, name));
  return found ?? faulty(`No media type accepts ${extension === '' ? shown(name) : `.${extension} files`}.`);
}

function isAttachable({ sourceField, fieldNamed }: MediaType): boolean {
  return sourceField.targetType === 'file' && fieldNamed.has('field_media_of') && fieldNamed.has('field_media_use');
}

function takesName({ sourceField }: MediaType, name: string): boolean {
  return allowsExtension(sourceField.fileExtensions, name);
}
