import type { Log } from '../base/log.ts';
import type { Executor } from './executor.ts';
import { JobFailure } from './job-failure.ts';
import { EMBEDDED_ADDRESS } from './processor-address.ts';
import { abandon } from './processor-failure.ts';
import { createProcessorPool, type PoolChange } from './processor-pool.ts';

import { DEFAULT_POOL, type DerivativeRules, EMBEDDED_POOL, poolOf, scanPool } from './rules.ts';

export interface ExecutorOptions {
  /** From the server configuration. */
  readonly config: {
    /** Addresses of interchangeable processors; none: the embedded processor is used. */
    readonly processors: readonly string[];
    /** The maximum number of simultaneous jobs; undefined: chosen by the processors. */
    readonly maxConcurrent: number | undefined;
  };
  /** The processor of the same process, if there is one. */
  readonly processor: EmbeddedProcessor | undefined;
  readonly log: Log;
}

/** Creates an executor for each pool that this process serves. */
export function createExecutors(
  rules: DerivativeRules,
  { config, processor, log }: ExecutorOptions,
): ReadonlyMap<string, Executor> {
  const executors = new Map<string, Executor>();
  const { maxConcurrent, processors } = config;
  const embedded = processor && createEmbeddedExecutor(processor, maxConcurrent);
  if (embedded) executors.set(EMBEDDED_POOL, embedded);
  if (processors.length > 0) executors.set(DEFAULT_POOL, createNetworkExecutor(processors, maxConcurrent, log));
  else if (embedded) executors.set(DEFAULT_POOL, embedded);
  for (const action of rules.actions.values()) {
    const pool = poolOf(action);
    if (executors.has(pool) || !Array.isArray(action.processor)) continue;
    executors.set(pool, createNetworkExecutor(action.processor, maxConcurrent, log));
  }
  for (const [pool, executor] of [...executors]) executors.set(scanPool(pool), executor);
  return executors;
}

/** Default number of concurrent jobs per address: enough for a machine with a few cores. */
const DEFAULT_CONCURRENT_PER_ADDRESS = 4;

/** Creates an executor that balances jobs over processors at addresses, and suspends those that are down. */
function createNetworkExecutor(addresses: readonly string[], maxConcurrent: number | undefined, log: Log): Executor {
  const pool = createProcessorPool(addresses, {
    maxConcurrent: maxConcurrent ?? DEFAULT_CONCURRENT_PER_ADDRESS * addresses.length,
  });
  pool.onChange((change) => logChange(change, log));
  return {
    free: pool.free,
    missingFor: () => [],
    run: (job) =>
      pool.run((address, noteAnswer, noteEnd) =>
        job({
          address,
          noteAnswer,
          noteEnd,
          send: sendOverNetwork,
          stderrLine: () => undefined,
          exceeded: () => undefined,
        }),
      ),
    onChange: (listener) => pool.onChange(listener),
    stop: pool.stop,
  };
}

function logChange(change: PoolChange, log: Log): void {
  const processor = new URL(change.address).origin;
  if (change.change === 'opened') {
    const again = Math.round(change.restSeconds);
    log.warn({ processor, again_in_s: again }, `${change.failure.message} The next attempt is in ${again} s.`);
  } else if (change.change === 'closed') log.info({ processor }, `the processor at ${processor} answers again`);
}

/**
 * Sends a request with `fetch`, without its time limit, its decoding and its reuse of connections, which the server may
 * just be closing. Throws the errors of `fetch`, and a `permanent` JobFailure for an answer whose truncation could not be
 * detected: `fetch` detects a body that ends before its Content-Length or its last chunk, but accepts a body with neither
 * wherever the connection ends, even by a reset.
 */
export async function sendOverNetwork(request: Request): Promise<Response> {
  const response = await fetch(request, { timeout: false, decompress: false, keepalive: false });
  const { headers, status } = response;
  if (status !== 200) return response;
  const problem = isEncoded(headers)
    ? `is encoded (${headers.get('content-encoding')}), which was not requested`
    : 'has neither a Content-Length nor chunks, so that its truncation could not be detected';
  if (!isEncoded(headers) && (headers.has('content-length') || headers.has('transfer-encoding'))) return response;
  await abandon(response);
  const { origin } = new URL(request.url);
  throw new JobFailure('permanent', `The answer of the processor at ${origin} ${problem}.`, { status });
}

function isEncoded(headers: Headers): boolean {
  return !['', 'identity'].includes((headers.get('content-encoding') ?? '').toLowerCase());
}

/** The part of the embedded processor that jobs use. */
interface EmbeddedProcessor {
  readonly maxConcurrent: number;
  call(
    request: Request,
  ): Promise<{ response: Response; stderrLine(): string | undefined; exceeded(): string | undefined }>;
  missingFor(sourceType: string, destinationType: string): readonly string[];
  onChange(listener: () => void): void;
}

/** Creates an executor for the embedded processor: it runs `maxConcurrent` jobs at once, by default one per command slot. */
export function createEmbeddedExecutor(processor: EmbeddedProcessor, maxConcurrent: number | undefined): Executor {
  let running = 0;
  return {
    free: () => (maxConcurrent ?? processor.maxConcurrent) - running,
    missingFor: (sourceType, mimeType) => processor.missingFor(sourceType, mimeType),
    onChange: (listener) => processor.onChange(listener),
    async run(job) {
      running += 1;
      let isWorking = true;
      const noteEnd = () => {
        if (isWorking) running -= 1;
        isWorking = false;
      };
      let called: Awaited<ReturnType<EmbeddedProcessor['call']>> | undefined;
      try {
        return await job({
          address: EMBEDDED_ADDRESS,
          noteAnswer: () => {},
          noteEnd,
          stderrLine: () => called?.stderrLine(),
          exceeded: () => called?.exceeded(),
          async send(request) {
            called = await processor.call(request);
            return called.response;
          },
        });
      } finally {
        noteEnd();
      }
    },
    stop: () => {},
  };
}
