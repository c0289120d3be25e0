import { isKeyName } from '../key.ts';

/** Behind the name of what only reminds of an object that is in its place already. */
const MARKER_SUFFIX = '.moved';

/** The name of the empty file that stands for a staged object, from the key's name. */
export function markerNameOf(keyName: string): string {
  return `${keyName}${MARKER_SUFFIX}`;
}

/** The key's name in the name of a staged object or of its marker; undefined for any other file. */
export function parseStagedName(file: string): { name: string; isMarker: boolean } | undefined {
  const isMarker = file.endsWith(MARKER_SUFFIX);
  const name = isMarker ? file.slice(0, -MARKER_SUFFIX.length) : file;
  return isKeyName(name) ? { name, isMarker } : undefined;
}
