import { afterEach, describe, expect, it } from 'bun:test';
import { mediaByUse } from '../../support/derivative-site.ts';
import { type ImageSite, identified, startImageSite } from '../../support/image-site.ts';
import { openTestBucket, s3Scheme, schemesAnd } from '../../support/s3-site.ts';
import { USE } from '../../support/site-builder.ts';
import type { EntityJson } from '../../support/test-repository.ts';

let site: ImageSite;
afterEach(() => site.stop());

const TILE = '0,0,512,400/512,400/0/default.jpg';
const nodeOf = (media: EntityJson) => ({ nid: [{ value: media.field_media_of[0].target_id }] });
const picture = (name = 'picture.jpg') =>
  site.make(name, ['convert', '-size', '600x400', 'plasma:', '-quality', '95', 'FILE']);
const infoOf = async (media: EntityJson, as?: string) =>
  (await (await site.ask(media, 'info.json', { as })).json()) as Record<string, unknown>;

describe('the image of an unpublished node', () => {
  it('has the access rights of its media at every address', async () => {
    site = await startImageSite();
    const node = await site.repository.node({ status: [{ value: false }] });
    const media = await site.upload(await picture(), 'image/jpeg', { node });
    const path = `/iiif/3/${media.uuid[0].value}`;
    await site.repository.user('reader');
    for (const request of [path, `${path}/info.json`, `${path}/${TILE}`, `${path}/full/50,/0/default.jpg`]) {
      const hidden = await site.repository.get(request);
      expect({ status: hidden.status, etag: hidden.headers.get('ETag') }).toEqual({ status: 401, etag: null });
      expect((await site.repository.get(request, 'reader')).status).toBe(403);
    }
    const shown = await site.ask(media, TILE, { as: 'admin' });
    expect({ status: shown.status, caching: shown.headers.get('Cache-Control') }).toEqual({
      status: 200,
      caching: 'private, no-cache',
    });
    const computed = await site.ask(media, 'full/50,/0/default.jpg', { as: 'admin' });
    expect(await identified(computed)).toBe('JPEG 50 33');
    expect((await site.ask(media, 'full/50,/0/default.jpg')).status).toBe(401);
    const published = await site.repository.patch(
      `/node/${node.nid[0].value}?_format=json`,
      { type: [{ target_id: 'islandora_object' }], status: [{ value: true }] },
      'admin',
    );
    expect(published.status).toBe(200);
    expect((await site.ask(media, TILE)).headers.get('Cache-Control')).toBe('public, no-cache');
  }, 60_000);
});

const tilesOf = async (media: EntityJson) =>
  (await mediaByUse(site.repository, nodeOf(media) as unknown as EntityJson)).get(USE.tiles) as EntityJson;

describe('the tiles of an image', () => {
  const replace = async (media: EntityJson, body: Uint8Array<ArrayBuffer>, type: string) =>
    expect(
      (await site.repository.put(`/media/${media.mid[0].value}/source`, body, { 'Content-Type': type }, 'admin'))
        .status,
    ).toBe(204);

  it('are not used while they belong to the previous file', async () => {
    site = await startImageSite();
    const media = await site.upload(await picture(), 'image/jpeg');
    const tag = (await site.ask(media, TILE)).headers.get('ETag');
    const other = await site.make('other.jpg', ['convert', '-size', '900x700', 'plasma:', 'FILE']);
    // No rule makes tiles of this type, so the old ones stay.
    await site.repository.running.services.database.write(['DELETE FROM derivative_job']);
    await replace(media, await Bun.file(other).bytes(), 'image/x-unknown');
    expect((await site.ask(media, 'info.json')).status).toBe(404);
    await replace(media, await Bun.file(other).bytes(), 'image/jpeg');
    expect(await infoOf(media)).toMatchObject({ width: 900, height: 700 });
    expect((await site.ask(media, TILE)).headers.get('ETag')).not.toBe(tag);
  }, 60_000);

  it.each([
    ['truncated', (pack: Uint8Array<ArrayBuffer>) => pack.slice(0, -100)],
    ['cut at its beginning', (pack: Uint8Array<ArrayBuffer>) => pack.slice(1000)],
    ['empty', () => new Uint8Array([80, 75, 5, 6, ...new Array(18).fill(0)])],
    ['not an archive', () => new TextEncoder().encode('no archive')],
    ['zeroed at its end', (pack: Uint8Array<ArrayBuffer>) => pack.fill(0, pack.length - 800)],
  ])(
    'are computed if their pack is %s, which is logged',
    async (_what, damage) => {
      site = await startImageSite();
      const media = await site.upload(await picture(), 'image/jpeg');
      const tiles = await tilesOf(media);
      const { pathname } = new URL(tiles.field_media_file[0].url);
      const pack = await (await site.repository.get(pathname)).bytes();
      await replace(tiles, damage(pack), 'application/zip');
      expect(await infoOf(media)).not.toHaveProperty('tiles');
      expect(await identified(await site.ask(media, TILE))).toBe('JPEG 512 400');
      const told = site.repository.log.filter(({ msg }) => String(msg).includes('the tile pack public://tiles/'));
      expect(told).toHaveLength(1);
    },
    60_000,
  );
});

