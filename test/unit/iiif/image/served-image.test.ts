import { describe, expect, it } from 'bun:test';
import type { FileRow } from '../../../../src/database/schema/files.ts';
import type { Size } from '../../../../src/iiif/image/resolve-request.ts';
import { asStored, storedSizes } from '../../../../src/iiif/image/served-image.ts';
import type { ImageCopy, SourceImage } from '../../../../src/repository/media/find-image.ts';

const IMAGE = { width: 600, height: 400 };
const WIDE = { width: 800, height: 400 };
const TALL = { width: 400, height: 800 };
const fileOf = (width: number | null, height: number | null, filemime = 'image/jpeg') =>
  ({ id: 1, filemime, width, height }) as FileRow;

/** The widths of the copies that an image has as sizes. */
const widthsOf = (...files: readonly FileRow[]) => widthsIn(IMAGE, ...files);

function widthsIn(image: Size, ...files: readonly FileRow[]): number[] {
  const copies = files.map((file): ImageCopy => ({ use: 'service', file }));
  return storedSizes({ copies } as Partial<SourceImage> as SourceImage, image).map(({ width }) => width);
}

describe('the stored sizes of an image', () => {
  it('are its copies up to its own size, the smallest first', () => {
    expect(widthsOf(fileOf(600, 400), fileOf(150, 100), fileOf(300, 200))).toEqual([150, 300, 600]);
    expect(widthsOf(fileOf(601, 400), fileOf(600, 401))).toEqual([]);
  });

  it('have its proportions: one of their sides differs by less than a pixel', () => {
    expect(widthsOf(fileOf(100, 66), fileOf(100, 65), fileOf(100, 100))).toEqual([100]);
    expect(widthsIn(WIDE, fileOf(201, 100), fileOf(202, 100), fileOf(199, 100), fileOf(198, 100))).toEqual([199, 201]);
    expect(widthsIn(TALL, fileOf(100, 201), fileOf(99, 200))).toEqual([100]);
    expect(widthsIn(TALL, fileOf(100, 202), fileOf(100, 198))).toEqual([]);
  });

  it('are those of the formats that the service has, with a known size', () => {
    expect(asStored(fileOf(10, 20, 'image/png; q=1'))?.format).toBe('png');
    expect(asStored(fileOf(10, 20, 'image/tiff'))).toBeUndefined();
    expect(asStored(fileOf(null, 20))).toBeUndefined();
    expect(asStored(fileOf(10, null))).toBeUndefined();
  });
});
