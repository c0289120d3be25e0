import { expect, it } from 'bun:test';
import { imageInfo } from '../../../../src/iiif/image/image-info.ts';
import { SIZE_LIMITS } from '../../../../src/iiif/image/resolve-request.ts';
import type { ServedImage } from '../../../../src/iiif/image/served-image.ts';

const service = { id: 'http://localhost/iiif/3/x', type: 'ImageService3', profile: 'level0' } as const;
const copy = (width: number, height: number) => ({ width, height, format: 'jpg' }) as ServedImage['copies'][number];

it('names no stored size that a request may not ask for', () => {
  const copies = [copy(400, 300), copy(20_000, 15_000)];
  const image = { width: 20_000, height: 15_000, pack: undefined, copies } as unknown as ServedImage;
  expect(imageInfo(service, image, SIZE_LIMITS)).toMatchObject({ width: 20_000, sizes: [{ width: 400, height: 300 }] });
});
