/** Returns a path with its percent-encoding decoded; unchanged if the encoding is invalid. */
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
