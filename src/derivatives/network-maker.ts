import type { Log } from '../base/log.ts';
import type { Maker } from './maker.ts';
import { createProcessorPool, type PoolChange } from './processor-pool.ts';
import { sendOverNetwork } from './send-over-network.ts';

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
