import { afterAll, describe, expect, it } from 'bun:test';
import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { codeOf } from '../../src/base/errors.ts';
import { emptyFolder } from '../support/empty-folder.ts';
import { createFixtures, run } from '../support/fixtures.ts';
import { type ServerProcess, startServer } from '../support/server-process.ts';
import { until } from '../support/until.ts';

const CONFIG = resolve(import.meta.dir, '../../config/processor.yaml');

const fixtures = await createFixtures();
const large = fixtures.path('large.png');
await run(['convert', '-size', '3000x3000', 'plasma:fractal', large]);
afterAll(async () => {
  await fixtures.remove();
});

/** The programs of processes that have this folder, or one in it, for their temporary files. */
async function programsIn(folder: string): Promise<string[]> {
  const found: string[] = [];
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    try {
      const environment = await readFile(`/proc/${pid}/environ`, 'latin1');
      if (environment.includes(`TMPDIR=${folder}/`)) found.push((await readFile(`/proc/${pid}/comm`, 'latin1')).trim());
    } catch (error) {
      if (codeOf(error) === undefined) throw error;
    }
  }
  return found;
}

async function start(): Promise<{ service: ServerProcess; place: string }> {
  const place = await emptyFolder();
  return {
    service: await startServer({
      mode: 'processor',
      config: CONFIG,
      env: { PATH: process.env.PATH ?? '', TMPDIR: place },
    }),
    place,
  };
}

/** A body that begins with a file and never ends: a command that reads it keeps running. */
const endless = (bytes: Uint8Array<ArrayBuffer>) =>
  new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(bytes),
  });

describe('the programs of a killed server', () => {
  it('end with it, including those that bash started', async () => {
    const { service, place } = await start();
    const post = (type: string, accept: string, body: Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>) =>
      void fetch(service.url, { method: 'POST', headers: { 'Content-Type': type, Accept: accept }, body }).catch(
        () => {},
      );
    post('image/png', 'image/jp2', endless(await fixtures.read('large.png')));
    post('image/png', 'text/plain', await fixtures.read('large.png'));
    post('application/pdf', 'text/plain', endless(await fixtures.read('hello.pdf')));
    post('video/mp4', 'video/webm', await fixtures.read('index-at-end.mov'));
    await until(async () => {
      const programs = await programsIn(place);
      return ['bash', 'convert', 'ffmpeg'].every((name) => programs.some((each) => each.startsWith(name)));
    });
    await service.kill();
    await until(async () => (await programsIn(place)).length === 0);
    await until(async () => (await readdir(place)).length === 0);
  });

  it('are ended by the next start if the watcher was killed, too', async () => {
    const { service, place } = await start();
    // Text recognition writes nothing until it is done: the closed pipe of the killed server does not end it.
    const body = await fixtures.read('large.png');
    const headers = { 'Content-Type': 'image/png', Accept: 'text/plain' };
    void fetch(service.url, { method: 'POST', headers, body }).catch(() => {});
    await until(async () => (await programsIn(place)).includes('tesseract'));
    const watcher = Bun.spawnSync(['pgrep', '-P', String(service.pid), '-f', 'repo-watch']).stdout.toString();
    process.kill(Number(watcher), 'SIGKILL');
    await service.kill();
    expect(await programsIn(place)).toContain('tesseract');
    const next = await startServer({
      mode: 'processor',
      config: CONFIG,
      env: { PATH: process.env.PATH ?? '', TMPDIR: place },
    });
    expect(await programsIn(place)).toEqual([]);
    expect(await readdir(join(place))).toEqual([]);
    await next.stop();
  });
});
