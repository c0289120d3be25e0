import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { createMedia, putToNode, readJson, uploadFile } from '../../support/binaries.ts';
import { createTestRepository, type EntityJson, type TestRepository } from '../../support/test-repository.ts';
import { HEIGHT, jpegSegment, jpegWith, MADE, madeTiff, WIDTH } from '../../unit/base/images/made-images.ts';

/** An image type that takes every format. */
const MODEL = 'media_types: { image: { fields: { field_media_image: { file_extensions: [img, gif] } } } }\n';
const FIXTURES = join(import.meta.dir, '../../fixtures/images');

let repository: TestRepository;
beforeAll(async () => {
  repository = await createTestRepository({}, { model: MODEL });
});
afterAll(async () => {
  await repository.stop();
});

const PIXELS = 3_000_000;
const profiles = Buffer.concat(Array.from({ length: 30 }, () => jpegSegment(0xe2, Buffer.alloc(65_000))));
const IMAGES: [string, Buffer][] = [
  ...readdirSync(FIXTURES).map((name): [string, Buffer] => [name, readFileSync(join(FIXTURES, name))]),
  ...Object.entries(MADE),
  ['jpeg behind megabytes of profiles', jpegWith(profiles)],
  ...[false, true].flatMap((isBig) =>
    [false, true].map((isLittle): [string, Buffer] => [
      `${isBig ? 'BigTIFF' : 'TIFF'} ${isLittle ? 'II' : 'MM'} with its directory at the end`,
      madeTiff({ isBig, isLittle, gapBytes: PIXELS }),
    ]),
  ),
];
const SIZED = {
  field_width: [{ value: WIDTH }],
  field_height: [{ value: HEIGHT }],
  field_media_image: [{ width: WIDTH, height: HEIGHT }],
  thumbnail: [{ width: WIDTH, height: HEIGHT }],
};

describe('width and height of an image', () => {
  it.each(IMAGES)('are read from %s when put, replaced or uploaded', async (name, bytes) => {
    const node = await repository.node();
    const uri = `public://${encodeURIComponent(name)}.img`;
    const media = await createMedia(repository, { node, uri, body: bytes, contentType: 'image/x-any' });
    expect(media).toMatchObject(SIZED);

    const path = `/media/${media.mid[0].value}`;
    expect((await putToNode(repository, { node, uri: undefined, body: 'none' })).status).toBe(204);
    expect(await readJson(repository, path)).toMatchObject({ field_width: [], thumbnail: [{ width: null }] });
    expect((await repository.put(`${path}/source`, bytes, { 'Content-Type': 'image/x-any' }, 'admin')).status).toBe(
      204,
    );
    expect(await readJson(repository, path)).toMatchObject(SIZED);

    const file = await uploadFile(repository, `${encodeURIComponent(name)}.img`, bytes);
    const body = { bundle: 'image', field_media_image: [{ target_id: file.fid[0].value, alt: 'x' }] };
    const response = await repository.post('/media?_format=json', body, 'admin');
    expect((await response.json()) as EntityJson).toMatchObject(SIZED);
  });

  it('are read from a body that arrives byte by byte', async () => {
    const bytes = MADE.gif as Buffer;
    const body = new ReadableStream<Uint8Array>({
      async start(controller) {
        for (const byte of bytes) {
          controller.enqueue(new Uint8Array([byte]));
          await setImmediate();
        }
        controller.close();
      },
    });
    expect(
      await createMedia(repository, { node: await repository.node(), uri: 'public://slow.gif', body }),
    ).toMatchObject(SIZED);
  });
});
