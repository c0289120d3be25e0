import { ServiceError } from '../../base/errors.ts';
import type { Services } from '../content/services.ts';
import { type Scheme, storeForNew } from '../files/scheme.ts';

/** Returns the store of new parts of uploads: that of most files, or the first one. */
export function storeOfParts(services: Pick<Services, 'model' | 'schemes'>): Scheme {
  const [type] = services.model.mediaTypes.values();
  const [any] = services.schemes.values();
  const scheme = services.schemes.get(type?.sourceField.uriScheme ?? 'public') ?? any;
  if (scheme !== undefined) return storeForNew(services, scheme);
  throw new ServiceError('misconfigured', 'No storage is configured for uploads.');
}
