import { afterEach, describe, expect, it } from 'bun:test';
import { constants } from 'node:fs';
import { open, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { audit } from '../support/audit.ts';
import { emptyFolder } from '../support/empty-folder.ts';
import { freePort } from '../support/free-port.ts';
import { EXECUTABLE } from '../support/server-process.ts';
import { unfinishedUploads } from '../support/unfinished-uploads.ts';
import { until } from '../support/until.ts';
import { isRunning, startWorkerSite, type WorkerSite } from '../support/worker-site.ts';

const CLIENTS = 8;
const KILLS = 4;
const UPLOADS = 6;
/** Many times what a pipe holds. */
const LINES = 4_000;
const ALL_SIGNALS = ['SIGINT', 'SIGTERM'] as const;

let site: WorkerSite | undefined;
afterEach(async () => {
  await site?.remove();
  site = undefined;
});

async function start(config = '', args: string[] = []): Promise<WorkerSite> {
  site = await startWorkerSite(2, config, args);
  return site;
}

const says = ({ service }: WorkerSite, text: string) => service.log.filter(({ msg }) => String(msg).includes(text));

/** Starts an upload that sends its second half on `finish`; `status` resolves with its status, or `cut`. */
function slowUpload({ items }: WorkerSite, name: string) {
  const second = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const body = new ReadableStream({
    async start(controller) {
      controller.enqueue(new Uint8Array(100_000));
      begun.resolve();
      await second.promise;
      controller.enqueue(new Uint8Array(100_000));
      controller.close();
    },
  });
  const headers = { 'Content-Type': 'application/octet-stream', 'Content-Disposition': `file; filename="${name}.png"` };
  const status = items
    .fetch('/file/upload/media/image/field_media_image?_format=json', { method: 'POST', headers, body })
    .then(
      (response) => response.status,
      () => 'cut' as const,
    );
  return { begun: begun.promise, finish: () => second.resolve(), status };
}

async function slowUploads(at: WorkerSite) {
  const uploads = Array.from({ length: UPLOADS }, (_, index) => slowUpload(at, `${index}`));
  await Promise.all(uploads.map(({ begun }) => begun));
  await until(async () => (await unfinishedUploads(join(at.folder, 'data'))).length === UPLOADS, { seconds: 20 });
  return {
    finish: () => {
      for (const upload of uploads) upload.finish();
    },
    statuses: () => Promise.all(uploads.map(({ status }) => status)),
  };
}

describe('a worker that is killed under load', () => {
  it('loses only its running requests, and is replaced', async () => {
    const at = await start();
    const use = await at.service.build.termId('http://pcdm.org/use#OriginalFile');
    const model = await at.service.build.termId('http://purl.org/coar/resource_type/c_1843');
    const counts = { requests: 0, cut: 0, made: 0, put: 0 };
    const kept: { id: number; text: string | undefined }[] = [];
    let isOver = false;
    // Until a killed worker has ended, it may still get connections and close them, several of one client, too.
    let [kills, isEnding] = [0, false];
    const send = async (path: string, init: RequestInit, expected: number): Promise<Response | undefined> => {
      counts.requests += 1;
      const [killsBefore, wasEnding] = [kills, isEnding];
      const response = await at.fetch(path, init).catch(() => undefined);
      if (response === undefined) {
        if (kills === killsBefore && !wasEnding) throw new Error(`${path} was cut while no worker ended`);
        counts.cut += 1;
      } else if (response.status !== expected) throw new Error(`${path}: ${response.status}`);
      return response;
    };
    const client = async (name: number) => {
      for (let count = 0; !isOver; count++) {
        const body = JSON.stringify({
          type: [{ target_id: 'islandora_object' }],
          title: [{ value: `${name} ${count}` }],
          field_model: [{ target_id: model }],
        });
        const headers = { 'Content-Type': 'application/json' };
        const made = await send('/node?_format=json', { method: 'POST', headers, body }, 201);
        const id = Number(made?.headers.get('location')?.split('/').at(-1));
        if (!made || !id) continue;
        counts.made += 1;
        const node = { id, text: undefined as string | undefined };
        kept.push(node);
        const text = `${name} ${count} `.repeat(1_000);
        const put = await send(
          `/node/${id}/media/file/${use}`,
          {
            method: 'PUT',
            headers: { 'Content-Type': 'text/plain', 'Content-Location': `private://${name}/${count}.txt` },
            body: text,
          },
          201,
        );
        if (put) node.text = text;
        if (put) counts.put += 1;
        await (await send(`/node/${id}?_format=json`, {}, 200))?.arrayBuffer().catch(() => undefined);
      }
    };
    const clients = Array.from({ length: CLIENTS }, (_, name) => client(name));
    for (let kill = 1; kill <= KILLS; kill++) {
      const least = counts.requests + 2 * CLIENTS;
      await until(() => counts.requests > least, { seconds: 20 });
      const before = counts.requests - counts.cut;
      const worker = at.workers()[kill % 2] as number;
      [kills, isEnding] = [kill, true];
      process.kill(worker, 'SIGKILL');
      await until(() => !isRunning(worker), { seconds: 20 });
      // Requests that it may have got have their answers.
      const ended = counts.requests + 2 * CLIENTS;
      await until(() => counts.requests > ended, { seconds: 20 });
      isEnding = false;
      // While the place is empty, the other worker answers.
      await until(() => counts.requests - counts.cut > before + CLIENTS, { seconds: 20 });
      await until(() => says(at, 'is back').length === kill, { seconds: 20 });
    }
    isOver = true;
    await Promise.all(clients);
    console.log(`${KILLS} kills: ${JSON.stringify(counts)}`);
    expect(says(at, 'has ended by SIGKILL').map(({ level }) => level)).toEqual(Array(KILLS).fill('error'));
    for (const { id, text } of kept) {
      expect((await at.fetch(`/node/${id}?_format=json`)).status).toBe(200);
      if (text === undefined) continue;
      const [media] = (await (await at.fetch(`/node/${id}/media?_format=json`)).json()) as MediaJson[];
      const read = await at.fetch(new URL(media?.field_media_file[0]?.url ?? '', 'http://localhost').pathname);
      expect(await read.text()).toBe(text);
    }
    expect(await at.service.stop()).toBe(0);
    // What was in flight in the last one that was killed is for the next start to clear up.
    const found = (await audit(join(at.folder, 'data'), true)).filter((fault) => !fault.includes('/incoming/'));
    expect(found).toEqual([]);
  }, 90_000);
});

describe('a worker that hangs', () => {
  it('is killed and replaced while the other worker continues', async () => {
    const at = await start();
    const [hanging, working] = at.workers() as [number, number];
    process.kill(hanging, 'SIGSTOP');
    await until(() => says(at, 'is back').length === 1, { seconds: 90 });
    expect(says(at, 'has hung for 20 s: killing it')).toMatchObject([{ level: 'error', worker: 1 }]);
    expect(says(at, 'has ended by SIGKILL')).toHaveLength(1);
    expect(isRunning(hanging)).toBe(false);
    expect(isRunning(working)).toBe(true);
    expect((await at.fetch('/node/1?_format=json')).status).toBe(404);
  }, 120_000);
});

describe('a worker that cannot start', () => {
  it('is retried with exponential backoff while the other worker answers', async () => {
    const at = await start('siteName: One\n');
    const file = join(at.folder, 'repository.yaml');
    const data = `data: ${join(at.folder, 'data')}\n`;
    await writeFile(file, `${data}siteNam: One\n`);
    process.kill(at.workers()[1] as number, 'SIGTERM');
    await until(() => says(at, 'has ended').length >= 3, { seconds: 20 });
    const pauses = says(at, 'has ended').map(({ msg }) => String(msg).replace(/^.* has ended/, ''));
    expect(pauses.slice(0, 3)).toEqual([
      ' with exit code 0: another one takes its place in 0.1 s',
      ' with exit code 1: another one takes its place in 0.2 s',
      ' with exit code 1: another one takes its place in 0.4 s',
    ]);
    expect((await at.fetch('/node/1?_format=json')).status).toBe(404);
    await writeFile(file, `${data}siteName: Two\n`);
    await until(() => says(at, 'worker 2 is back').length === 1, { seconds: 20 });
    await until(() => says(at, 'with a changed configuration').length > 0, { seconds: 20 });
    expect(says(at, 'with a changed configuration').map(({ worker, level }) => ({ worker, level }))).toEqual([
      { worker: 2, level: 'warn' },
    ]);
  });
});

describe('signals', () => {
  it.each(ALL_SIGNALS)('%s to the parent and to every worker lets uploads finish', async (signal) => {
    const at = await start();
    const uploads = await slowUploads(at);
    const pids = at.workers();
    at.service.kill(signal);
    for (const pid of pids) process.kill(pid, signal);
    await until(() => says(at, 'stopping: waiting').length > 0, { seconds: 20 });
    expect(pids.some(isRunning)).toBe(true);
    uploads.finish();
    expect(await uploads.statuses()).toEqual(Array(UPLOADS).fill(201));
    expect(await at.service.exited).toBe(0);
    expect(pids.filter(isRunning)).toEqual([]);
    expect(says(at, 'has ended')).toEqual([]);
    expect(
      says(at, 'the repository has stopped')
        .map(({ worker }) => worker)
        .sort(),
    ).toEqual([1, 2]);
  });

  it('a second SIGTERM ends every process at once', async () => {
    const at = await start();
    const uploads = await slowUploads(at);
    const pids = at.workers();
    at.service.kill('SIGTERM');
    await until(() => says(at, 'stopping: waiting').length > 0, { seconds: 20 });
    at.service.kill('SIGTERM');
    expect(await at.service.exited).toBe(1);
    expect(pids.filter(isRunning)).toEqual([]);
    expect(await uploads.statuses()).toEqual(Array(UPLOADS).fill('cut'));
    uploads.finish();
  });

  it('SIGHUP to every process logs once that a restart would apply changes', async () => {
    const at = await start('siteName: One\n');
    await writeFile(join(at.folder, 'repository.yaml'), `data: ${join(at.folder, 'data')}\nsiteName: Two\n`);
    at.service.kill('SIGHUP');
    for (const pid of at.workers()) process.kill(pid, 'SIGHUP');
    await until(() => says(at, 'configuration read again').length === 2, { seconds: 20 });
    await until(() => says(at, 'restart to apply the changes').length > 0, { seconds: 20 });
    expect({ code: await at.service.stop(), logged: says(at, 'restart to apply the changes').length }).toEqual({
      code: 0,
      logged: 1,
    });
  });

  it('SIGKILL to the parent lets the workers finish and end', async () => {
    const at = await start();
    const uploads = await slowUploads(at);
    const pids = at.workers();
    at.service.kill('SIGKILL');
    const isOpen = () =>
      at.fetch('/healthcheck').then(
        () => true,
        () => false,
      );
    await until(async () => !(await isOpen()), { seconds: 20 });
    uploads.finish();
    expect(await uploads.statuses()).toEqual(Array(UPLOADS).fill(201));
    await until(() => !pids.some(isRunning), { seconds: 20 });
    expect(await audit(join(at.folder, 'data'), true)).toEqual([]);
  });
});

describe('the log', () => {
  it('is complete after a pause of its reader, which delays no request', async () => {
    const folder = await emptyFolder();
    const [fifo, lines] = [join(folder, 'fifo'), join(folder, 'lines')];
    Bun.spawnSync(['mkfifo', fifo]);
    // Without a reader, a writer would not even start.
    const held = await open(fifo, constants.O_RDONLY | constants.O_NONBLOCK);
    const port = await freePort();
    const serve = `exec "$0" serve --workers 2 --data "${folder}/data" --port ${port} --log-format json > "${fifo}"`;
    const service = Bun.spawn(['sh', '-c', serve, EXECUTABLE], { stderr: 'inherit' });
    const answered = (path: string) =>
      fetch(`http://127.0.0.1:${port}${path}`).then(
        ({ status }) => status === 404,
        () => false,
      );
    await until(() => answered('/node/1'), { seconds: 20 });
    let answers = 0;
    const client = async () => {
      for (let count = 0; count < LINES / CLIENTS; count++) if (await answered('/node/2')) answers += 1;
    };
    await Promise.all(Array.from({ length: CLIENTS }, client));
    expect(answers).toBe(LINES);
    const reader = Bun.spawn(['cat', fifo], { stdout: Bun.file(lines) });
    // Without any reader the pipe would be broken.
    await until(() => Bun.file(lines).size > 0, { seconds: 20 });
    await held.close();
    service.kill('SIGTERM');
    expect({ service: await service.exited, reader: await reader.exited }).toEqual({ service: 0, reader: 0 });
    const text = (await readFile(lines, 'utf8')).split('\n').filter((line) => line.startsWith('{'));
    const paths = text.map((line) => JSON.parse(line).path);
    expect(paths.filter((path) => path === '/node/2')).toHaveLength(LINES);
    await rm(folder, { recursive: true });
  }, 30_000);
});

interface MediaJson {
  readonly field_media_file: readonly { readonly url: string }[];
}
