import { type RequestRecord, type RequestUse, recordOf } from '../http/request-log.ts';
import { clientAddress } from '../http/trusted-proxies.ts';
import type { ApiServices } from './api-services.ts';
import type { Call } from './call.ts';

/** The statuses with which a caller gets content, or learns that the own copy is current (COUNTER Code of Practice 5.1, 7.1). */
const COUNTED: ReadonlySet<number> = new Set([200, 206, 304, 307]);

/** Notes that a GET is a use of a node's page or of a file. It counts if its answer succeeds (`countUse`). */
export function noteUse({ api, request, actor, peer = '' }: Call, kind: RequestUse['kind'], id: number): void {
  const { headers, method } = request;
  if (api.usage.counter === undefined || method !== 'GET') return;
  // A browser that loads a page which its user may never see.
  if (kind === 'page' && headers.has('sec-purpose')) return;
  const address = headers.has('x-forwarded-for') ? (clientAddress(headers, peer, api.proxies) ?? '') : peer;
  recordOf(request).use = { kind, id, userId: actor.isAuthenticated ? actor.id : 0, address };
}

/** Counts the use that a request has been. */
export function countUse(
  { usage }: Pick<ApiServices, 'usage'>,
  { use, userAgent }: RequestRecord,
  status: number,
): void {
  if (use !== undefined && COUNTED.has(status)) usage.counter?.add(use, userAgent ?? '');
}
