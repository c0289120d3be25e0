import { ServiceError } from '../../base/errors.ts';
import { splitUri } from '../../paths.ts';
import type { Scheme, Services } from '../services.ts';

/** The scheme of a stream URI, as `public` of `public://a.png`. */
export function schemeOf(uri: string): string {
  return splitUri(uri)[0];
}

/** The storage behind a stream URI that a row names. Throws if the configuration has lost it. */
export function storageOf(services: Services, uri: string): Scheme {
  const scheme = services.schemes.get(schemeOf(uri));
  if (scheme) return scheme;
  throw new ServiceError('misconfigured', 'The storage of this file is not configured.', {
    cause: `no storage scheme ${schemeOf(uri)} for ${uri}`,
  });
}
