import { describe, expect, it } from 'bun:test';
import { ServiceError } from '../../../../src/base/errors.ts';
import type { FileRow } from '../../../../src/database/schema/files.ts';
import type { ComputedImages } from '../../../../src/iiif/image/computed-images.ts';
import { createImages } from '../../../../src/iiif/image/create-images.ts';
import type { Scheme } from '../../../../src/repository/files/scheme.ts';
import type { ImageCopy, SourceImage } from '../../../../src/repository/media/find-image.ts';

const fileOf = (id: number, width: number, height: number, filemime = 'image/jpeg') =>
  ({ id, uri: `public://${id}`, sha256: `${id}`.repeat(64), filemime, width, height, filesize: 100 }) as FileRow;
const copyOf = (use: ImageCopy['use'], file: FileRow): ImageCopy => ({ use, file });
const PACK = copyOf('tiles', fileOf(9, 0, 0, 'application/zip'));
const FOUND = { file: fileOf(1, 600, 400, 'image/tiff'), copies: [PACK] } as Partial<SourceImage> as SourceImage;
const CLIENT = { signal: new AbortController().signal, network: '192.0.2.0/24' };
const WITH_COPY = { ...FOUND, copies: [PACK, copyOf('service', fileOf(2, 300, 200))] };

/** The images of a storage whose reads fail. */
function imagesOf(failure: Error, isAvailable = true) {
  const warnings: string[] = [];
  let reads = 0;
  const storage = {
    read: () => {
      reads += 1;
      return Promise.reject(failure);
    },
  } as Partial<Scheme['storage']> as Scheme['storage'];
  const schemes = new Map([['public', { name: 'public', storage, storeIn: 'public' }]]);
  const computed = { isAvailable, readSize: async () => ({ width: 600, height: 400 }) } as Partial<ComputedImages>;
  const warn = (message: string) => void warnings.push(message);
  const images = createImages({ schemes, computed: computed as ComputedImages, maxPixels: 1_000_000, warn });
  return { images, warnings, reads: () => reads };
}

describe('an image whose tile pack cannot be read', () => {
  it('is computed, and the pack is read again for the next request', async () => {
    const { images, warnings, reads } = imagesOf(new ServiceError('storage-failed', 'It does not answer.'));
    const image = await images.open(FOUND, CLIENT);
    expect(image.pack).toBeUndefined();
    expect({ width: image.width, height: image.height }).toEqual({ width: 600, height: 400 });
    expect(warnings).toEqual(['the tile pack public://9 cannot be used']);
    await images.open(FOUND, CLIENT);
    expect(reads()).toBe(2);
  });

  it('fails for a fault that is none of the storage', async () => {
    const { images } = imagesOf(new Error('a defect'));
    await expect(images.open(FOUND, CLIENT)).rejects.toThrow('a defect');
    const { images: others } = imagesOf(new ServiceError('misconfigured', 'It is not configured.'));
    await expect(others.open(FOUND, CLIENT)).rejects.toThrow('It is not configured.');
  });

  it('has the size of its largest copy if no program computes images', async () => {
    const { images } = imagesOf(new ServiceError('storage-failed', 'It does not answer.'), false);
    const image = await images.open(WITH_COPY, CLIENT);
    expect({ width: image.width, height: image.height }).toEqual({ width: 300, height: 200 });
    await expect(images.open(FOUND, CLIENT)).rejects.toThrow('its copies are not made');
  });
});

describe('the size of a result', () => {
  it('has the limit of the settings only if it is computed', () => {
    const failure = new Error('unused');
    expect(imagesOf(failure).images.limits).toEqual({ maxWidth: 16_383, maxHeight: 16_383, maxArea: 1_000_000 });
    expect(imagesOf(failure, false).images.limits.maxArea).toBe(8192 ** 2);
  });
});
