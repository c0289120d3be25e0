import { parse } from 'content-type';
import mime from 'mime';
import { usualType } from './usual-type.ts';

/**
 * The characters of an RFC 9110 token (section 5.6.2) without `*`, which stands for any type. As in RFC 6838
 * (section 4.2), a name has at most 127 of them and begins with a letter or digit.
 */
const NAME = "[a-z0-9][a-z0-9!#$%&'+.^_`|~-]{0,126}";
const MEDIA_TYPE = new RegExp(`^${NAME}/${NAME}$`);
const MEDIA_TYPE_PATTERN = new RegExp(`^(\\*|${NAME}/(\\*|${NAME}))$`);

/** Returns type and subtype of a `Content-Type` value in lower case, without parameters; undefined if it is invalid. */
export function parseMediaType(value: string): string | undefined {
  const { type } = parse(value, { parameters: false });
  const name = type.toLowerCase();
  return MEDIA_TYPE.test(name) ? name : undefined;
}

/** Returns true for a pattern of a configuration: a type, a family such as `image/*`, or `*`. */
export function isMediaTypePattern(text: string): boolean {
  return MEDIA_TYPE_PATTERN.test(text);
}

/** Returns the family of a type: `image/*` for `image/png`. */
export function familyOf(mediaType: string): string {
  return `${mediaType.slice(0, mediaType.indexOf('/'))}/*`;
}

/** Returns true if a pattern matches a type or its usual name: the same type, its family, or `*`. */
export function matchesMediaType(pattern: string, mediaType: string): boolean {
  const names = [mediaType, usualType(mediaType)];
  return pattern === '*' || names.some((name) => pattern === name || pattern === familyOf(name));
}

/** Returns true for a type of HTML or XML. */
export function isMarkupType(mediaType: string): boolean {
  return /[/+](?:xml|html)$/.test(mediaType);
}

/** The usual extensions of types for which the MIME table prefers another one. */
const USUAL_EXTENSION: Record<string, string> = {
  'application/xml': 'xml',
  'application/x-typst': 'typst',
  'audio/aac': 'm4a',
  'audio/flac': 'flac',
  'audio/mp4': 'm4a',
  'audio/mpeg': 'mp3',
  'audio/ogg': 'ogg',
  'audio/wav': 'wav',
  'audio/webm': 'webm',
  'audio/x-wav': 'wav',
  'image/heic': 'heic',
  'image/jp2': 'jp2',
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'image/svg+xml': 'svg',
  'image/tiff': 'tif',
  'image/webp': 'webp',
  'text/html': 'html',
  'text/markdown': 'md',
  'text/plain': 'txt',
  'text/vnd.hocr+html': 'hocr',
  'text/x-markdown': 'md',
  'text/x-rst': 'rst',
  'video/mp4': 'mp4',
  'video/mpeg': 'mpg',
  'video/ogg': 'ogg',
  'video/quicktime': 'mov',
  'video/x-msvideo': 'avi',
};

/** Returns the usual file extension of a type, without the dot; undefined for a type without extension. */
export function extensionOf(mediaType: string): string | undefined {
  const usual = usualType(mediaType);
  return USUAL_EXTENSION[usual] ?? mime.getExtension(usual) ?? undefined;
}
