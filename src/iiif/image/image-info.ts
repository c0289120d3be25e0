import type { ImageService } from './image-service.ts';
import type { Size, SizeLimits } from './resolve-request.ts';
import type { ServedImage } from './served-image.ts';
import { TILE_PIXELS, type TileGrid } from './tile-grid.ts';

/** The media type of `info.json` for clients that ask for it (IIIF Image API 3.0, 5.1). */
export const INFO_TYPE = 'application/ld+json;profile="http://iiif.io/api/image/3/context.json"';
/** The media type of `info.json` for all others. */
export const PLAIN_INFO_TYPE = 'application/json';

/** The features beyond level 2. */
const FEATURES = ['canonicalLinkHeader', 'mirroring', 'profileLinkHeader', 'sizeUpscaling'];

/** Returns the description of an image (IIIF Image API 3.0, 5). */
export function imageInfo(service: ImageService, image: ServedImage, limits: SizeLimits) {
  const { width, height, pack } = image;
  const isComputed = service.profile === 'level2';
  const grid = pack?.directory.grid;
  const sizes = grid ? levelSizes(grid, isComputed, limits) : isComputed ? [] : storedSizes(image, limits);
  return {
    '@context': 'http://iiif.io/api/image/3/context.json',
    id: service.id,
    type: service.type,
    protocol: 'http://iiif.io/api/image',
    profile: service.profile,
    width,
    height,
    ...(isComputed && limits),
    ...(sizes.length > 0 && { sizes }),
    ...(grid && {
      tiles: [{ width: TILE_PIXELS, height: TILE_PIXELS, scaleFactors: grid.levels.map(({ scale }) => scale) }],
    }),
    ...(isComputed
      ? { extraFormats: ['webp'], extraQualities: ['color', 'gray', 'bitonal'], extraFeatures: FEATURES }
      : formatsOf(image)),
  };
}

/**
 * Returns the sizes of the levels of the tiles, the smallest first. No others: OpenSeadragon takes `sizes` for the levels if
 * they are as many, and would draw tiles in a wrong size. Without vips only the smallest is stored as a whole.
 */
function levelSizes({ image, levels }: TileGrid, isComputed: boolean, limits: SizeLimits): Size[] {
  const sizes = levels
    .slice(isComputed ? 0 : -1)
    .map(({ scale }) => ({ width: Math.ceil(image.width / scale), height: Math.ceil(image.height / scale) }));
  return sizes.filter((size) => isWithin(limits, size)).toReversed();
}

function isWithin({ maxWidth, maxHeight, maxArea }: SizeLimits, { width, height }: Size): boolean {
  return width <= maxWidth && height <= maxHeight && width * height <= maxArea;
}

/**
 * Returns the sizes of the whole image that are stored, the smallest first, without doubles. Not those that no request may
 * ask for: a viewer would ask, and be refused.
 */
function storedSizes({ copies }: ServedImage, limits: SizeLimits): Size[] {
  const all: Size[] = copies.map(({ width, height }) => ({ width, height }));
  const sizes = all.filter((size) => isWithin(limits, size)).sort((a, b) => a.width - b.width);
  return sizes.filter(({ width, height }, index) => {
    const before = sizes[index - 1];
    return before?.width !== width || before.height !== height;
  });
}

/** Returns the formats of the copies other than JPEG, which every service has. */
function formatsOf({ copies, pack }: ServedImage) {
  const extra = [...new Set(copies.map(({ format }) => format))].filter((format) => format !== 'jpg');
  if (extra.length === 0) return {};
  const isWithoutJpeg = pack === undefined && copies.every(({ format }) => format !== 'jpg');
  return { extraFormats: extra, ...(isWithoutJpeg && { preferredFormats: extra }) };
}
