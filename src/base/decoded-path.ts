/** A path as it is read: without percent signs that stand for something else. As it is where they stand for themselves. */
export function decodedPath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

const ENCODED_OCTETS = /(?:%[0-9a-f]{2})+/gi;

/** Returns a file name with its percent-encoded UTF-8 decoded once. Keeps a `%` that encodes nothing. */
export function decodedName(name: string): string {
  return name.replaceAll(ENCODED_OCTETS, decodedPath);
}
