import type { ImageService } from './image-service.ts';
import { SIZE_LIMITS, type Size } from './resolve-request.ts';
import type { ServedImage } from './served-image.ts';
import { TILE_PIXELS } from './tile-grid.ts';

/** The media type of `info.json` for clients that ask for it (IIIF Image API 3.0, 5.1). */
export const INFO_TYPE = 'application/ld+json;profile="http://iiif.io/api/image/3/context.json"';
/** The media type of `info.json` for all others. */
export const PLAIN_INFO_TYPE = 'application/json';

/** The features beyond level 2. */
const FEATURES = ['canonicalLinkHeader', 'mirroring', 'profileLinkHeader', 'sizeUpscaling'];

/** Returns the description of an image (IIIF Image API 3.0, 5). */
export function imageInfo(service: ImageService, image: ServedImage) {
  const { width, height, pack } = image;
  const grid = pack?.directory.grid;
  const isComputed = service.profile === 'level2';
  return {
    '@context': 'http://iiif.io/api/image/3/context.json',
    id: service.id,
    type: service.type,
    protocol: 'http://iiif.io/api/image',
    profile: service.profile,
    width,
    height,
    ...(isComputed && SIZE_LIMITS),
    sizes: sizesOf(image, isComputed),
    ...(grid && {
      tiles: [{ width: TILE_PIXELS, height: TILE_PIXELS, scaleFactors: grid.levels.map(({ scale }) => scale) }],
    }),
    ...(isComputed
      ? { extraFormats: ['webp'], extraQualities: ['color', 'gray', 'bitonal'], extraFeatures: FEATURES }
      : formatsOf(image)),
  };
}

/** Returns the sizes of the whole image that are stored, the smallest first, without doubles. */
function sizesOf({ copies, pack }: ServedImage, isComputed: boolean): Size[] {
  const usable = isComputed ? copies.filter(({ format }) => format === 'jpg') : copies;
  const sizes: Size[] = usable.map(({ width, height }) => ({ width, height }));
  const last = pack?.directory.grid.levels.at(-1);
  if (pack && last) {
    const { image } = pack.directory.grid;
    sizes.push({ width: Math.ceil(image.width / last.scale), height: Math.ceil(image.height / last.scale) });
  }
  sizes.sort((a, b) => a.width - b.width);
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