describe('an image in a bucket', () => {
  it('is served from its tiles in the bucket', async () => {
    const bucket = await openTestBucket();
    try {
      const rules = 'actions: { image_generate_tiles_from_an_original_file: { scheme: s3 } }';
      site = await startImageSite({ rules, schemes: schemesAnd(s3Scheme(bucket.config, { delivery: 'stream' })) });
      const media = await site.upload(await picture(), 'image/jpeg');
      expect(await infoOf(media)).toMatchObject({ tiles: [{ scaleFactors: [1, 2] }] });
      for (const request of [TILE, '512,0,88,400/88,400/0/default.jpg', 'full/300,200/0/default.jpg'])
        expect(await identified(await site.ask(media, request))).toStartWith('JPEG ');
      const tiles = await tilesOf(media);
      expect(tiles.field_media_file[0].url).toContain('/_flysystem/s3/');
    } finally {
      await bucket.close();
    }
  }, 60_000);
});

describe('a server without vips', () => {
  it('serves only whole copies, as level 0', async () => {
    site = await startImageSite({ commands: null });
    const node = await site.repository.node();
    const media = await site.upload(await picture(), 'image/jpeg', { node, isQuick: true });
    const info = await infoOf(media);
    expect(info).toMatchObject({ profile: 'level0', width: 600, height: 400, sizes: [{ width: 600, height: 400 }] });
    expect(info).not.toHaveProperty('tiles');
    expect(info).not.toHaveProperty('extraQualities');
    expect(await identified(await site.ask(media, 'full/max/0/default.jpg'))).toBe('JPEG 600 400');
    expect(await identified(await site.ask(media, 'full/600,400/0/default.jpg'))).toBe('JPEG 600 400');
    const refused = await site.ask(media, 'full/300,/0/default.jpg');
    expect(refused.status).toBe(400);
    expect(await refused.text()).toContain('info.json lists the tiles and sizes that it has.');
    const scan = await site.make('scan.tif', ['convert', '-size', '60x40', 'plasma:', 'FILE']);
    const hidden = await site.upload(scan, 'image/tiff', { bundle: 'file', isQuick: true });
    expect((await site.ask(hidden, 'info.json')).status).toBe(404);
  }, 60_000);
});

describe('a command that fails', () => {
  const commands = (script: string) => `
allowedMimeTypes: ["*"]
cmdByMimeType:
  image/*:
    cmdByDestination:
      application/vnd.repo.image:
        cmd: sh
        args: [-c, '${script}', sh, "%args"]
        allowedOptions: { --size-only: none, --size: /.+/, --format: word }
        timeout: 1
`;

  it.each([
    ['is killed', 'if [ "$1" = --size-only ]; then echo 60 40; else echo begun; kill -9 $$; fi', 500],
    ['takes too long', 'if [ "$1" = --size-only ]; then echo 60 40; else sleep 30; fi', 504],
    ['writes no size', 'echo many pixels', 500],
    ['writes nothing', 'true', 500],
  ])(
    'leaves nothing in the cache if it %s',
    async (_what, script, status) => {
      site = await startImageSite({ commands: commands(script) });
      const media = await site.upload(await picture(), 'image/jpeg', { isQuick: true });
      for (const _again of [1, 2]) expect((await site.ask(media, 'full/30,/0/default.jpg')).status).toBe(status);
      const kept = await Array.fromAsync(new Bun.Glob('**/*').scan(`${site.repository.dataFolder}/images`)).catch(
        () => [],
      );
      for (const name of kept)
        expect(await Bun.file(`${site.repository.dataFolder}/images/${name}`).text()).toMatch(
          /^(60 40|many pixels)\n$/,
        );
    },
    60_000,
  );
});
