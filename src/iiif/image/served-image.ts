import { parseMediaType } from '../../base/media-type.ts';
import { usualType } from '../../base/usual-type.ts';
import type { FileRow } from '../../database/schema/files.ts';
import type { SourceImage } from '../../repository/media/find-image.ts';
import type { ImageFormat } from './image-request.ts';
import { FORMAT_TYPES } from './image-request.ts';
import type { Size } from './resolve-request.ts';
import type { TilePack } from './tile-pack.ts';

/** A stored file that shows the whole image in a size, as browsers display it. */
export interface StoredSize extends Size {
  readonly file: FileRow;
  readonly format: ImageFormat;
}

/** An image with everything that its service needs to know. */
export interface ServedImage extends Size {
  readonly file: FileRow;
  /** The tiles. Undefined until they are made, and while they belong to a previous version of the file. */
  readonly pack: { readonly file: FileRow; readonly directory: TilePack } | undefined;
  /** Smaller copies, the smallest first. */
  readonly copies: readonly StoredSize[];
  /** The page of a PDF. */
  readonly page?: number | undefined;
}

/** Returns the copies of an image as sizes: those with its proportions and a known size, the smallest first. */
export function storedSizes({ copies }: SourceImage, image: Size): StoredSize[] {
  return copies
    .flatMap(({ use, file }) => (use === 'tiles' ? [] : (asStored(file) ?? [])))
    .filter((copy) => hasProportions(copy, image))
    .sort((a, b) => a.width - b.width);
}

/** Returns a file as a size. Undefined for a type that is no format of the service, and for an unknown size. */
export function asStored(file: FileRow): StoredSize | undefined {
  const type = usualType(parseMediaType(file.filemime) ?? '');
  const format = (Object.keys(FORMAT_TYPES) as ImageFormat[]).find((each) => FORMAT_TYPES[each] === type);
  const { width, height } = file;
  if (format === undefined || width === null || height === null) return undefined;
  return { file, format, width, height };
}

/** Returns true if a copy is the whole image: each side differs by less than a pixel from the exact reduction. */
function hasProportions(copy: Size, image: Size): boolean {
  if (copy.width > image.width || copy.height > image.height) return false;
  const byWidth = (image.height * copy.width) / image.width;
  const byHeight = (image.width * copy.height) / image.height;
  return Math.abs(byWidth - copy.height) < 1 || Math.abs(byHeight - copy.width) < 1;
}
