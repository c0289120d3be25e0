import { parseMediaType } from '../../base/media-type.ts';
import { usualType } from '../../base/usual-type.ts';
import type { FileRow } from '../../database/schema/files.ts';
import type { ByteRange } from '../../storage/storage.ts';
import { type Box, FORMAT_TYPES } from './image-request.ts';
import type { ResolvedRequest, Size } from './resolve-request.ts';
import type { ServedImage, StoredSize } from './served-image.ts';

/** The way to answer a request: with stored bytes, or by computing it from a stored file. */
export type ResponsePlan = { readonly file: FileRow } & (
  | { readonly kind: 'part'; readonly range: ByteRange }
  | { readonly kind: 'whole' }
  | {
      readonly kind: 'computed';
      readonly region: Box | undefined;
      readonly size: Size;
      /** The page of a PDF. */
      readonly page?: number | undefined;
    }
);

/**
 * Returns the cheapest way to answer a request. A tile, or the whole image in a stored size, is read from the storage.
 * Anything else is computed from the smallest stored file that has as many pixels, and as much transparency as the format
 * of the response shows.
 */
export function planResponse(image: ServedImage, request: ResolvedRequest): ResponsePlan {
  const { region, size } = request;
  const isFull = isWhole(region, image);
  if (isUnchanged(request)) {
    const range = request.format === 'jpg' ? image.pack?.directory.find(region, size) : undefined;
    if (range !== undefined && image.pack) return { kind: 'part', file: image.pack.file, range };
    const stored = image.copies.find((copy) => isFull && isSame(copy, size) && copy.format === request.format);
    if (stored !== undefined) return { kind: 'whole', file: stored.file };
  }
  const source = image.copies.find(
    (copy) =>
      suffices(copy.width / image.width, region, size) &&
      suffices(copy.height / image.height, region, size) &&
      keepsTransparency(copy, image, request),
  );
  if (source === undefined)
    return { kind: 'computed', file: image.file, region: isFull ? undefined : region, size, page: image.page };
  const reduced = isFull ? undefined : reduce(region, source, image);
  return { kind: 'computed', file: source.file, region: reduced, size };
}

/** Returns true for a request that changes nothing but region and size. Tiles and copies have the default quality. */
function isUnchanged({ isMirrored, rotation, quality }: ResolvedRequest): boolean {
  return !isMirrored && rotation === 0 && quality === 'default';
}

const isSame = (a: Size, b: Size) => a.width === b.width && a.height === b.height;
const isWhole = (region: Box, image: Size) => isSame(region, image);

/** Returns true if a copy reduced by `factor` has as many pixels of the region as the result. */
function suffices(factor: number, region: Size, size: Size): boolean {
  return region.width * factor >= size.width && region.height * factor >= size.height;
}

/** Returns false for a JPEG copy of an image that may be transparent, if the response may be, too. */
function keepsTransparency(copy: StoredSize, { file }: ServedImage, { format }: ResolvedRequest): boolean {
  return (
    copy.format !== 'jpg' || format === 'jpg' || usualType(parseMediaType(file.filemime) ?? '') === FORMAT_TYPES.jpg
  );
}

/** Returns the region in a smaller copy. */
function reduce(region: Box, copy: Size, image: Size): Box {
  const [across, down] = [copy.width / image.width, copy.height / image.height];
  const x = Math.min(Math.round(region.x * across), copy.width - 1);
  const y = Math.min(Math.round(region.y * down), copy.height - 1);
  const width = Math.max(1, Math.min(Math.round(region.width * across), copy.width - x));
  const height = Math.max(1, Math.min(Math.round(region.height * down), copy.height - y));
  return { x, y, width, height };
}
