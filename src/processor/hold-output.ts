/** Maximum number of bytes held while the status is open. */
const MAX_HELD_BYTES = 2 * 1024 * 1024;
/** The time after the first output in which the status remains open, in milliseconds. */
const LINGER_MS = 100;

/** A source of chunks; undefined at the end. */
export interface Output {
  read(): Promise<Uint8Array | undefined>;
}

export interface HeldOutput {
  chunks: Uint8Array[];
  bytes: number;
  /** The pending read when holding ended; undefined if the output has ended. */
  pending: Promise<Uint8Array | undefined> | undefined;
}

/**
 * Reads the start of a command's output, so that an early failure can still be a 500 (docs/decisions/001). Waits for the
 * first output without a limit; then for the end, two mebibytes, or a tenth of a second, whichever is first.
 */
export async function holdOutput(output: Output): Promise<HeldOutput> {
  const first = await output.read();
  if (first === undefined) return { chunks: [], bytes: 0, pending: undefined };
  const held: HeldOutput = { chunks: [first], bytes: first.byteLength, pending: output.read() };
  const linger = Promise.withResolvers<'over'>();
  const timer = setTimeout(() => linger.resolve('over'), LINGER_MS);
  while (held.bytes < MAX_HELD_BYTES) {
    const chunk = await Promise.race([held.pending, linger.promise]);
    if (chunk === 'over') break;
    held.pending = undefined;
    if (chunk === undefined) break;
    held.chunks.push(chunk);
    held.bytes += chunk.byteLength;
    held.pending = output.read();
  }
  clearTimeout(timer);
  return held;
}
