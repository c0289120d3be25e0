import { ServiceError } from '../../base/errors.ts';
import { splitUri } from '../../paths.ts';
import type { Storage } from '../../storage/storage.ts';

/** A storage scheme: `public` of `public://a.png`. */
export interface Scheme {
  readonly name: string;
  /** Holds the bytes of files whose rows name this scheme as their store. */
  readonly storage: Storage;
  /** The scheme whose storage holds new files of this one; usually itself. */
  readonly storeIn: string;
  /** True if `storage gc` keeps files without references. */
  readonly isArchive?: boolean;
}

/** The configured schemes by name. */
export interface Schemes {
  readonly schemes: ReadonlyMap<string, Scheme>;
}

/** The columns of a file's row that locate its bytes. */
export interface StoredFile {
  readonly uri: string;
  readonly storedIn: string | null;
}

/** Returns the scheme of a stream URI: `public` of `public://a.png`. */
function schemeOf(uri: string): string {
  return splitUri(uri)[0];
}

/** Returns the name of the scheme whose storage holds a file's bytes: that of its URI, unless they were moved. */
export function storeOf({ uri, storedIn }: StoredFile): string {
  return storedIn ?? schemeOf(uri);
}

/** Returns the scheme of a stream URI that a row names. Throws `misconfigured` if the configuration lacks it. */
export function schemeNamedBy(services: Schemes, uri: string): Scheme {
  return configured(services, schemeOf(uri), uri);
}

/** Returns the scheme whose storage holds a file's bytes. Throws `misconfigured` if the configuration lacks it. */
export function storageOf(services: Schemes, file: StoredFile): Scheme {
  return configured(services, storeOf(file), file.uri);
}

/** Returns the scheme whose storage holds new files of a scheme. Throws `misconfigured` if it is missing. */
export function storeForNew(services: Schemes, { name, storeIn }: Scheme): Scheme {
  return configured(services, storeIn, `new files of ${name}`);
}

/** Returns the store for a file's row: null for the scheme of its URI. */
export function storedInOf(uri: string, store: string): string | null {
  return store === schemeOf(uri) ? null : store;
}

function configured({ schemes }: Schemes, name: string, what: string): Scheme {
  const scheme = schemes.get(name);
  if (scheme) return scheme;
  throw new ServiceError('misconfigured', 'The storage of this file is not configured.', {
    cause: `no storage scheme ${name} for ${what}`,
  });
}
