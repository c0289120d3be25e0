import { describe, expect, it } from 'bun:test';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { emptyFolder } from '../support/empty-folder.ts';
import { isRunning } from '../support/leftovers.ts';
import { type ServerProcess, startServer } from '../support/server-process.ts';
import { until } from '../support/until.ts';

/** Durations that no one else sleeps for, to find our sleepers by. */
const SLEEP = '54.32109';
const FORKED = '54.32108';

async function start(): Promise<{ service: ServerProcess; place: string }> {
  const place = await emptyFolder();
  const config = join(await emptyFolder(), 'cmds.yaml');
  const script = `trap '' TERM HUP INT; cat > source; sleep ${FORKED} | cat & sleep ${SLEEP}`;
  await writeFile(
    config,
    `allowedMimeTypes: ["*"]\nworkFolder: ${place}\ncmdByMimeType:\n` +
      `  x/slow: { cmd: sh, args: [-c, "${script}"] }\n  default: { cmd: cat }\n`,
  );
  return { service: await startServer({ mode: 'processor', config }), place };
}

/** Has commands run that take long, and waits until they do. */
async function startRuns(url: string, count: number): Promise<void> {
  const headers = { 'Content-Type': 'x/slow' };
  for (let each = 0; each < count; each += 1) void fetch(url, { method: 'POST', body: 'x', headers }).catch(() => {});
  await until(() => isRunning(`sleep ${SLEEP}`) && isRunning(`sleep ${FORKED}`));
}

describe('a killed server', () => {
  it('leaves no process of its commands and none of their folders', async () => {
    const { service, place } = await start();
    await startRuns(service.url, 2);
    await service.kill();
    await until(() => !isRunning(`sleep ${SLEEP}`) && !isRunning(`sleep ${FORKED}`));
    await until(async () => (await readdir(place)).length === 0);
  });

  it('leaves no command that its watcher does not know yet', async () => {
    const { service, place } = await start();
    await startRuns(service.url, 1);
    const [folder = ''] = await readdir(place);
    const stray = Bun.spawn(['sleep', SLEEP], { env: { TMPDIR: join(place, folder) }, detached: true });
    service.kill('SIGKILL');
    await stray.exited;
    expect(stray.signalCode).toBe('SIGKILL');
    await until(async () => !isRunning(`sleep ${SLEEP}`) && (await readdir(place)).length === 0);
  });

  it('leaves no command even if it was idle before', async () => {
    const { service, place } = await start();
    for (let each = 0; each < 3; each += 1) {
      const headers = { 'Content-Type': 'x/short' };
      await (await fetch(service.url, { method: 'POST', body: 'x', headers })).text();
      // Until the watcher has ended.
      await until(() => !isRunning(`repo-watch ${place}`));
    }
    await startRuns(service.url, 1);
    service.kill('SIGKILL');
    await until(() => !isRunning(`sleep ${SLEEP}`) && !isRunning(`sleep ${FORKED}`));
  });
});

it('a server that a second signal stops immediately leaves an empty work folder', async () => {
  const { service, place } = await start();
  await startRuns(service.url, 1);
  service.kill('SIGTERM');
  await until(() => service.log.some(({ msg }) => String(msg).startsWith('stopping')));
  service.kill('SIGTERM');
  await service.exited;
  await until(async () => !isRunning(`sleep ${SLEEP}`) && (await readdir(place)).length === 0);
});
