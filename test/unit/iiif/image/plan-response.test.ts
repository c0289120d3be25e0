import { describe, expect, it } from 'bun:test';
import type { FileRow } from '../../../../src/database/schema/files.ts';
import type { ImageFormat } from '../../../../src/iiif/image/image-request.ts';
import { planResponse } from '../../../../src/iiif/image/plan-response.ts';
import type { ServedImage } from '../../../../src/iiif/image/served-image.ts';

const fileOf = (id: number, filemime: string) => ({ id, filemime }) as FileRow;
const COPY = { width: 500, height: 400, format: 'jpg', file: fileOf(2, 'image/jpeg') } as const;

/** Returns the file from which a picture of 50 by 40 pixels is computed. */
function sourceOf(original: string, format: ImageFormat): number {
  const image: ServedImage = { width: 1000, height: 800, file: fileOf(1, original), pack: undefined, copies: [COPY] };
  const region = { x: 0, y: 0, width: 1000, height: 800 };
  const size = { width: 50, height: 40 };
  return planResponse(image, { region, size, isMirrored: false, rotation: 0, quality: 'default', format } as never).file
    .id;
}

describe('planResponse', () => {
  it.each([
    ['image/png', 'jpg', 2],
    ['image/jpeg', 'png', 2],
    ['image/jpeg', 'webp', 2],
    ['image/png', 'png', 1],
    ['image/tiff', 'webp', 1],
  ] as const)('reads %s as %s from a JPEG copy only if transparency stays intact', (original, format, id) => {
    expect(sourceOf(original, format)).toBe(id);
  });
});
