import { ServiceError } from '../../base/errors.ts';
import { recordOf } from '../../http/request-log.ts';
import type { ResponsePlan } from '../../iiif/image/plan-response.ts';
import type { ResolvedRequest } from '../../iiif/image/resolve-request.ts';
import { storageOf } from '../../repository/files/scheme.ts';
import type { ApiServices } from '../api-services.ts';
import { storedBody, wholeBody } from '../files/file-body.ts';

/** Returns the response with an image: one range of bytes of the storage, or the result of a command. */
export async function imageBody(
  api: ApiServices,
  request: Request,
  plan: ResponsePlan,
  resolved: ResolvedRequest,
  headers: Record<string, string>,
): Promise<Response> {
  const record = recordOf(request);
  const isHead = request.method === 'HEAD';
  const begin = (bytes: number) => {
    headers['Content-Length'] = String(bytes);
    if (isHead) return;
    record.bytesOut = bytes;
    // A slow client causes silence on the connection while its buffers are full.
    record.allowSilence();
  };
  if (plan.kind === 'computed') {
    record.allowSilence();
    const made = await api.images.computed.read(plan, resolved);
    begin(made.bytes);
    if (!isHead) return new Response(made.open(), { headers });
    await made.close();
    return new Response(null, { headers });
  }
  const { file } = plan;
  const range = plan.kind === 'part' ? plan.range : undefined;
  begin(range === undefined ? file.filesize : range.last - range.first + 1);
  if (isHead) return new Response(null, { headers });
  const { storage } = storageOf(api.services, file);
  const body = await storage.read(file.storageKey, range, file.filesize).catch((error: unknown) => {
    if (!(error instanceof ServiceError) || error.kind !== 'storage-failed') throw error;
    const cause = new Error(file.uri, { cause: error.cause });
    throw new ServiceError('storage-failed', 'This image is temporarily unavailable.', { cause });
  });
  if (!(body instanceof Blob)) return new Response(storedBody(api.services, file.uri, body), { headers });
  // Bun applies `Range` to a blob.
  return new Response(request.headers.has('range') ? wholeBody(body) : body, { headers });
}
