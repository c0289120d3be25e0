import { decodedPath } from '../base/decoded-path.ts';

/** The stored form of no query. */
export const NO_QUERY = '{}';

/** The status of a former alias of a deleted item: the page of that item answers there, too. Any other redirect replaces it. */
export const STATUS_GONE = 410;

/** Returns the stored form of the path of a source: case and encoding do not matter. */
export function sourcePath(path: string): string {
  return decodedPath(path)
    .replace(/^\/+|\/+$/g, '')
    .normalize('NFC')
    .toLowerCase();
}
