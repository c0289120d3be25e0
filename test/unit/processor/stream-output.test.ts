import { describe, expect, it, jest } from 'bun:test';
import { setImmediate } from 'node:timers/promises';
import { holdOutput, type Output } from '../../../src/processor/stream-output.ts';

const MEBIBYTE = 1024 * 1024;
const never = () => new Promise<undefined>(() => undefined);

/** An output that answers each read with the next of these. */
function outputOf(...reads: (() => Promise<Uint8Array | undefined>)[]): Output & { count: number } {
  return {
    count: 0,
    read() {
      const next = reads[this.count] ?? never;
      this.count += 1;
      return next();
    },
  };
}
const sends = (size: number) => async () => new Uint8Array(size);
const ends = async () => undefined;
const breaks = async () => {
  throw new Error('broken');
};

describe('holdOutput', () => {
  it.each([
    ['nothing', [ends], []],
    ['one chunk', [sends(3), ends], [3]],
    ['several chunks', [sends(3), sends(4), sends(5), ends], [3, 4, 5]],
  ])('holds output that ends at once: %s', async (_, reads, sizes) => {
    const held = await holdOutput(outputOf(...reads));
    expect(held.chunks.map((chunk) => chunk.byteLength)).toEqual(sizes);
    expect(held.bytes).toBe(sizes.reduce((sum, size) => sum + size, 0));
    expect(held.pending).toBeUndefined();
  });

  it('stops at two mebibytes with the next read pending', async () => {
    const output = outputOf(sends(MEBIBYTE), sends(MEBIBYTE), sends(7), ends);
    const held = await holdOutput(output);
    expect(held.bytes).toBe(2 * MEBIBYTE);
    expect((await held.pending)?.byteLength).toBe(7);
    expect(output.count).toBe(3);
  });

  it('holds a larger single chunk', async () => {
    const held = await holdOutput(outputOf(sends(3 * MEBIBYTE), sends(7)));
    expect(held.bytes).toBe(3 * MEBIBYTE);
    expect((await held.pending)?.byteLength).toBe(7);
  });

  it('continues output after a pause without loss', async () => {
    const late = Promise.withResolvers<Uint8Array | undefined>();
    const held = await holdOutput(outputOf(sends(3), () => late.promise));
    expect(held.bytes).toBe(3);
    late.resolve(new Uint8Array(9));
    expect((await held.pending)?.byteLength).toBe(9);
  });

  it('waits longer for the first chunk than for later ones', async () => {
    const first = Promise.withResolvers<Uint8Array | undefined>();
    jest.useFakeTimers();
    const holding = holdOutput(outputOf(() => first.promise, ends));
    jest.advanceTimersByTime(60_000);
    jest.useRealTimers();
    await setImmediate();
    expect(Bun.peek.status(holding)).toBe('pending');
    first.resolve(new Uint8Array(1));
    expect(await holding).toMatchObject({ bytes: 1, pending: undefined });
  });

  it.each([
    ['at its first read', [breaks]],
    ['at a later read', [sends(1), sends(1), breaks]],
  ])('rejects if the output fails %s', async (_, reads) => {
    await expect(holdOutput(outputOf(...reads))).rejects.toThrow('broken');
  });
});
