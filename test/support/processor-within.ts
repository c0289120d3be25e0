import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createLog } from '../../src/base/log.ts';
import type { OwnSources } from '../../src/processor/own-sources.ts';
import { type CallAnswer, createProcessor, type Processor } from '../../src/server/processor.ts';
import { emptyFolder } from './empty-folder.ts';
import type { LogLine } from './test-processor.ts';

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
  const folder = await emptyFolder();
  const file = join(folder, 'cmds.yaml');
  await writeFile(file, yaml);
  const log: LogLine[] = [];
  const destination = { write: (line: string) => void log.push(JSON.parse(line)) };
  const processor = await createProcessor({
    source: { file, mayLack: true },
    log: createLog({ level: 'info', format: 'json', destination }),
    searchIntervalMs: SEARCH_INTERVAL_MS,
    ...(repository && { repository }),
  });
  const at = 'http://localhost/';
  return {
    processor,
    log,
    post: (type, body, headers) =>
      processor.call(new Request(at, { method: 'POST', body, headers: { 'Content-Type': type, ...headers } })),
    get: (source, headers, signal) =>
      processor.call(
        new Request(at, { headers: { 'Apix-Ldp-Resource': source, ...headers }, ...(signal && { signal }) }),
      ),
    async reload(text) {
      await writeFile(file, text);
      await processor.reload();
    },
    async stop() {
      await processor.stop(1);
      await rm(folder, { recursive: true });
    },
  };
}
