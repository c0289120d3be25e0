import { ServiceError } from '../base/errors.ts';
import { parseMediaType } from '../base/media-type.ts';

/** Throws `unsupported-media-type` for a request whose Content-Type is missing, or another one than the accepted one. */
export function checkContentType(accepted: string, request: Request): void {
  const contentType = request.headers.get('content-type');
  if (contentType === null || contentType.trim() === '')
    throw new ServiceError('unsupported-media-type', 'The header Content-Type is missing.');
  if (parseMediaType(contentType) !== accepted)
    throw new ServiceError(
      'unsupported-media-type',
      `The Content-Type ${JSON.stringify(contentType.slice(0, 100))} is not supported here. Send ${accepted}.`,
    );
}
