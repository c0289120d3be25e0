import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { emptyFolder } from '../support/empty-folder.ts';
import { EXECUTABLE, type StartedExecutable } from '../support/executable.ts';
import { basic } from '../support/test-repository.ts';
import { load } from './raw-load.ts';
import { type Figure, ratioOf, report, warmInTurns } from './report.ts';
import { bareServer, makeSite, requests, startRepository } from './repository-load.ts';

/**
 * Downloads of small files that everyone may read, to a bare server in the same run. `REPO_EARLIER=/path/to/repo` adds
 * an earlier build of the program, so that both are measured in turns.
 */

const FILE_BYTES = 20_000;
const FILES = 24;
const ROUNDS = 9;
const SECONDS = 2;
const CLIENTS = 32;
const earlier = process.env.REPO_EARLIER;

const folder = await emptyFolder();
const started: StartedExecutable[] = [];
const figures: Figure[] = [];
try {
  const rateOf = async (executable: string, name: string) => {
    const server = await start(executable, name);
    const paths = await fill(server.url);
    return () => rate(server.port, (sent) => requests.get(paths[sent % paths.length] as string));
  };
  const ours = await rateOf(EXECUTABLE, 'ours');
  const path = join(folder, 'bare.bin');
  await Bun.write(path, picture(0));
  const bare = await bareServer('file', path);
  const rates = await warmInTurns(ours, () => rate(bare.port, () => requests.get('/')), ROUNDS);
  figures.push(ratioOf(`GET of a public file of ${FILE_BYTES / 1_000} KB, to a bare Response(Bun.file())`, rates, 0.6));
  bare.stop();
  if (earlier !== undefined) {
    const both = await warmInTurns(ours, await rateOf(earlier, 'earlier'), ROUNDS);
    figures.push(ratioOf('The same, to the earlier build', both, 0.95));
  }
} finally {
  for (const server of started) await server.stop();
  await rm(folder, { recursive: true, force: true });
}
report('Files', figures);

async function start(executable: string, name: string): Promise<StartedExecutable> {
  const server = await startRepository(join(folder, name), executable);
  started.push(server);
  return server;
}

/** Makes nodes with a thumbnail each, and returns the addresses of the thumbnails. */
async function fill(url: string): Promise<string[]> {
  const { smallNode, uses } = await makeSite(url);
  const headers = { Authorization: basic('admin') };
  const paths: string[] = [];
  for (let number = 0; number < FILES; number++) {
    const made = await fetch(`${url}node?_format=json`, {
      method: 'POST',
      headers: { ...headers, 'Content-Type': 'application/json' },
      body: JSON.stringify(smallNode),
    });
    const { nid } = (await made.json()) as { nid: { value: number }[] };
    const put = await fetch(`${url}node/${nid[0]?.value}/media/image/${uses[0]}`, {
      method: 'PUT',
      headers: { ...headers, 'Content-Type': 'image/png', 'Content-Location': `public://thumbnail-${number}.png` },
      body: picture(number),
    });
    if (put.status !== 201) throw new Error(`PUT ${number}: ${put.status} ${await put.text()}`);
    paths.push(`/sites/default/files/thumbnail-${number}.png`);
  }
  return paths;
}

function picture(number: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(FILE_BYTES).fill(number);
  bytes.set([0x89, 0x50, 0x4e, 0x47]);
  return bytes;
}

async function rate(port: number, request: (sent: number) => string): Promise<number> {
  const next = (_: number, sent: number) => request(sent);
  return (await load({ port, connections: CLIENTS, seconds: SECONDS, next, statuses: [200] })).perSecond;
}
