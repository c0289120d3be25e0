import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createLog } from '../../src/base/log.ts';
import type { OwnSources } from '../../src/processor/own-sources.ts';
import { type CallAnswer, createProcessor, type Processor, startProcessor } from '../../src/server/processor.ts';
import { emptyFolder } from './empty-folder.ts';
import { until } from './until.ts';

export type LogLine = Record<string, unknown> & { msg: string; level: string };

export interface TestProcessor {
  url: string;
  port: number;
  configFile: string;
  /** Every line logged so far. */
  log: LogLine[];
  /** The log line of the last finished request since the last call, once one with this status is there. */
  lastRequest(status?: number): Promise<LogLine>;
  post(type: string, body: Bun.BodyInit, headers?: Record<string, string>): Promise<Response>;
  get(source: string, headers?: Record<string, string>): Promise<Response>;
  /** The value of a metric without labels. */
  metric(name: string): Promise<number>;
  reload(yaml: string): Promise<void>;
  stop(timeoutSeconds?: number): Promise<void>;
}

/** A real processor on a port of its own, with the configuration given as YAML. */
export async function createTestProcessor(yaml: string, host?: string): Promise<TestProcessor> {
  const { folder, configFile, log, output } = await configured(yaml);
  const service = await startProcessor({ source: { file: configFile, mayLack: false }, host, port: 0, log: output });
  const url = `http://127.0.0.1:${service.url.port}/`;
  let seen = 0;
  return {
    url,
    port: Number(service.url.port),
    configFile,
    log,
    async lastRequest(status) {
      const isIt = (line: LogLine) => line.method !== undefined && (status ?? line.status) === line.status;
      await until(() => log.slice(seen).some(isIt));
      const last = log.slice(seen).findLast(isIt) as LogLine;
      seen = log.length;
      return last;
    },
    post: (type, body, headers) =>
      fetch(url, {
        method: 'POST',
        body: body as NonNullable<RequestInit['body']>,
        headers: { 'Content-Type': type, ...headers },
        keepalive: false,
      }),
    get: (source, headers) => fetch(url, { headers: { 'Apix-Ldp-Resource': source, ...headers }, keepalive: false }),
    async metric(name) {
      const text = await (await fetch(`${url}metrics`, { keepalive: false })).text();
      return Number(text.match(new RegExp(`^${name} (\\d+)$`, 'm'))?.[1]);
    },
    async reload(text) {
      await writeFile(configFile, text);
      await service.reload();
    },
    async stop(timeoutSeconds = 1) {
      await service.stop(timeoutSeconds);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Far more often than in earnest, so that no test waits a minute. */
const SEARCH_INTERVAL_MS = 20;

export interface TestProcessorWithin {
  processor: Processor;
  log: LogLine[];
  /** Calls it with a file. */
  post(type: string, body: string, headers?: Record<string, string>): Promise<CallAnswer>;
  /** Calls it with the address of a file. */
  get(source: string, headers?: Record<string, string>, signal?: AbortSignal): Promise<CallAnswer>;
  reload(yaml: string): Promise<void>;
  stop(): Promise<void>;
}

/** A real processor without a port, as a repository has it, with the configuration given as YAML. */
export async function createProcessorWithin(yaml: string, repository?: OwnSources): Promise<TestProcessorWithin> {
  const { folder, configFile, log, output } = await configured(yaml);
  const processor = await createProcessor({
    source: { file: configFile, mayLack: true },
    log: output,
    searchIntervalMs: SEARCH_INTERVAL_MS,
    ...(repository && { repository }),
  });
  const call = (init: RequestInit) => processor.call(new Request('http://localhost/', init));
  return {
    processor,
    log,
    post: (type, body, headers) => call({ method: 'POST', body, headers: { 'Content-Type': type, ...headers } }),
    get: (source, headers, signal) =>
      call({ headers: { 'Apix-Ldp-Resource': source, ...headers }, ...(signal && { signal }) }),
    async reload(text) {
      await writeFile(configFile, text);
      await processor.reload();
    },
    async stop() {
      await processor.stop(1);
      await rm(folder, { recursive: true });
    },
  };
}

async function configured(yaml: string) {
  const folder = await emptyFolder();
  const configFile = join(folder, 'cmds.yaml');
  await writeFile(configFile, yaml);
  const log: LogLine[] = [];
  const destination = { write: (line: string) => void log.push(JSON.parse(line)) };
  return { folder, configFile, log, output: createLog({ level: 'info', format: 'json', destination }) };
}

/** A command that ends with its input on standard output once the test opens a gate. */
export async function createGate(): Promise<{ script: string; open(): Promise<void> }> {
  const file = join(await emptyFolder(), 'open');
  return { script: `cat; until [ -e ${file} ]; do sleep 0.01; done`, open: () => writeFile(file, '') };
}
