import { imageSize } from 'image-size';
import { createByteSource, type ImageSize, type ReadAt } from './byte-source.ts';
import { isHeif, readHeifSize } from './heif-size.ts';
import { readJpegSize } from './jpeg-size.ts';
import { extractDirectory, isTiff } from './tiff-directory.ts';

/** Listens to an upload on its way to the disk. */
export interface ImageSizer {
  push(chunk: Uint8Array): void;
  /**
   * The size, once all has been pushed; undefined for what is no image, or a damaged one. `readAt` reads from
   * the stored file where the head does not tell; only its own errors are thrown.
   */
  result(readAt: ReadAt): Promise<ImageSize | undefined>;
}

/** Every common format but JPEG, TIFF and HEIF tells its size in here. */
const HEAD_BYTES = 128 * 1024;
/** Where the root element of an SVG has to be: the search for it grows faster than the text. */
const SVG_HEAD_BYTES = 16 * 1024;
const SVG_START_BYTES = 1000;
/** Recognised by a few zeros, which many other files start with too. */
const DOUBTFUL_TYPES = new Set(['cur', 'tga']);
const OLD_BMP_HEADER_BYTES = 12;
const MAX_SIDE = 2 ** 31 - 1;

/** Finds the width and height of an uploaded image from its header, without decoding it. */
export function createImageSizer(): ImageSizer {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  return {
    push(chunk) {
      if (bytes >= HEAD_BYTES || chunk.byteLength === 0) return;
      const part = chunk.slice(0, HEAD_BYTES - bytes);
      parts.push(part);
      bytes += part.byteLength;
    },
    async result(readAt) {
      const head = new Uint8Array(Buffer.concat(parts));
      const at = createByteSource(head, readAt);
      if (head[0] === 0xff && head[1] === 0xd8) return sound(await readJpegSize(at));
      if (isHeif(head)) return sound(await readHeifSize(at));
      if (isOldBmp(head)) return sound(readOldBmpSize(head));
      if (!isTiff(head)) return sizeIn(head);
      const directory = await extractDirectory(at);
      return directory && sizeIn(directory);
    },
  };
}

function sizeIn(head: Uint8Array): ImageSize | undefined {
  const isSvg = Buffer.from(head.subarray(0, SVG_START_BYTES)).includes('<svg');
  try {
    const found = imageSize(isSvg ? head.slice(0, SVG_HEAD_BYTES) : head);
    return DOUBTFUL_TYPES.has(found.type ?? '') ? undefined : sound(found);
  } catch {
    // The library throws for what is no image and for a damaged one, a different error from each reader.
    return undefined;
  }
}

/** A BMP of OS/2, whose sides have 16 bits: the library takes them for those of 32. */
function isOldBmp(head: Uint8Array): boolean {
  return head[0] === 0x42 && head[1] === 0x4d && head[14] === OLD_BMP_HEADER_BYTES && head.byteLength >= 22;
}

function readOldBmpSize({ buffer, byteOffset }: Uint8Array): ImageSize {
  const view = new DataView(buffer, byteOffset);
  return { width: view.getUint16(18, true), height: view.getUint16(20, true) };
}

/** A size that an image can have. */
function sound(size: ImageSize | undefined): ImageSize | undefined {
  const isSide = (side: unknown) => Number.isInteger(side) && Number(side) > 0 && Number(side) <= MAX_SIDE;
  return size && isSide(size.width) && isSide(size.height) ? { width: size.width, height: size.height } : undefined;
}
