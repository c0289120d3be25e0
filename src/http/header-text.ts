/** Decodes a header value, which HTTP returns as Latin-1 although clients send UTF-8. Returns other values unchanged. */
export function decodeHeaderText(value: string): string {
  if (!/[\u0080-\u00ff]/.test(value)) return value;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(value, 'latin1'));
  } catch (error) {
    if (error instanceof TypeError) return value;
    throw error;
  }
}
