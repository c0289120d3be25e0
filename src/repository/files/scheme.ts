import { ServiceError } from '../../base/errors.ts';
import { splitUri } from '../../paths.ts';
import type { Scheme, Services } from '../services.ts';

/** What a file's row says of where its bytes are. */
export interface StoredFile {
  readonly uri: string;
  readonly storedIn: string | null;
}

/** The scheme of a stream URI, as `public` of `public://a.png`. */
export function schemeOf(uri: string): string {
  return splitUri(uri)[0];
}

/** The name of the scheme in whose storage a file's bytes are: that of its URI, unless they were moved. */
export function storeOf({ uri, storedIn }: StoredFile): string {
  return storedIn ?? schemeOf(uri);
}

/** Returns the scheme of a stream URI that a row names. Throws `misconfigured` if the configuration lacks it. */
export function schemeNamedBy(services: Services, uri: string): Scheme {
  return configured(services, schemeOf(uri), uri);
}

/** The scheme in whose storage a file's bytes are. Throws if the configuration has lost it. */
export function storageOf(services: Services, file: StoredFile): Scheme {
  return configured(services, storeOf(file), file.uri);
}

/** The scheme in whose storage the next bytes of a scheme's files are kept. Throws if the configuration has lost it. */
export function storeForNew(services: Services, { name, storeIn }: Scheme): Scheme {
  return configured(services, storeIn, `new files of ${name}`);
}

/** What a file's row says of its store: nothing where that is its own scheme's. */
export function storedInOf(uri: string, store: string): string | null {
  return store === schemeOf(uri) ? null : store;
}

function configured({ schemes }: Services, name: string, what: string): Scheme {
  const scheme = schemes.get(name);
  if (scheme) return scheme;
  throw new ServiceError('misconfigured', 'The storage of this file is not configured.', {
    cause: `no storage scheme ${name} for ${what}`,
  });
}
