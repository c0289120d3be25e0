import { describe, expect, it } from 'bun:test';
import { parseImageRequest } from '../../../../src/iiif/image/image-request.ts';
import { resolveRequest, SIZE_LIMITS } from '../../../../src/iiif/image/resolve-request.ts';

const IMAGE = { width: 6000, height: 4000 };
const resolve = (request: string, image = IMAGE) => resolveRequest(parseImageRequest(request), image, SIZE_LIMITS);
const SMALL = { maxWidth: 1000, maxHeight: 1000, maxArea: 500_000 };

describe('a request', () => {
  it.each([
    ['full/max/0/default.jpg', 'full/max/0/default.jpg'],
    ['0,0,6000,4000/6000,4000/0/default.jpg', 'full/max/0/default.jpg'],
    ['0,0,9999,9999/max/0/default.jpg', 'full/max/0/default.jpg'],
    ['full/^max/0/default.jpg', 'full/^10033,6688/0/default.jpg'],
    ['full/600,/0/default.jpg', 'full/600,400/0/default.jpg'],
    ['full/,400/360/default.jpg', 'full/600,400/0/default.jpg'],
    ['full/pct:10/90.0/default.png', 'full/600,400/90/default.png'],
    ['full/!700,400/0/gray.webp', 'full/600,400/0/gray.webp'],
    ['full/!9000,9000/0/default.jpg', 'full/max/0/default.jpg'],
    ['full/^!9000,9000/0/default.jpg', 'full/^9000,6000/0/default.jpg'],
    ['square/max/!270/bitonal.png', '1000,0,4000,4000/max/!270/bitonal.png'],
    ['pct:50,50,25,25/100,100/0/color.jpg', '3000,2000,1500,1000/100,100/0/color.jpg'],
    ['pct:.5,.5,1.25,1./max/0/default.jpg', '30,20,75,40/max/0/default.jpg'],
    ['5990,3990,100,100/^20,20/0/default.jpg', '5990,3990,10,10/^20,20/0/default.jpg'],
    ['full/1,/0/default.jpg', 'full/1,1/0/default.jpg'],
    ['pct%3A50,50,25,25/max/0/default.jpg', '3000,2000,1500,1000/max/0/default.jpg'],
  ])('%s is %s', (request, canonical) => {
    expect(resolve(request).canonical).toBe(canonical);
  });

  it.each([
    'full/max/0/default',
    'full/max/0/.jpg',
    'full/max/-90/default.jpg',
    'full/max/1e2/default.jpg',
    'full/1.5,/0/default.jpg',
    'full/!,5/0/default.jpg',
    'full/^^5,/0/default.jpg',
    'full/pct:/0/default.jpg',
    'full/pct:-1/0/default.jpg',
    'full/max/0/default.jpg.jpg',
    '1,2,3/max/0/default.jpg',
    '0x1,0,5,5/max/0/default.jpg',
    '99999999999999,0,5,5/max/0/default.jpg',
    'pct:0,0,0,50/max/0/default.jpg',
    'full/6001,/0/default.jpg',
    'full/^24004,/0/default.jpg',
    '6000,0,5,5/max/0/default.jpg',
    '',
  ])('%s is rejected', (request) => {
    expect(() => resolve(request)).toThrow();
  });

  it.each(['', 'full', 'full/max/0', 'full/max/0/default.jpg/', 'full/max/0/default.jpg/info.json'])(
    '%p has too few or too many parts',
    (request) => {
      expect(() => parseImageRequest(request)).toThrow('An image has the address REGION/SIZE/ROTATION/QUALITY.FORMAT');
    },
  );

  it('is limited by the maximum sizes of the server', () => {
    const { size } = resolveRequest(parseImageRequest('full/max/0/default.jpg'), IMAGE, SMALL);
    expect(size).toEqual({ width: 866, height: 577 });
    expect(() => resolveRequest(parseImageRequest('full/900,/0/default.jpg'), IMAGE, SMALL)).toThrow(
      'exceeds the maximum',
    );
  });

  it('for an image of one pixel is never empty', () => {
    const dot = { width: 1, height: 1 };
    for (const request of ['square/max', 'pct:0.1,0.1,0.1,0.1/max', 'full/pct:1', 'full/!1,1'])
      expect(resolve(`${request}/0/default.jpg`, dot)).toMatchObject({ region: { x: 0, y: 0, ...dot }, size: dot });
  });
});
