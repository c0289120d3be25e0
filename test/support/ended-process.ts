import { type ProcessIdentity, thisProcess } from '../../src/base/process-identity.ts';

/** A process of this host that is no more. */
export function endedProcess(): ProcessIdentity {
  const { pid } = Bun.spawnSync(['true']);
  return { host: thisProcess().host, pid, start: 1 };
}
