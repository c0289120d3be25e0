import { ServiceError, unprocessable } from '../../base/errors.ts';
import type { FieldDefinition } from '../../model/content-model.ts';
import type { Destination } from '../files/content-location.ts';
import { uploadDestination } from '../files/upload-destination.ts';
import type { PutParts } from '../media/put-to-node.ts';

/** Returns where a file of that name is stored for a field. Throws `unprocessable` for a name that it does not accept. */
export function destinationOf(
  { services }: PutParts,
  field: FieldDefinition | undefined,
  filename: string,
): Destination {
  if (field === undefined) throw unprocessable('Media of this type have no captions.');
  const destination = uploadDestination(services, field, filename);
  if (destination !== undefined) return destination;
  throw new ServiceError('misconfigured', 'The storage for this field is not configured.', {
    cause: `field ${field.name} stores in ${field.uriScheme}, which is not configured`,
  });
}
