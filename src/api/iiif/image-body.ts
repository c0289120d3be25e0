import { ServiceError } from '../../base/errors.ts';
import { recordOf } from '../../http/request-log.ts';
import type { ResponsePlan } from '../../iiif/image/plan-response.ts';
import type { ResolvedRequest } from '../../iiif/image/resolve-request.ts';
import type { ImageClient } from '../../iiif/image/shared-computations.ts';
import { storageOf } from '../../repository/files/scheme.ts';
import type { Call } from '../../web/call.ts';
import { spend } from '../../web/spend.ts';
import { sentBody } from '../files/file-body.ts';

/** Returns the client of an image, whose computation has a budget. */
export function imageClient(call: Call): ImageClient {
  return { ...call.client, admitted: (work) => spend(call, 'image', work) };
}

/** Returns the response with an image: one range of bytes of the storage, or the result of a command. */
export async function imageBody(
  call: Call,
  plan: ResponsePlan,
  resolved: ResolvedRequest,
  headers: Headers,
): Promise<Response> {
  const { api, request } = call;
  const record = recordOf(request);
  const isHead = request.method === 'HEAD';
  const respond = (bytes: number, body: () => BodyInit) => {
    if (!isHead) record.bytesOut = bytes;
    const response = new Response(isHead ? null : body(), { headers });
    response.headers.set('Content-Length', String(bytes));
    return response;
  };
  if (plan.kind === 'computed') {
    record.allowSilence();
    const made = await api.images.computed.read(plan, resolved, imageClient(call));
    if (isHead) await made.close();
    return respond(made.bytes, made.open);
  }
  const { file } = plan;
  const range = plan.kind === 'part' ? plan.range : undefined;
  const bytes = range === undefined ? file.filesize : range.last - range.first + 1;
  if (isHead) return respond(bytes, () => '');
  const { storage } = storageOf(api.services, file);
  const read = api.readForResponse(storage, { key: file.storageKey, range, bytes: file.filesize });
  const answer = await read.catch((error: unknown) => {
    if (!(error instanceof ServiceError) || error.kind !== 'storage-failed') throw error;
    const cause = new Error(file.uri, { cause: error.cause });
    throw new ServiceError('storage-failed', 'This image is temporarily unavailable.', { cause });
  });
  return respond(bytes, () => sentBody(api.services, request, answer, { uri: file.uri, isRange: false }));
}
