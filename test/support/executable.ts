import { resolve } from 'node:path';
import { freePort } from './free-port.ts';
import { killAtExit } from './kill-at-exit.ts';
import { until } from './until.ts';

/** The compiled program, as `make build` leaves it. */
export const EXECUTABLE = resolve(import.meta.dir, '../../dist/repo');

/** The maximum time for a start, in seconds. */
const MAX_START_S = 60;

export interface StartedExecutable {
  url: string;
  port: number;
  pid: number;
  /** Everything it has logged so far, one parsed line each. */
  log: Record<string, unknown>[];
  /** The lines for people on standard output. */
  text: string[];
  kill(signal: NodeJS.Signals): void;
  /** Resolves with the exit code when all that it has logged is read. */
  exited: Promise<number>;
  /** Sends SIGTERM and waits for the end. */
  stop(): Promise<number>;
}

export interface ExecutableOptions {
  executable?: string;
  args?: string[];
  cwd?: string;
  env?: Record<string, string>;
  /** Default: a free port. */
  port?: number;
  /** Whose certificates are believed, in PEM, if it answers with TLS. */
  ca?: string;
  /**
   * The file for its standard output, which is then not read: `log` and `text` stay empty. To be used with `--log-level`.
   * Default: a pipe.
   */
  outputFile?: string;
}

/** Starts `repo serve --mode processor` with a configuration file and waits until it is ready. */
export function startExecutable(config: string, options: ExecutableOptions = {}): Promise<StartedExecutable> {
  return startServe({ ...options, args: ['--mode', 'processor', '--config', config, ...(options.args ?? [])] });
}

/** Starts `repo serve` and waits until it is ready. */
export async function startServe(options: ExecutableOptions = {}): Promise<StartedExecutable> {
  const { executable = EXECUTABLE, args = [], cwd = '/', env = { PATH: process.env.PATH ?? '' }, outputFile } = options;
  const port = options.port ?? (await freePort());
  const child = Bun.spawn([executable, 'serve', '--port', String(port), '--log-format', 'json', ...args], {
    cwd,
    env,
    stdin: 'ignore',
    stdout: outputFile === undefined ? 'pipe' : Bun.file(outputFile),
    stderr: 'pipe',
  });
  killAtExit(child);
  const log: Record<string, unknown>[] = [];
  const text: string[] = [];
  const onLine = (line: string) => (line.startsWith('{') ? log.push(JSON.parse(line)) : text.push(line));
  const reading = child.stdout instanceof ReadableStream ? readLines(child.stdout, onLine) : undefined;
  const exited = child.exited.then(async (code) => {
    await reading;
    return code;
  });
  const stderr = new Response(child.stderr).text();
  const { ca } = options;
  const url = ca === undefined ? `http://127.0.0.1:${port}/` : `https://localhost:${port}/`;
  const isUp = async () => {
    if (await isReady(url, ca)) return true;
    if (child.exitCode !== null) throw new Error(`repo exited with ${child.exitCode}: ${await stderr}`);
  };
  await until(isUp, { what: 'repo is ready', seconds: MAX_START_S });
  const isSaid = () => log.some(({ msg }) => String(msg).startsWith('ready at'));
  // A process answers before the lines that it has logged are read here.
  if (!args.includes('--log-level')) await until(() => isSaid() || child.exitCode !== null);
  return {
    url,
    port,
    pid: child.pid,
    log,
    text,
    kill: (signal) => child.kill(signal),
    exited,
    stop() {
      child.kill('SIGTERM');
      return exited;
    },
  };
}

async function isReady(url: string, ca: string | undefined): Promise<boolean> {
  try {
    return (await fetch(`${url}healthcheck`, ca === undefined ? {} : { tls: { ca } })).ok;
  } catch {
    return false;
  }
}

async function readLines(stream: ReadableStream<Uint8Array>, onLine: (line: string) => void): Promise<void> {
  let rest = '';
  const decoder = new TextDecoder();
  for await (const chunk of stream) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) onLine(line);
  }
}
