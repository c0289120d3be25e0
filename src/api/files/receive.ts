import { malformed } from '../../base/errors.ts';
import { parseDigests } from '../../http/digest-fields.ts';
import { recordOf } from '../../http/request-log.ts';
import { type IncomingFile, type IngestedBytes, ingest } from '../../repository/files/ingest.ts';
import type { Scheme } from '../../repository/files/scheme.ts';
import type { Call } from '../../web/call.ts';

/**
 * Stores the body of a request in the storage of a scheme. Rejects an empty body unless `mayBeEmpty` (spec:
 * rest-behaviour, 5.1 step 10). `limit` overrides the server's limit on files.
 */
export async function receive(
  { api, request }: Call,
  store: Scheme,
  uri?: string,
  mayBeEmpty = false,
  limit: Pick<IncomingFile, 'maxBytes' | 'beyond'> = { maxBytes: api.maxUploadBytes },
): Promise<IngestedBytes> {
  const record = recordOf(request);
  const length = request.headers.get('content-length');
  // Disables the idle timeout: `minUploadRate` limits slow uploads.
  record.allowSilence();
  const ingested = await ingest(store, {
    body: request.body,
    isFromNetwork: record.isFromNetwork,
    declaredBytes: length === null ? undefined : Number(length),
    digests: parseDigests(request.headers),
    ...limit,
    minRate: api.minUploadRate,
    signal: request.signal,
  });
  record.bytesIn = ingested.staged.bytes;
  if (ingested.staged.bytes > 0 || mayBeEmpty) return ingested;
  await ingested.staged.discard();
  throw malformed(uri === undefined ? 'The body is empty.' : `The body is empty: nothing was stored at ${uri}.`);
}
