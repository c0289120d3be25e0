/** How much of the output is looked at. */
const SNIFF_BYTES = 4096;

/**
 * The type of output that nobody named: `text/plain` for UTF-8 text, else `application/octet-stream`
 * (decisions: "Content-Type of the answer").
 */
export function sniffType(start: readonly Uint8Array[]): string {
  const bytes = start.reduce((sum, chunk) => sum + chunk.byteLength, 0);
  const looked = Buffer.concat(start, Math.min(bytes, SNIFF_BYTES));
  if (looked.includes(0)) return 'application/octet-stream';
  try {
    // As a stream, so that a character cut by the end of the sample is no fault.
    new TextDecoder('utf-8', { fatal: true }).decode(looked, { stream: true });
    return 'text/plain; charset=utf-8';
  } catch (error) {
    if (error instanceof TypeError) return 'application/octet-stream';
    throw error;
  }
}
