import { describe, expect, it } from 'bun:test';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { audit } from '../../support/audit.ts';
import { createMedia, pngHead, putToNode, settledFiles, stock } from '../../support/binaries.ts';
import { hurry, jobsOf, mediaByUse, settled, startDerivativeSite } from '../../support/derivative-site.ts';
import { USE } from '../../support/site-builder.ts';
import { CAN_MOUNT, mountSmallDisk } from '../../support/small-disk.ts';
import type { EntityJson } from '../../support/test-repository.ts';
import { until } from '../../support/until.ts';

const MIB = 1024 * 1024;

describe.if(CAN_MOUNT)('a full disk', () => {
  it('keeps derivative jobs queued without partial files until there is space, and rejects originals with 507', async () => {
    const site = await startDerivativeSite();
    const { repository, stub } = site;
    const folder = join(repository.dataFolder, 'files/public');
    await repository.running.stop(1);
    // In the place of the public store.
    const disk = mountSmallDisk(folder, '4m');
    await repository.restart();
    try {
      stub.answer = () => ({ body: Buffer.alloc(2 * MIB, 1) });
      await Bun.write(join(folder, 'filler'), new Uint8Array(2.5 * MIB));
      const node = await repository.node();
      const refused = await putToNode(repository, { node, uri: 'public://room.png', body: Buffer.alloc(2 * MIB) });
      expect(refused.status).toBe(507);
      expect(await jobsOf(repository, node)).toEqual([]);
      await createMedia(repository, { node, uri: 'fedora://room/a.png', body: pngHead(1, 1) });
      const before = await stock(repository);
      const jobs = await until(
        async () => {
          const found = await jobsOf(repository, node);
          return found.every(({ message, lease }) => message !== null && lease === null) && found;
        },
        { what: 'all were tried' },
      );
      expect(jobs).toHaveLength(3);
      for (const job of jobs)
        expect(job).toMatchObject({
          state: 'queued',
          attempts: 0,
          message: 'There is no room left for this file.',
        });
      // Not within a minute: an administrator has to free space.
      for (const { available_at } of jobs) expect(available_at - Date.now() / 1000).toBeGreaterThan(45);
      expect(await stock(repository)).toEqual(before);
      expect(await mediaByUse(repository, node)).toHaveProperty('size', 1);

      await rm(join(folder, 'filler'));
      stub.answer = () => ({ body: Buffer.alloc(MIB, 2) });
      await hurry(repository);
      for (const job of await settled(repository, node)) expect(job).toMatchObject({ state: 'done', attempts: 1 });
      const service = (await mediaByUse(repository, node)).get(USE.service) as EntityJson;
      const stored = await repository.get(new URL(service.field_media_image[0].url).pathname);
      expect((await stored.bytes()).byteLength).toBe(MIB);
      expect(stub.problems).toEqual([]);
      expect(repository.failures()).toEqual([]);
      await settledFiles(repository);
      // What every repository begins with is below the small file system.
      expect(await audit(repository.dataFolder, true)).toEqual(['public://media-icons/generic.png has no object']);
    } finally {
      await repository.running.stop(1);
      disk.unmount();
      await site.stop();
    }
  });
});
