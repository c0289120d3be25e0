import { parseMediaType } from '../../base/media-type.ts';
import { usualType } from '../../base/usual-type.ts';
import { pathOf } from '../../paths.ts';

/** The description of an image's service for manifests and viewers (IIIF Image API 3.0, 5.1). */
export interface ImageService {
  /** The absolute address, to which requests are appended: `/info.json`, `/full/max/0/default.jpg`. */
  readonly id: string;
  readonly type: 'ImageService3';
  /** `level2` if this machine computes any region and size, otherwise stored ones only. */
  readonly profile: 'level2' | 'level0';
}

/** A media with an image as its source. */
interface ImageMedia {
  readonly uuid: string;
  /** The MIME type of its source file. Undefined without a file. */
  readonly filemime: string | undefined;
}

const PDF = 'application/pdf';
/** Separates the UUID of a media and the number of a page in the address of a service. */
const PAGE_MARK = '.';

/** A media and a page of its PDF, as the address of a service names them. */
interface NamedImage {
  readonly uuid: string;
  readonly page: number | undefined;
}

/** Reads the name of an image in an address: the UUID of a media, or that and a page. */
export function readImageName(name: string): NamedImage {
  const [uuid = '', page, ...more] = name.split(PAGE_MARK);
  return { uuid, page: more.length === 0 && /^[1-9]\d{0,3}$/.test(page ?? '') ? Number(page) : undefined };
}

/** Returns the image service of a page of a PDF. Undefined for files of other types. */
export function pageService({ uuid, filemime }: ImageMedia, page: number, baseUrl: string): ImageService | undefined {
  if (usualType(parseMediaType(filemime ?? '') ?? '') !== PDF) return undefined;
  const id = `${baseUrl}${pathOf('image', { media_uuid: `${uuid}${PAGE_MARK}${page}` })}`;
  return { id, type: 'ImageService3', profile: 'level2' };
}

/** The types of images that have a service. */
const SERVED_TYPES: ReadonlySet<string> = new Set(
  [
    'avif',
    'bmp',
    'gif',
    'heic',
    'jp2',
    'jpeg',
    'png',
    'tiff',
    'vnd.adobe.photoshop',
    'webp',
    'x-ms-bmp',
    'x-pcx',
    'x-portable-anymap',
    'x-portable-bitmap',
    'x-portable-graymap',
    'x-portable-pixmap',
    'x-tga',
  ].map((subtype) => `image/${subtype}`),
);

/** Returns true if files of a MIME type have an image service. */
export function isServedImage(filemime: string): boolean {
  return SERVED_TYPES.has(usualType(parseMediaType(filemime) ?? ''));
}

/**
 * Returns the image service of a media. Undefined if its source is no image that has one. `baseUrl` has no slash at its
 * end; `canTransform` is `ApiServices.images.canTransform`.
 */
export function imageService(
  { uuid, filemime }: ImageMedia,
  baseUrl: string,
  canTransform: boolean,
): ImageService | undefined {
  if (filemime === undefined || !isServedImage(filemime)) return undefined;
  return {
    id: `${baseUrl}${pathOf('image', { media_uuid: uuid })}`,
    type: 'ImageService3',
    profile: canTransform ? 'level2' : 'level0',
  };
}
