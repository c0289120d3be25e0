import { Cache } from '../../base/cache.ts';
import { ServiceError } from '../../base/errors.ts';
import type { FileRow } from '../../database/schema/files.ts';
import { type Schemes, storageOf } from '../../repository/files/scheme.ts';
import type { SourceImage } from '../../repository/media/find-image.ts';
import type { ComputedImages } from './computed-images.ts';
import { SIZE_LIMITS, type Size, type SizeLimits } from './resolve-request.ts';
import { asStored, type ServedImage, type StoredSize, storedSizes } from './served-image.ts';
import type { ImageClient } from './shared-computations.ts';
import { DamagedPackError, readTilePack, type TilePack } from './tile-pack.ts';

/** Directories of tile packs in memory: 3 KB for 50 megapixels. */
const MAX_PACK_BYTES = 16 * 1024 * 1024;
/** Sizes of images without a tile pack. */
const MAX_SIZE_BYTES = 1024 * 1024;
const SIZE_BYTES = 50;
const DAMAGED_BYTES = 100;

/** The images of media, as the Image API serves them. */
export interface Images {
  /** True if this machine computes any region and size. */
  readonly canTransform: boolean;
  /**
   * Returns an image with its size and its tiles. Throws `not-found` if nothing of it can be shown yet, and the errors of
   * the storage and of the command.
   */
  open(image: SourceImage, client: ImageClient): Promise<ServedImage>;
  /** Returns a page of a PDF in the same way, the first one is 1. Throws `not-found` for a page that it lacks. */
  openPage(file: FileRow, page: number, client: ImageClient): Promise<ServedImage>;
  /** The maximum size of a result. */
  readonly limits: SizeLimits;
  readonly computed: ComputedImages;
}

interface ImageParts extends Schemes {
  readonly computed: ComputedImages;
  /** The maximum number of pixels of a computed result. */
  readonly maxPixels: number;
  warn(message: string, cause: unknown): void;
}

export function createImages(parts: ImageParts): Images {
  const { computed, maxPixels, warn } = parts;
  const packs = new Cache<TilePack | 'damaged'>({
    maxBytes: MAX_PACK_BYTES,
    bytesOf: (pack) => (pack === 'damaged' ? DAMAGED_BYTES : pack.bytes),
  });
  const sizes = new Cache<Size>({ maxBytes: MAX_SIZE_BYTES, bytesOf: () => SIZE_BYTES });

  async function readPack(file: FileRow): Promise<TilePack | undefined> {
    const known = packs.get(file.sha256);
    if (known !== undefined) return known === 'damaged' ? undefined : known;
    const { storage } = storageOf(parts, file);
    try {
      const pack = await readTilePack(async (first, last) => {
        const part = await storage.read(file.storageKey, { first, last }, file.filesize);
        return new Response(part).bytes();
      }, file.filesize);
      packs.set(file.sha256, pack);
      return pack;
    } catch (error) {
      const isDamaged = error instanceof DamagedPackError;
      if (isDamaged) packs.set(file.sha256, 'damaged');
      else if (!(error instanceof ServiceError) || error.kind !== 'storage-failed') throw error;
      warn(`the tile pack ${file.uri} cannot be used`, error);
      return undefined;
    }
  }

  /** Returns the tiles of an image; a pack of a previous version of its file is ignored. */
  async function findPack({ file, copies }: SourceImage): Promise<ServedImage['pack']> {
    for (const copy of copies) {
      const directory = copy.use === 'tiles' ? await readPack(copy.file) : undefined;
      if (directory?.sourceSha256 === file.sha256) return { file: copy.file, directory };
    }
    return undefined;
  }

  return {
    get canTransform() {
      return computed.isAvailable;
    },
    get limits() {
      // Without computing, a result is a stored file.
      return computed.isAvailable ? { ...SIZE_LIMITS, maxArea: maxPixels } : SIZE_LIMITS;
    },
    computed,
    async open(image, client) {
      const { file } = image;
      const pack = await findPack(image);
      if (pack === undefined && !computed.isAvailable) return withoutTiles(image);
      const size = pack?.directory.grid.image ?? sizes.get(file.sha256) ?? (await computed.readSize(file, client));
      if (pack === undefined) sizes.set(file.sha256, size);
      return { file, pack, ...size, copies: storedSizes(image, size) };
    },
    async openPage(file, page, client) {
      const size = (await computed.readPages(file, client))[page - 1];
      if (size === undefined) throw new ServiceError('not-found', `The PDF has no page ${page}.`);
      return { file, pack: undefined, ...size, copies: [], page };
    },
  };
}

/** Returns an image of which only whole files are served. Its size is that of the largest one. */
function withoutTiles(image: SourceImage): ServedImage {
  const { file } = image;
  const copies = image.copies.flatMap(({ use, file: copy }) => (use === 'tiles' ? [] : (asStored(copy) ?? [])));
  const own = asStored(file);
  const largest = [...copies, ...(own ? [own] : [])].reduce<StoredSize | undefined>(
    (best, each) => (best === undefined || each.width > best.width ? each : best),
    undefined,
  );
  if (largest === undefined)
    throw new ServiceError('not-found', 'This image cannot be shown yet: its copies are not made.');
  const { width, height } = largest;
  const whole = own === largest ? [own] : [];
  return { file, pack: undefined, width, height, copies: [...storedSizes(image, largest), ...whole] };
}
