const COMMA = 44;
const ZERO = 48;

/** Parses ids that are separated by commas, at most `count`. */
export function parseIds(text: string, count: number): Uint32Array {
  const ids = new Uint32Array(text === '' ? 0 : count);
  let size = 0;
  let id = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === COMMA) {
      ids[size++] = id;
      id = 0;
    } else id = id * 10 + code - ZERO;
  }
  if (text !== '') ids[size++] = id;
  return ids.subarray(0, size);
}
