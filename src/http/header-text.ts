/**
 * A header value as its sender wrote it. HTTP hands bytes over as Latin-1, while clients write
 * addresses and names in UTF-8; a value that is no UTF-8 stays as it came.
 */
export function decodeHeaderText(value: string): string {
  if (!/[\u0080-\u00ff]/.test(value)) return value;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(value, 'latin1'));
  } catch (error) {
    if (error instanceof TypeError) return value;
    throw error;
  }
}
