import type { Log } from '../base/log.ts';
import { abandon } from './answer-failure.ts';
import { JobFailure } from './job-failure.ts';
import type { Maker } from './maker.ts';
import { createProcessorPool, type PoolChange } from './processor-pool.ts';

/** So many jobs each address gets at once, where nothing else is configured: enough for a machine of a few cores. */
const USUAL_CONCURRENT_PER_ADDRESS = 4;

/** Processors at addresses as a maker: balanced, those that are down left alone for a while. */
export function createNetworkMaker(addresses: readonly string[], maxConcurrent: number | undefined, log: Log): Maker {
  const pool = createProcessorPool(addresses, {
    maxConcurrent: maxConcurrent ?? USUAL_CONCURRENT_PER_ADDRESS * addresses.length,
  });
  pool.onChange((change) => tell(change, log));
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

function tell(change: PoolChange, log: Log): void {
  const processor = new URL(change.address).origin;
  if (change.change === 'opened') {
    const again = Math.round(change.restSeconds);
    log.warn({ processor, again_in_s: again }, `${change.failure.message} It is left alone for ${again} s.`);
  } else if (change.change === 'closed') log.info({ processor }, `the processor at ${processor} answers again`);
}

/**
 * Sends a request with `fetch` and its comforts switched off: no time limit of its own, no decoding, and no
 * connection that was used before, as the other side may be closing it just then. Throws what `fetch` throws, and
 * a `permanent` JobFailure for an answer that could not be told from a part of it. `fetch` notices a body that
 * ends before its Content-Length or its last chunk; a body with neither is taken for whole wherever the connection
 * ends, even by a reset.
 */
export async function sendOverNetwork(request: Request): Promise<Response> {
  const response = await fetch(request, { timeout: false, decompress: false, keepalive: false });
  const { headers, status } = response;
  if (status !== 200) return response;
  const problem = isEncoded(headers)
    ? `is encoded (${headers.get('content-encoding')}), which was not asked for`
    : 'has neither a Content-Length nor chunks, so that a part could be taken for the whole';
  if (!isEncoded(headers) && (headers.has('content-length') || headers.has('transfer-encoding'))) return response;
  await abandon(response);
  const { origin } = new URL(request.url);
  throw new JobFailure('permanent', `The answer of the processor at ${origin} ${problem}.`, { status });
}

function isEncoded(headers: Headers): boolean {
  return !['', 'identity'].includes((headers.get('content-encoding') ?? '').toLowerCase());
}
