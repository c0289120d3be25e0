/** A path as it is read: without percent signs that stand for something else. As it is where they stand for themselves. */
export function decodedPath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
