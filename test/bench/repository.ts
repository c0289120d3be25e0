import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { emptyFolder } from '../support/empty-folder.ts';
import type { ServerProcess } from '../support/server-process.ts';
import { ADMIN_PASSWORD } from '../support/test-repository.ts';
import { detailedNode } from './fill.ts';
import { load } from './raw-load.ts';
import { type Figure, inTurns, peakRssMb, ratioOf, report } from './report.ts';
import { bareServer, makeSite, megabytesPerSecond, requests, type Site, startRepository } from './repository-load.ts';

/**
 * The repository's figures, each a ratio to a baseline of the same run. `make bench` prints them all;
 * `repository.ts requests` or `repository.ts files` measures those alone.
 */

const SECONDS = 2;
const CLIENTS = 32;
const [only] = process.argv.slice(2);
const LARGE_BYTES = 2 * 1024 ** 3;

const folder = await emptyFolder();
const figures: Figure[] = [];
try {
  if (only === undefined || only === 'requests') await measureRequests();
  if (only === undefined || only === 'files') await measureFiles();
} finally {
  await rm(folder, { recursive: true, force: true });
}
report('Repository', figures);

async function measureRequests(): Promise<void> {
  const ours = await startRepository(join(folder, 'requests'));
  const site = await makeSite(ours.url);
  const path = `/node/${site.node}?_format=json`;
  const body = await (await fetch(`${ours.url}${path}`)).text();
  // Under the name and in the coding that the load asks for: both are part of what is tagged.
  const asked = await fetch(`${ours.url}${path}`, {
    headers: { Host: 'localhost', 'Accept-Encoding': 'identity' },
  });
  const etag = asked.headers.get('etag') ?? '';
  const bodyFile = join(folder, 'body.json');
  await Bun.write(bodyFile, body);
  const bare = await bareServer('body', bodyFile);
  const rate = async (port: number, head: string, statuses: number[]) =>
    (await load({ port, connections: CLIENTS, seconds: SECONDS, next: () => head, statuses })).perSecond;
  const bareGet = () => rate(bare.port, requests.get(path), [200]);
  await bareGet();
  await rate(ours.port, requests.get(path), [200]);

  const gets = await inTurns(() => rate(ours.port, requests.get(path), [200]), bareGet);
  figures.push(ratioOf(`GET of a node (${body.length} bytes), ${CLIENTS} clients`, gets, 0.3));
  const heads = await inTurns(
    () => rate(ours.port, requests.head(path), [200]),
    () => rate(ours.port, requests.get(path), [200]),
  );
  figures.push(ratioOf('HEAD, to our GET', heads, 1));
  const conditionals = await inTurns(
    () => rate(ours.port, requests.conditional(path, etag), [304]),
    () => rate(ours.port, requests.get(path), [200]),
  );
  figures.push(ratioOf('GET that is answered 304, to our GET', conditionals, 1));
  const withPasswords = await inTurns(() => rate(ours.port, requests.basic(path), [200]), bareGet);
  figures.push(ratioOf('GET with basic credentials', withPasswords, 0.25));
  bare.stop();
  await measureWrites(ours, site, body.length);
  await ours.stop();
}

async function measureWrites(ours: ServerProcess, site: Site, documentBytes: number): Promise<void> {
  const post = requests.post(JSON.stringify(detailedNode(site.targets)));
  const small = requests.post(JSON.stringify(site.smallNode));
  const rate = async (request: string) =>
    (await load({ port: ours.port, connections: CLIENTS, seconds: SECONDS, next: () => request, statuses: [201] }))
      .perSecond;
  await rate(post);
  const insertFile = join(folder, 'insert.db');
  const insert = async (bytes: number) => {
    const child = Bun.spawn(
      [process.execPath, `${import.meta.dir}/bare-insert.ts`, insertFile, String(bytes), String(SECONDS)],
      {
        stdout: 'pipe',
      },
    );
    return Number(await new Response(child.stdout).text());
  };
  const detailed = await inTurns(
    () => rate(post),
    () => insert(documentBytes),
  );
  figures.push(ratioOf('POST of a node with 20 fields and 10 references, to inserts one by one', detailed, 1));
  const plain = await inTurns(
    () => rate(small),
    () => insert(site.smallBytes),
  );
  figures.push(ratioOf('POST of a node with title and model, to inserts one by one', plain, 1));
}

async function measureFiles(): Promise<void> {
  const large = join(folder, 'large.bin');
  await makeLargeFile(large);
  const ours = await startRepository(join(folder, 'files'));
  const site = await makeSite(ours.url);
  let number = 0;
  const put = () => {
    number += 1;
    const url = `${ours.url}/node/${site.node}/media/file/${site.uses[number % site.uses.length]}`;
    const headers = ['Content-Type: application/zip', `Content-Location: public://large/${number}.zip`];
    return megabytesPerSecond(LARGE_BYTES, [
      ...['curl', '-sSf', '-o', '/dev/null', '-X', 'PUT', '-T', large, '-u', `admin:${ADMIN_PASSWORD}`],
      ...headers.flatMap((header) => ['-H', header]),
      url,
    ]);
  };
  const copy = join(folder, 'copy.bin');
  const tee = () => megabytesPerSecond(LARGE_BYTES, ['sh', '-c', `tee '${copy}' < '${large}' | sha256sum > /dev/null`]);
  const puts = await inTurns(put, tee);
  figures.push(ratioOf('PUT of 2 GiB, to tee copy | sha256sum', puts, 1, 'MB/s'));
  const rss = await peakRssMb(ours.pid);
  figures.push({ name: 'peak memory after that', ours: `${rss} MB`, limit: 150, value: rss });
  const bare = await bareServer('file', large);
  const read = (url: string) => megabytesPerSecond(LARGE_BYTES, ['curl', '-sSf', '-o', '/dev/null', url]);
  const reads = await inTurns(
    () => read(`${ours.url}/sites/default/files/large/1.zip`),
    () => read(`http://127.0.0.1:${bare.port}/`),
  );
  figures.push(ratioOf('GET of 2 GiB, to a bare Response(Bun.file())', reads, 0.9, 'MB/s'));
  bare.stop();
  await ours.stop();
}

async function makeLargeFile(path: string): Promise<void> {
  const writer = Bun.file(path).writer();
  const block = crypto.getRandomValues(new Uint8Array(64 * 1024));
  const blocks = Buffer.concat(Array.from({ length: 64 }, () => block));
  for (let written = 0; written < LARGE_BYTES; written += blocks.byteLength) {
    writer.write(blocks);
    await writer.flush();
  }
  await writer.end();
}
