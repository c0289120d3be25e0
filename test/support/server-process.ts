import { resolve } from 'node:path';
import type { Mode } from '../../src/cli/settings.ts';
import type { RepositoryConfig } from '../../src/config/server-config.ts';
import { freePort } from './free-port.ts';
import { killAtExit } from './kill-at-exit.ts';
import { SiteBuilder } from './site-builder.ts';
import type { LogLine } from './test-processor.ts';
import { ADMIN_PASSWORD, type As, basic } from './test-repository.ts';
import { until } from './until.ts';

/** The compiled program, as `make build` leaves it. */
export const EXECUTABLE = resolve(import.meta.dir, '../../dist/repo');
const SOURCE = resolve(import.meta.dir, 'server-from-source.ts');
/** Bun takes the JSX settings of the folder in which it starts. */
const ROOT = resolve(import.meta.dir, '../..');

/** The maximum time for a start, in seconds. */
const MAX_START_S = 60;

/** A server in a process of its own, which ends with the process of the tests. */
export interface ServerProcess {
  /** Without a slash at the end. */
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  /** Everything it has logged so far, one parsed line each. */
  readonly log: LogLine[];
  /** The lines for people on standard output. */
  readonly text: string[];
  /** Warnings, errors and the lines on standard error, but for expected ones and refused requests. */
  readonly complaints: string[];
  /** Sends a request as the administrator, unless `init` says otherwise. Never sent twice. */
  fetch(path: string, init?: RequestInit & { as?: As }): Promise<Response>;
  readonly build: SiteBuilder;
  /** Resolves with the exit code when all that it has logged is read. */
  readonly exited: Promise<number>;
  /** Sends a signal (default: SIGKILL) and waits for the end. */
  kill(signal?: NodeJS.Signals): Promise<number>;
  /** Sends SIGTERM and waits for the end. */
  stop(): Promise<number>;
}

export interface ServerOptions {
  /** `source`: a repository by the code of `src`, without tiles of images (default: the compiled program). */
  readonly from?: 'source';
  /** What differs from the default configuration, for `source` only. */
  readonly settings?: Partial<RepositoryConfig>;
  /** Another compiled program. */
  readonly executable?: string;
  readonly mode?: Mode;
  /** The data folder. */
  readonly data?: string;
  /** The configuration file. */
  readonly config?: string;
  readonly workers?: number;
  readonly args?: readonly string[];
  readonly cwd?: string;
  /** Default: the search path, and the password of the tests for the administrator. */
  readonly env?: Record<string, string>;
  /** Default: a free port. */
  readonly port?: number;
  /** Whose certificates are believed, in PEM, if it answers with TLS. */
  readonly ca?: string;
  /** Texts of lines that are no complaints. */
  readonly expectedComplaints?: readonly string[];
  /** The file for its standard output, which is then not read. To be used with `--log-level`. */
  readonly outputFile?: string;
  /** Kills it, even before it is ready. */
  readonly signal?: AbortSignal;
}

/** Starts `repo serve` and waits until it is ready. Rejects if it ends before. */
export async function startServer(options: ServerOptions = {}): Promise<ServerProcess> {
  const { args = [], ca, outputFile, expectedComplaints = [], signal } = options;
  const port = options.port ?? (await freePort());
  const child = Bun.spawn(commandOf(options, port), {
    cwd: options.cwd ?? (isFromSource(options) ? ROOT : '/'),
    env: options.env ?? environmentOf(options),
    stdin: 'ignore',
    stdout: outputFile === undefined ? 'pipe' : Bun.file(outputFile),
    stderr: 'pipe',
    killSignal: 'SIGKILL',
    ...(signal && { signal }),
  });
  killAtExit(child);
  const [log, text, complaints]: [LogLine[], string[], string[]] = [[], [], []];
  const complain = (line: string) => {
    if (!expectedComplaints.some((expected) => line.includes(expected))) complaints.push(line);
  };
  const onLine = (line: string) => {
    if (!line.startsWith('{')) return text.push(line);
    const entry = JSON.parse(line) as LogLine & { readonly status?: number };
    log.push(entry);
    const isRefusal = entry.status !== undefined && entry.status < 500;
    if (entry.level !== 'info' && !isRefusal) complain(line);
  };
  const reading = Promise.all([
    child.stdout instanceof ReadableStream ? readLines(child.stdout, onLine) : undefined,
    readLines(child.stderr, complain),
  ]);
  const exited = child.exited.then(async (code) => {
    await reading;
    return code;
  });
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  const url = ca === undefined ? `http://127.0.0.1:${port}` : `https://localhost:${port}`;
  const tls = ca === undefined ? {} : { tls: { ca } };
  const isReady = () =>
    fetch(`${url}/healthcheck`, { keepalive: false, ...tls }).then(
      ({ ok }) => ok,
      () => false,
    );
  // A process answers before the lines that it has logged are read here; and another one may have taken its port.
  const isLogged = () => args.includes('--log-level') || log.some(({ msg }) => msg.startsWith('ready at'));
  const isUp = async () => {
    if ((await isReady()) && isLogged()) return true;
    if (hasEnded()) throw new Error(`repo exited with ${await exited}: ${complaints.join('\n')}`);
    return false;
  };
  await until(isUp, { what: 'repo is ready', seconds: MAX_START_S });
  const kill = (by: NodeJS.Signals = 'SIGKILL') => {
    child.kill(by);
    return exited;
  };
  const ask: ServerProcess['fetch'] = (path, { as = 'admin', ...init } = {}) => {
    const headers = new Headers(init.headers);
    if (!headers.has('Authorization') && !headers.has('Cookie')) headers.set('Authorization', basic(as));
    return fetch(`${url}${path}`, { redirect: 'manual', keepalive: false, ...tls, ...init, headers });
  };
  return {
    ...{ url, port, pid: child.pid, log, text, complaints, exited, kill },
    fetch: ask,
    build: new SiteBuilder({ fetch: ask }),
    stop: () => kill('SIGTERM'),
  };
}

const isFromSource = ({ from, settings }: ServerOptions) => from === 'source' || settings !== undefined;

function environmentOf(options: ServerOptions): Record<string, string | undefined> {
  return isFromSource(options) ? process.env : { PATH: process.env.PATH, REPO_ADMIN_PASSWORD: ADMIN_PASSWORD };
}

function commandOf(options: ServerOptions, port: number): string[] {
  const { executable = EXECUTABLE, mode, data, config, workers, settings = {}, args = [] } = options;
  if (isFromSource(options)) return [process.execPath, SOURCE, data ?? '', JSON.stringify(settings), `${port}`];
  const flags = Object.entries({ mode, data, config, workers }).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}`, `${value}`],
  );
  return [executable, 'serve', '--port', `${port}`, '--log-format', 'json', ...flags, ...args];
}

/** Calls for each whole line: a killed process may have written a part of its last one. */
async function readLines(stream: ReadableStream<Uint8Array>, onLine: (line: string) => void): Promise<void> {
  let rest = '';
  const decoder = new TextDecoder();
  for await (const chunk of stream) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line !== '') onLine(line);
  }
}
