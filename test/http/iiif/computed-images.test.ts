import { afterAll, afterEach, beforeAll, describe, expect, it } from 'bun:test';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { emptyFolder } from '../../support/empty-folder.ts';
import { type ImageSite, startImageSite } from '../../support/image-site.ts';
import type { EntityJson } from '../../support/test-repository.ts';
import { until } from '../../support/until.ts';

/** Programs that note their process and the size that they compute, and end when they are killed. */
const commandsOf = (folder: string) => `
allowedMimeTypes: [image/*]
cmdByMimeType:
  image/*:
    cmdByDestination:
      application/vnd.repo.image:
        cmd: bash
        args:
          - -c
          - 'if [ "$1" = --size-only ]; then echo 6000 4000; else touch "${folder}/$2 $$"; exec sleep 1000; fi'
          - image
          - "%args"
        maxConcurrent: 4
  default: { cmd: cat }
maxConcurrent: 8
`;

let folder: string;
let site: ImageSite;
let media: EntityJson;
let clients: AbortController[] = [];
beforeAll(async () => {
  folder = await emptyFolder();
  site = await startImageSite({ commands: commandsOf(folder), trustedProxies: ['127.0.0.0/8', '::1'] });
  const path = join(folder, 'image.png');
  await writeFile(path, 'pixels');
  media = await site.upload(path, 'image/png', { isQuick: true });
  await rm(path);
});
afterEach(async () => {
  for (const client of clients) client.abort();
  clients = [];
  await until(async () => (await runs()).every(({ isRunning }) => !isRunning));
  for (const name of await readdir(folder)) await rm(join(folder, name));
});
afterAll(async () => {
  await site.stop();
});

/** Asks for the image in a width, as a client with an address. */
function ask(width: number, address: string) {
  const client = new AbortController();
  clients.push(client);
  const headers = { 'X-Forwarded-For': address };
  const response = site.ask(media, `full/${width},/0/default.jpg`, { headers, signal: client.signal });
  response.catch(() => {});
  return { leave: () => client.abort(), response };
}

/** The commands that have begun, by the width that they compute. */
async function runs() {
  return (await readdir(folder)).map((name) => {
    const [, width, pid] = /^(\d+):\d+ (\d+)$/.exec(name) ?? [];
    return { width: Number(width), isRunning: isRunning(Number(pid)) };
  });
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

const running = async () => (await runs()).flatMap(({ width, isRunning }) => (isRunning ? [width] : [])).sort();

describe('a computed image', () => {
  it('is no longer computed when its last client has left', async () => {
    const [first, second] = [ask(600, '192.0.2.1'), ask(600, '198.51.100.1')];
    await until(async () => (await running()).length === 1);
    first.leave();
    await expect(first.response).rejects.toThrow();
    // A request of the client that has left would be begun before this one.
    ask(300, '192.0.2.1');
    await until(async () => (await running()).length === 2);
    expect(await running()).toEqual([300, 600]);
    second.leave();
    await until(async () => (await running()).join() === '300');
  });

  it('waits for others of the same network, and not for those of another one', async () => {
    const first = ask(601, '192.0.2.1');
    await until(async () => (await running()).length === 1);
    ask(602, '192.0.2.200');
    ask(603, '2001:db8:1:2::3');
    await until(async () => (await running()).length === 2);
    expect(await running()).toEqual([601, 603]);
    first.leave();
    await until(async () => (await running()).join() === '602,603');
  });

  it('has at most the pixels of the setting, and info.json says so', async () => {
    const info = await (await site.ask(media, 'info.json')).json();
    expect(info).toMatchObject({ width: 6000, height: 4000, maxArea: 4096 ** 2 });
    const refused = await ask(5100, '192.0.2.1').response;
    expect({ status: refused.status, text: await refused.text() }).toEqual({
      status: 400,
      text: expect.stringContaining('exceeds the maximum of 16383 x 16383 or 16777216 pixels'),
    });
  });
});
