import { malformed } from '../../base/errors.ts';
import type { Box, ImageRequest, RequestedRegion, RequestedSize } from './image-request.ts';

/** The size of an image or of a result, in pixels. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/** The maximum size of a result (`maxWidth`, `maxHeight` and `maxArea` of `info.json`). */
export interface SizeLimits {
  readonly maxWidth: number;
  readonly maxHeight: number;
  readonly maxArea: number;
}

/** The limits of every site: the longest side that WebP can have, and 67 megapixels. */
export const SIZE_LIMITS: SizeLimits = { maxWidth: 16_383, maxHeight: 16_383, maxArea: 8192 * 8192 };

/** The largest enlargement of a region with `^`: more would cost much and show nothing. */
const MAX_ENLARGEMENT = 4;

/** A request with its region and size in pixels. */
export interface ResolvedRequest extends Pick<ImageRequest, 'isMirrored' | 'rotation' | 'quality' | 'format'> {
  readonly region: Box;
  readonly size: Size;
  /** The address that all equivalent requests have in common (IIIF Image API 3.0, 4.8), after that of the image. */
  readonly canonical: string;
}

/**
 * Returns the region and the size that a request means for an image. Throws `malformed` for a region outside the image,
 * and for a size that is larger than the region without `^`, or larger than the limits.
 */
export function resolveRequest(request: ImageRequest, image: Size, limits: SizeLimits): ResolvedRequest {
  const { isMirrored, rotation, quality, format } = request;
  const region = regionIn(request.region, image);
  const size = sizeOf(request.size, region, limits);
  const canonical = canonicalPath({ ...request, region, size }, image, limits);
  return { region, size, isMirrored, rotation, quality, format, canonical };
}

function regionIn(requested: RequestedRegion, image: Size): Box {
  const { width, height } = image;
  if (requested.kind === 'full') return { x: 0, y: 0, width, height };
  if (requested.kind === 'square') {
    const side = Math.min(width, height);
    return { x: Math.floor((width - side) / 2), y: Math.floor((height - side) / 2), width: side, height: side };
  }
  const box = requested.kind === 'pixels' ? requested : fromPercent(requested, image);
  if (box.x >= width || box.y >= height)
    throw malformed(`The region lies outside the image of ${width} x ${height} pixels.`);
  return {
    x: box.x,
    y: box.y,
    width: Math.min(box.width, width - box.x),
    height: Math.min(box.height, height - box.y),
  };
}

function fromPercent({ x, y, width, height }: Box, image: Size): Box {
  const at = (percent: number, whole: number) => Math.round((percent * whole) / 100);
  return {
    x: at(x, image.width),
    y: at(y, image.height),
    width: Math.max(1, at(width, image.width)),
    height: Math.max(1, at(height, image.height)),
  };
}

function sizeOf(requested: RequestedSize, region: Size, limits: SizeLimits): Size {
  const { mayEnlarge } = requested;
  if (requested.kind === 'max') return largest(region, mayEnlarge, limits);
  const size = requested.kind === 'within' ? within(requested, region, limits) : scaled(requested, region);
  if (!mayEnlarge && (size.width > region.width || size.height > region.height))
    throw malformed(
      `The size ${size.width},${size.height} is larger than the region of ${region.width} x ${region.height} pixels. Enlarging requires ^.`,
    );
  if (size.width > region.width * MAX_ENLARGEMENT || size.height > region.height * MAX_ENLARGEMENT)
    throw malformed(
      `The size ${size.width},${size.height} is more than ${MAX_ENLARGEMENT} times that of the region of ${region.width} x ${region.height} pixels.`,
    );
  if (size.width > limits.maxWidth || size.height > limits.maxHeight || size.width * size.height > limits.maxArea)
    throw malformed(
      `The size ${size.width},${size.height} exceeds the maximum of ${limits.maxWidth} x ${limits.maxHeight} or ${limits.maxArea} pixels.`,
    );
  return size;
}

/** Returns the region's own size, or the largest one within the limits. */
function largest(region: Size, mayEnlarge: boolean, limits: SizeLimits): Size {
  const factor = Math.min(largestFactor(region, limits), mayEnlarge ? MAX_ENLARGEMENT : 1);
  return times(region, factor, Math.floor);
}

/** Returns the largest size with the region's proportions within a box and the limits. Without `^` it is not enlarged. */
function within(requested: Size & Pick<RequestedSize, 'mayEnlarge'>, region: Size, limits: SizeLimits): Size {
  const factor = Math.min(requested.width / region.width, requested.height / region.height);
  const possible = Math.min(largestFactor(region, limits), requested.mayEnlarge ? MAX_ENLARGEMENT : 1);
  return factor > possible ? times(region, possible, Math.floor) : times(region, factor, Math.round);
}

function largestFactor({ width, height }: Size, { maxWidth, maxHeight, maxArea }: SizeLimits): number {
  return Math.min(maxWidth / width, maxHeight / height, Math.sqrt(maxArea / (width * height)));
}

function times({ width, height }: Size, factor: number, whole: (pixels: number) => number): Size {
  return { width: atLeastOne(whole(width * factor)), height: atLeastOne(whole(height * factor)) };
}

function scaled(requested: Exclude<RequestedSize, { kind: 'max' | 'within' }>, region: Size): Size {
  switch (requested.kind) {
    case 'exact':
      return { width: requested.width, height: requested.height };
    case 'width':
      return {
        width: requested.width,
        height: atLeastOne(Math.round((region.height * requested.width) / region.width)),
      };
    case 'height':
      return {
        width: atLeastOne(Math.round((region.width * requested.height) / region.height)),
        height: requested.height,
      };
    case 'percent': {
      const part = (whole: number) => atLeastOne(Math.round((whole * requested.percent) / 100));
      return { width: part(region.width), height: part(region.height) };
    }
    default:
      return requested satisfies never;
  }
}

const atLeastOne = (pixels: number) => Math.max(1, pixels);

function canonicalPath(
  { region, size, isMirrored, rotation, quality, format, size: { width, height } }: Omit<ResolvedRequest, 'canonical'>,
  image: Size,
  limits: SizeLimits,
): string {
  const isFull = region.width === image.width && region.height === image.height;
  const max = largest(region, false, limits);
  const isMax = width === max.width && height === max.height;
  const isEnlarged = width > region.width || height > region.height;
  return [
    isFull ? 'full' : `${region.x},${region.y},${region.width},${region.height}`,
    isMax ? 'max' : `${isEnlarged ? '^' : ''}${size.width},${size.height}`,
    `${isMirrored ? '!' : ''}${rotation}`,
    `${quality}.${format}`,
  ].join('/');
}
