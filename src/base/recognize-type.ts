import { isTiff } from './images/image-size.ts';
import { usualType } from './usual-type.ts';

/** Bytes at the beginning of a file by which its type is recognized. */
export const TYPE_HEAD_BYTES = 4100;

/** MIME types that say only that a file has bytes, as programs send them that do not know more. */
const UNNAMED_TYPES: ReadonlySet<string> = new Set([
  'application/binary',
  'application/download',
  'application/force-download',
  'application/octet-stream',
  'application/unknown',
  'application/x-binary',
  'application/x-download',
  'application/x-octet-stream',
  'binary/octet-stream',
]);

/** Returns true for a MIME type that names no format. Expects lower case without parameters. */
export function isUnnamedType(mediaType: string): boolean {
  return UNNAMED_TYPES.has(mediaType);
}

/** Returns the usual MIME type of a file by its first bytes. Undefined for an unknown format, such as plain text. */
export async function recognizeType(head: Uint8Array): Promise<string | undefined> {
  // The library is not held in memory before the first such file.
  const { fileTypeFromBuffer } = await import('file-type');
  const recognized = await fileTypeFromBuffer(head.subarray(0, TYPE_HEAD_BYTES));
  if (recognized !== undefined) return usualType(recognized.mime);
  // The library reads the directory of a TIFF, which many writers put at the end of the file.
  return isTiff(head) ? 'image/tiff' : undefined;
}
