import { readFileSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { emptyFolder } from './empty-folder.ts';
import { Items } from './items.ts';
import { EXECUTABLE, type ServerProcess, startServer } from './server-process.ts';

/** A repository of several workers, in a folder of its own. */
export interface WorkerSite {
  readonly folder: string;
  readonly service: ServerProcess;
  readonly items: Items;
  /** Each request comes on a connection of its own, and so to any of the workers. As the administrator unless `init` says otherwise. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** The numbers of the workers that have answered a request whose `User-Agent` is this. */
  answeredBy(userAgent: string): Set<unknown>;
  /** The process ids of the workers. */
  workers(): number[];
  /** Runs another command of the program on the same data; throws if it fails. */
  repo(args: string[], stdin?: string): Promise<void>;
  remove(): Promise<void>;
}

/** Starts `repo serve --workers` on a new folder and waits until it is ready. `config` is what its file says. */
export async function startWorkerSite(count: number, config = '', args: string[] = []): Promise<WorkerSite> {
  const folder = await emptyFolder();
  const dataFolder = join(folder, 'data');
  const file = join(folder, 'repository.yaml');
  await writeFile(file, `data: ${dataFolder}\n${config.replaceAll('FOLDER', folder)}`);
  const service = await startServer({ config: file, workers: count, args });
  const items = new Items(() => service.url, dataFolder);
  return {
    folder,
    service,
    items,
    fetch: service.fetch,
    answeredBy: (userAgent) =>
      new Set(service.log.filter(({ user_agent }) => user_agent === userAgent).map(({ worker }) => worker)),
    workers: () => childrenOf(service.pid),
    async repo(more, stdin = '') {
      const command = [EXECUTABLE, ...more, '--config', file];
      const env = { PATH: process.env.PATH };
      const child = Bun.spawn(command, { env, stdin: Buffer.from(stdin), stdout: 'ignore', stderr: 'pipe' });
      if ((await child.exited) !== 0) throw new Error(await new Response(child.stderr).text());
    },
    async remove() {
      await service.stop();
      await rm(folder, { recursive: true });
    },
  };
}

/** The processes that a process has started and that still run, the oldest first. Linux tells. */
export function childrenOf(pid: number): number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return text === '' ? [] : text.split(' ').map(Number);
}

/** Returns true if a process exists and is no zombie. */
export function isRunning(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return stat.slice(stat.lastIndexOf(')') + 2)[0] !== 'Z';
  } catch {
    return false;
  }
}
