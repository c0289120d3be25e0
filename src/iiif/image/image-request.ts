import { malformed } from '../../base/errors.ts';

/** A request for an image as its address states it, before the size of the image is known (IIIF Image API 3.0, 4). */
export interface ImageRequest {
  readonly region: RequestedRegion;
  readonly size: RequestedSize;
  /** True if the image is mirrored before it is rotated. */
  readonly isMirrored: boolean;
  /** Clockwise, in degrees. */
  readonly rotation: Rotation;
  readonly quality: Quality;
  readonly format: ImageFormat;
}

export type RequestedRegion = { readonly kind: 'full' } | { readonly kind: 'square' } | RequestedBox;

interface RequestedBox extends Box {
  readonly kind: 'pixels' | 'percent';
}

/** A rectangle, in pixels or percent of the whole image. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** With `mayEnlarge` (`^`) the result may be larger than the region. */
export type RequestedSize = { readonly mayEnlarge: boolean } & (
  | { readonly kind: 'max' }
  | { readonly kind: 'width'; readonly width: number }
  | { readonly kind: 'height'; readonly height: number }
  | { readonly kind: 'percent'; readonly percent: number }
  | ({ readonly kind: 'exact' } & RequestedSides)
  | ({ readonly kind: 'within' } & RequestedSides)
);

interface RequestedSides {
  readonly width: number;
  readonly height: number;
}

const ROTATIONS = [0, 90, 180, 270] as const;
type Rotation = (typeof ROTATIONS)[number];
const QUALITIES = ['default', 'color', 'gray', 'bitonal'] as const;
type Quality = (typeof QUALITIES)[number];
/** The formats of results with their MIME types. */
export const FORMAT_TYPES = { jpg: 'image/jpeg', png: 'image/png', webp: 'image/webp' } as const;
export type ImageFormat = keyof typeof FORMAT_TYPES;

/** Formats that the specification names and this program does not write. */
const OTHER_FORMATS = ['gif', 'jp2', 'pdf', 'tif'];
const NUMBER = '\\d{1,9}(?:\\.\\d{0,9})?|\\.\\d{1,9}';
const WHOLE = '\\d{1,9}';
const PIXELS = new RegExp(`^(${WHOLE}),(${WHOLE}),(${WHOLE}),(${WHOLE})$`);
const PERCENT = new RegExp(`^pct:(${NUMBER}),(${NUMBER}),(${NUMBER}),(${NUMBER})$`);
const SIZE = new RegExp(`^(\\^?)(?:(max)|pct:(${NUMBER})|(!?)(${WHOLE})?,(${WHOLE})?)$`);
const ROTATION = new RegExp(`^(!?)(${NUMBER})$`);
const QUALITY_AND_FORMAT = /^([a-z]+)\.([a-z0-9]+)$/;
/** Region, size, rotation, and quality with format. */
const SEGMENTS = 4;
const FULL_CIRCLE = 360;
const MAX_SHOWN_CHARS = 60;

/**
 * Parses the part of an address after the image: `full/max/0/default.jpg`. Throws `malformed` for invalid values, and for
 * valid ones that this program does not support, as the specification requires (4.7).
 */
export function parseImageRequest(path: string): ImageRequest {
  const segments = path.split('/').map(decoded);
  const [region = '', size = '', rotation = '', last = ''] = segments;
  if (segments.length !== SEGMENTS)
    throw malformed(
      'An image has the address REGION/SIZE/ROTATION/QUALITY.FORMAT, such as full/max/0/default.jpg, and its description info.json.',
    );
  return { region: parseRegion(region), size: parseSize(size), ...parseRotation(rotation), ...parseQuality(last) };
}

function parseRegion(text: string): RequestedRegion {
  if (text === 'full' || text === 'square') return { kind: text };
  const pixels = PIXELS.exec(text);
  const [, x, y, width, height] = pixels ?? PERCENT.exec(text) ?? [];
  if (x === undefined) throw invalid('region', text, 'It must be full, square, x,y,w,h in pixels or pct:x,y,w,h.');
  const box = { x: Number(x), y: Number(y), width: Number(width), height: Number(height) };
  if (box.width === 0 || box.height === 0) throw invalid('region', text, 'Its width and height must be above 0.');
  return { kind: pixels === null ? 'percent' : 'pixels', ...box };
}

function parseSize(text: string): RequestedSize {
  const [, caret, max, percent, mark, width, height] = SIZE.exec(text) ?? [];
  const mayEnlarge = caret === '^';
  const size = sizeOf();
  if (size === undefined)
    throw invalid('size', text, 'It must be max, w, or ,h or w,h or !w,h or pct:n, or one of these after ^.');
  if (Object.values(size).includes(0)) throw invalid('size', text, 'It must be above 0.');
  if (size.kind === 'percent' && size.percent > 100 && !mayEnlarge)
    throw invalid('size', text, 'More than 100 percent requires ^, as in ^pct:150.');
  return { mayEnlarge, ...size };

  function sizeOf() {
    if (max !== undefined) return { kind: 'max' } as const;
    if (percent !== undefined) return { kind: 'percent', percent: Number(percent) } as const;
    if (width !== undefined && height !== undefined)
      return { kind: mark === '!' ? 'within' : 'exact', width: Number(width), height: Number(height) } as const;
    if (mark === '!') return undefined;
    if (width !== undefined) return { kind: 'width', width: Number(width) } as const;
    return height === undefined ? undefined : ({ kind: 'height', height: Number(height) } as const);
  }
}

function parseRotation(text: string): Pick<ImageRequest, 'isMirrored' | 'rotation'> {
  const [, mark, degrees] = ROTATION.exec(text) ?? [];
  if (degrees === undefined || Number(degrees) > FULL_CIRCLE)
    throw invalid('rotation', text, 'It must be 0, 90, 180 or 270, after ! for a mirror image.');
  const rotation = ROTATIONS.find((known) => known === Number(degrees) % FULL_CIRCLE);
  if (rotation === undefined) throw invalid('rotation', text, 'Only 0, 90, 180 and 270 are supported.');
  return { isMirrored: mark === '!', rotation };
}

function parseQuality(text: string): Pick<ImageRequest, 'quality' | 'format'> {
  const [, first, extension] = QUALITY_AND_FORMAT.exec(text) ?? [];
  const quality = QUALITIES.find((known) => known === first);
  const formats = Object.keys(FORMAT_TYPES);
  if (extension === undefined || quality === undefined)
    throw invalid('quality', text, `It must be ${inWords(QUALITIES)}, and end with a format such as .jpg.`);
  if (!formats.includes(extension)) {
    const why = OTHER_FORMATS.includes(extension) ? 'is not supported' : 'is unknown';
    throw malformed(`The format ${extension.slice(0, MAX_SHOWN_CHARS)} ${why}. The formats are ${inWords(formats)}.`);
  }
  return { quality, format: extension as ImageFormat };
}

function invalid(what: string, text: string, rule: string) {
  return malformed(`The ${what} ${JSON.stringify(text.slice(0, MAX_SHOWN_CHARS))} is invalid. ${rule}`);
}

function inWords(names: readonly string[]): string {
  return `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
}

function decoded(segment: string): string {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch (error) {
    throw malformed(
      `The address has an invalid escape in ${JSON.stringify(segment.slice(0, MAX_SHOWN_CHARS))}.`,
      error,
    );
  }
}
