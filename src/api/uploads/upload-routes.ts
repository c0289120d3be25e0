import { ServiceError } from '../../base/errors.ts';
import type { UploadRow } from '../../database/schema/uploads.ts';
import { recordOf } from '../../http/request-log.ts';
import { pathOf, paths } from '../../paths.ts';
import { createUpload } from '../../repository/uploads/create-upload.ts';
import { otherRequest, receiveParts, tooLong } from '../../repository/uploads/receive-parts.ts';
import { removeUpload } from '../../repository/uploads/remove-uploads.ts';
import { requireRoomForUpload } from '../../repository/uploads/require-room.ts';
import type { ApiServices } from '../../web/api-services.ts';
import type { Call } from '../../web/call.ts';
import { type Rules, resource } from '../../web/check.ts';
import { describe } from '../../web/openapi/describe.ts';
import { json } from '../../web/respond.ts';
import * as described from './describe-uploads.ts';
import { allowUploads, findUploadOr404, uploadParams } from './find-upload-or-404.ts';
import { inTus, PART_TYPE, readNewUpload, readOffset, stateHeaders, tusAnswer, tusOptions } from './tus-headers.ts';

const check: Rules = { options: tusOptions };

/** Routes of uploads in parts, which continue after an interruption (tus 1.0.0). */
export const uploadRoutes = (api: ApiServices) =>
  resource(api)
    .post(paths.uploads, async ({ call }) => inTus(call.request, () => create(call)), {
      check,
      detail: describe(described.createUpload),
    })
    .get(paths.upload, async ({ call }) => inTus(call.request, () => show(call), { isOptional: true }), {
      check: { ...check, isOverridable: true },
      params: uploadParams,
      detail: describe(described.readUpload),
    })
    .patch(paths.upload, async ({ call }) => inTus(call.request, () => append(call)), {
      check: { ...check, accepts: PART_TYPE },
      params: uploadParams,
      detail: describe(described.appendToUpload),
    })
    .delete(paths.upload, async ({ call }) => inTus(call.request, () => remove(call)), {
      check,
      params: uploadParams,
      detail: describe(described.deleteUpload),
    });

async function create(call: Call): Promise<Response> {
  allowUploads(call);
  const { api, actor, request } = call;
  const wanted = readNewUpload(request);
  if (api.maxUploadBytes !== undefined && wanted.bytes > api.maxUploadBytes)
    throw new ServiceError('too-large', `The file is larger than the maximum of ${api.maxUploadBytes} bytes.`);
  await requireRoomForUpload(api.services, wanted);
  const upload = await createUpload(api.services, actor, wanted);
  const hasBytes = request.headers.get('content-type') === PART_TYPE;
  const received = hasBytes ? await receive(call, upload) : 0;
  return tusAnswer(201, {
    Location: `${call.baseUrl}${pathOf('upload', { upload: upload.id })}`,
    ...stateHeaders({ ...upload, received }),
  });
}

async function show(call: Call): Promise<Response> {
  const upload = await findUploadOr404(call);
  const { id, filename, bytes, received, sha256, mediaUuid, expires } = upload;
  const body = { id, filename, bytes, received, sha256, attached: mediaUuid !== null, expires };
  return json(JSON.stringify(body), 200, {
    'Cache-Control': 'no-store',
    'Tus-Resumable': '1.0.0',
    ...stateHeaders(upload),
  });
}

async function append(call: Call): Promise<Response> {
  const upload = await findUploadOr404(call);
  const offset = readOffset(call.request);
  if (offset !== upload.received) throw withOffset(otherRequest(), upload);
  const received = await receive(call, upload);
  return tusAnswer(204, stateHeaders({ ...upload, received }));
}

async function remove(call: Call): Promise<Response> {
  const upload = await findUploadOr404(call);
  await removeUpload(call.api.services, upload.id);
  return tusAnswer(204, {});
}

/** Stores the body of a request as parts of an upload. */
async function receive({ api, request }: Call, upload: UploadRow): Promise<number> {
  const length = request.headers.get('content-length');
  // Refuses a body that cannot fit before it is read.
  if (length !== null && upload.received + Number(length) > upload.bytes) throw tooLong(upload.bytes);
  if (request.body === null) return upload.received;
  const record = recordOf(request);
  // Disables the idle timeout: `minUploadRate` limits slow uploads.
  record.allowSilence();
  const received = await receiveParts(api.services, upload, {
    body: request.body,
    isFromNetwork: record.isFromNetwork,
    signal: request.signal,
    minRate: api.minUploadRate,
  });
  record.bytesIn = received - upload.received;
  return received;
}

function withOffset({ kind, publicMessage }: ServiceError, { received }: UploadRow): ServiceError {
  return new ServiceError(kind, publicMessage, { headers: { 'Upload-Offset': String(received) } });
}
