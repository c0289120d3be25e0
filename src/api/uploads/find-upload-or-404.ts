import { Type as t } from '@sinclair/typebox';
import { ServiceError } from '../../base/errors.ts';
import type { UploadRow } from '../../database/schema/uploads.ts';
import { uploadAccess } from '../../repository/access.ts';
import { findOwnUpload } from '../../repository/uploads/upload-rows.ts';
import type { Call } from '../../web/call.ts';

export const uploadParams = t.Object({ upload: t.String({ description: 'The id of the upload.' }) });

/** Allows uploads. Throws 401 or 403 for a caller who may neither create media nor replace their files. */
export function allowUploads(call: Call): void {
  call.allow(uploadAccess(call.actor, [...call.api.services.model.mediaTypes.keys()]));
}

/** Returns the upload of a path. Throws 404 for one that does not exist, has expired, or belongs to another user. */
export async function findUploadOr404(call: Call): Promise<UploadRow> {
  allowUploads(call);
  const upload = await findOwnUpload(call.api.services, call.actor, call.params.upload ?? '');
  if (upload !== undefined) return upload;
  throw new ServiceError('not-found', 'This upload does not exist. It may have expired, or belong to another user.');
}
