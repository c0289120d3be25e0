/** How much output is held back while the status is not settled. */
const MAX_HELD_BYTES = 2 * 1024 * 1024;
/** How long after its first output a command may still turn out to have failed at once. */
const LINGER_MS = 100;

/** Something that hands out output chunk by chunk, and undefined at its end. */
export interface Output {
  read(): Promise<Uint8Array | undefined>;
}

export interface HeldOutput {
  chunks: Uint8Array[];
  bytes: number;
  /** The read that was under way when holding ended; undefined if the output has ended. */
  pending: Promise<Uint8Array | undefined> | undefined;
}

/**
 * Reads the beginning of a command's output, so that a failure right at the start can still be a 500
 * (decisions: "early failure"). Waits for the first output however long that takes; then for the
 * end, two mebibytes, or a tenth of a second, whichever is first. Most derivatives fit in that.
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
