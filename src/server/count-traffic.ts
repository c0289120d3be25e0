import { statusOf } from '../http/error-status.ts';
import type { RequestRecord } from '../http/request-log.ts';
import { clientAddress, networkOf } from '../http/trusted-proxies.ts';
import type { ApiServices } from '../web/api-services.ts';

/** Addresses whose networks are remembered: most requests come from few. */
const MAX_KNOWN = 4_096;
const REFUSED = statusOf('too-many-requests');

/** Creates the function that counts each request through a port when it has ended. */
export function createTrafficCount({ traffic, proxies }: ApiServices): (record: RequestRecord, status: number) => void {
  const networks = new Map<string, string>();
  const networkAt = (address: string) => {
    const known = networks.get(address);
    if (known !== undefined) return known;
    if (networks.size >= MAX_KNOWN) networks.clear();
    const network = networkOf(address);
    networks.set(address, network);
    return network;
  };
  return ({ isFromNetwork, headers, clientAddress: peer, userAgent, work, workMs }, status) => {
    if (!isFromNetwork) return;
    traffic.add({
      network: networkAt(clientAddress(headers, peer, proxies) ?? 'unknown'),
      agent: userAgent ?? 'unknown',
      work,
      isRefused: status === REFUSED && work !== undefined,
      milliseconds: workMs,
    });
  };
}
