import type { RepositoryConfig } from '../../src/config/server-config.ts';
import { basic } from './test-repository.ts';

/** A repository in another process. */
export interface RepositoryProcess {
  readonly url: string;
  readonly pid: number;
  /** The number of unfinished uploads that it removed at its start. */
  readonly removed: number;
  /** Warnings and errors that it has logged. */
  readonly complaints: string[];
  /** A request as the administrator, unless `init` says otherwise. Never sent twice. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** SIGKILL, and waits for the end. */
  kill(): Promise<void>;
  stop(): Promise<void>;
}

export interface StartingProcess {
  /** Rejects if the process ends before it is ready. */
  readonly ready: Promise<RepositoryProcess>;
  kill(): Promise<void>;
}

/** Starts a repository on a data folder, with the usual configuration but for `overrides`. Default: a free port. */
export function startRepositoryProcess(
  dataFolder: string,
  overrides: Partial<RepositoryConfig> = {},
  port = 0,
): StartingProcess {
  const script = `${import.meta.dir}/repository-child.ts`;
  const command = [process.execPath, script, dataFolder, JSON.stringify(overrides), String(port)];
  const child = Bun.spawn(command, { stdin: 'pipe', stdout: 'pipe', stderr: 'pipe' });
  const complaints: string[] = [];
  const reading = collect(child.stderr, complaints);
  const kill = async () => {
    child.kill('SIGKILL');
    await child.exited;
    await reading;
  };
  const open = async (): Promise<RepositoryProcess> => {
    const line = await firstLine(child.stdout);
    if (line === undefined) {
      await reading;
      throw new Error(`the repository did not start: ${complaints.join('')}`);
    }
    const { port, removed } = JSON.parse(line) as { port: number; removed: number };
    const url = `http://127.0.0.1:${port}`;
    return {
      url,
      pid: child.pid,
      removed,
      complaints,
      fetch: asAdministrator(url),
      kill,
      async stop() {
        child.stdin.end();
        await child.exited;
        await reading;
      },
    };
  };
  return { ready: open(), kill };
}

/** `RepositoryProcess.fetch` for the repository at an address. */
export function asAdministrator(url: string): RepositoryProcess['fetch'] {
  return (path, init = {}) => {
    const headers = new Headers(init.headers);
    if (!headers.has('Authorization') && !headers.has('Cookie')) headers.set('Authorization', basic('admin'));
    return fetch(`${url}${path}`, { redirect: 'manual', keepalive: false, ...init, headers });
  };
}

async function firstLine(stream: ReadableStream<Uint8Array>): Promise<string | undefined> {
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of stream) {
    text += decoder.decode(chunk, { stream: true });
    const end = text.indexOf('\n');
    if (end >= 0) return text.slice(0, end);
  }
  return undefined;
}

async function collect(stream: ReadableStream<Uint8Array>, lines: string[]): Promise<void> {
  const decoder = new TextDecoder();
  for await (const chunk of stream) lines.push(decoder.decode(chunk, { stream: true }));
}
