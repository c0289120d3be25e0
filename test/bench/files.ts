import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { emptyFolder } from '../support/empty-folder.ts';
import { EXECUTABLE, type ServerProcess } from '../support/server-process.ts';
import { nginxServer } from './nginx.ts';
import { load } from './raw-load.ts';
import { type Figure, ratioOf, report, warmInTurns } from './report.ts';
import { bareServer, itemWithThumbnails, makeSite, requests, startRepository } from './repository-load.ts';

/**
 * Downloads of small files that everyone may read, to a bare server in the same run, and of the page that shows them, to
 * nginx. `REPO_EARLIER=/path/to/repo` adds an earlier build of the program, so that both are measured in turns.
 */

const FILE_BYTES = 20_000;
const FILES = 24;
const ROUNDS = 9;
const SECONDS = 2;
const CLIENTS = 32;
const earlier = process.env.REPO_EARLIER;

/** A repository with an item whose members have a thumbnail each. */
interface Filled {
  readonly server: ServerProcess;
  /** The paths of the item and of the thumbnails that its page shows. */
  readonly page: string;
  readonly thumbnails: readonly string[];
}

const folder = await emptyFolder();
const started: ServerProcess[] = [];
const figures: Figure[] = [];
try {
  const ours = await startFilled(EXECUTABLE, 'ours');
  const path = join(folder, 'bare.bin');
  await Bun.write(path, picture(0));
  const bare = await bareServer('file', path);
  const rates = await warmInTurns(filesOf(ours), () => rate(bare, [requests.get('/')]), ROUNDS);
  figures.push(ratioOf(`GET of a public file of ${FILE_BYTES / 1_000} KB, to a bare Response(Bun.file())`, rates, 0.6));
  bare.stop();
  if (earlier !== undefined) {
    const both = await warmInTurns(filesOf(ours), filesOf(await startFilled(earlier, 'earlier')), ROUNDS);
    figures.push(ratioOf('The same, to the earlier build', both, 0.95));
  }
  const nginx = await nginxServer(join(folder, 'nginx'), await bytesOf(ours));
  const pages = await warmInTurns(pagesOf(ours, ours.server), pagesOf(ours, nginx), ROUNDS);
  figures.push(ratioOf(`A page with its ${FILES} thumbnails, to nginx with the same bytes`, pages, 0.5));
  nginx.stop();
} finally {
  for (const server of started) await server.stop();
  await rm(folder, { recursive: true, force: true });
}
report('Files', figures);

async function startFilled(executable: string, name: string): Promise<Filled> {
  const server = await startRepository(join(folder, name), executable);
  started.push(server);
  const { url } = server;
  const parent = await itemWithThumbnails(
    url,
    await makeSite(url),
    Array.from({ length: FILES }, (_, number) => picture(number)),
  );
  const page = `/node/${parent}`;
  const html = await (await fetch(`${url}${page}`, { headers: { Accept: 'text/html' } })).text();
  const thumbnails = [...new Set(html.match(/\/sites\/default\/files\/thumbnail-\d+\.png/g))];
  if (thumbnails.length !== FILES) throw new Error(`the page shows ${thumbnails.length} thumbnails`);
  return { server, page, thumbnails };
}

function picture(number: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(FILE_BYTES).fill(number);
  bytes.set([0x89, 0x50, 0x4e, 0x47]);
  return bytes;
}

/** Returns the bytes of a page and of its thumbnails by their paths. */
async function bytesOf({ server, page, thumbnails }: Filled): Promise<Map<string, Uint8Array>> {
  const found = new Map<string, Uint8Array>();
  for (const path of [page, ...thumbnails]) {
    const response = await fetch(`${server.url}${path}`, { headers: { Accept: 'text/html' } });
    found.set(path, await response.bytes());
  }
  return found;
}

function filesOf({ server, thumbnails }: Filled): () => Promise<number> {
  return () => rate(server, thumbnails.map(requests.get));
}

/** The rate of pages with all of their thumbnails. Each client asks for one after the other. */
function pagesOf({ page, thumbnails }: Filled, server: { readonly port: number }): () => Promise<number> {
  const all = [requests.page(page), ...thumbnails.map(requests.get)];
  return async () => (await rate(server, all)) / all.length;
}

async function rate({ port }: { readonly port: number }, all: readonly string[]): Promise<number> {
  const next = (_: number, sent: number) => all[sent % all.length] as string;
  return (await load({ port, connections: CLIENTS, seconds: SECONDS, next, statuses: [200] })).perSecond;
}
