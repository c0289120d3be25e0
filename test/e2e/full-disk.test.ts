import { afterAll, describe, expect, it } from 'bun:test';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { audit } from '../support/audit.ts';
import { emptyFolder } from '../support/empty-folder.ts';
import { type ServerProcess, startServer } from '../support/server-process.ts';
import { CAN_MOUNT, mountSmallDisk } from '../support/small-disk.ts';
import type { EntityJson } from '../support/test-repository.ts';

/** Where no disk can be mounted, `write-queue.test.ts` remains. */
const folder = await emptyFolder();
const smallDisk = CAN_MOUNT ? mountSmallDisk(folder, '32m') : undefined;
const json = { 'Content-Type': 'application/json' };

afterAll(async () => {
  smallDisk?.unmount();
});

async function createNode(server: ServerProcess, model: number, text: string): Promise<Response> {
  const body = {
    type: [{ target_id: 'islandora_object' }],
    title: [{ value: 'A title' }],
    field_model: [{ target_id: model }],
    field_description: [{ value: text }],
  };
  return server.fetch('/node?_format=json', { method: 'POST', headers: json, body: JSON.stringify(body) });
}

async function firstTerm(server: ServerProcess, vocabulary: string): Promise<number> {
  const response = await server.fetch(`/vocabulary/${vocabulary}?_format=json`);
  return ((await response.json()) as EntityJson[])[0]?.tid[0].value;
}

describe.if(CAN_MOUNT)('a repository on a small disk', () => {
  it('returns 507 while the disk is full, loses nothing, and recovers when there is space', async () => {
    const server = await startServer({ from: 'source', data: join(folder, 'data') });
    const model = await firstTerm(server, 'islandora_models');
    const use = await firstTerm(server, 'islandora_media_use');
    const node = ((await (await createNode(server, model, 'first')).json()) as EntityJson).nid[0].value;
    const put = (name: string, bytes: number) =>
      server.fetch(`/node/${node}/media/file/${use}`, {
        method: 'PUT',
        headers: { 'Content-Type': 'text/plain', 'Content-Location': `public://${name}.txt` },
        body: new Uint8Array(bytes),
      });
    const tooLarge = await put('large', 60_000_000);
    expect(tooLarge.status).toBe(507);
    expect(await tooLarge.json()).toEqual({ message: 'There is no room left for this file.' });

    await Bun.write(join(folder, 'filler'), new Uint8Array(20_000_000));
    let saved = 0;
    let refused: Response | undefined;
    while (refused === undefined && saved < 2_000) {
      const responses = await Promise.all(
        Array.from({ length: 8 }, () => createNode(server, model, 'x'.repeat(20_000))),
      );
      saved += responses.filter(({ status }) => status === 201).length;
      refused = responses.find(({ status }) => status !== 201);
    }
    expect(refused?.status).toBe(507);
    expect(await refused?.json()).toEqual({ message: 'There is no room left to save this.' });
    expect((await server.fetch(`/node/${node}?_format=json`)).status).toBe(200);

    await rm(join(folder, 'filler'));
    expect((await createNode(server, model, 'after')).status).toBe(201);
    expect((await put('small', 10_000)).status).toBe(201);
    for (let nid = node; nid <= node + saved + 1; nid++)
      expect((await server.fetch(`/node/${nid}?_format=json`)).status).toBe(200);
    await server.stop();
    expect(await audit(join(folder, 'data'), true)).toEqual([]);
  }, 60_000);

  it('does not start while the disk is write-protected, and names the reason', async () => {
    const view = await emptyFolder();
    // The same files through a separate, read-only mount.
    expect(Bun.spawnSync(['mount', '--bind', folder, view]).success).toBe(true);
    try {
      expect(Bun.spawnSync(['mount', '-o', 'remount,bind,ro', view]).success).toBe(true);
      const reason = await startServer({ from: 'source', data: join(view, 'data') }).catch((error: unknown) => error);
      const database = join(view, 'data/repository.db');
      // Which of the two depends on whether the log of writes has files of its own at the moment.
      const why =
        /cannot be used: it (is write-protected|cannot be opened\. Is it a file, in a folder that this user may write to\?)/;
      expect(String(reason)).toContain(`The database ${database} cannot be used`);
      expect(String(reason)).toMatch(why);
    } finally {
      Bun.spawnSync(['umount', '-l', view]);
      await rm(view, { recursive: true });
    }
    const server = await startServer({ from: 'source', data: join(folder, 'data') });
    expect((await server.fetch('/node/1?_format=json')).status).toBe(200);
    await server.stop();
  }, 30_000);
});
