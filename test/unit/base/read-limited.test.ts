import { describe, expect, it } from 'bun:test';
import { readLimited } from '../../../src/base/read-limited.ts';

/** A stream of these chunks that notes whether it was cancelled. */
function streamOf(...chunks: (string | Uint8Array)[]) {
  const state = { isCancelled: false };
  const waiting = chunks.map((chunk) => (typeof chunk === 'string' ? new TextEncoder().encode(chunk) : chunk));
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      const chunk = waiting.shift();
      if (chunk) controller.enqueue(chunk);
      else controller.close();
    },
    cancel: () => {
      state.isCancelled = true;
    },
  });
  return { stream, state };
}

describe('readLimited', () => {
  it.each([
    ['nothing', [], 10, ''],
    ['several chunks', ['ab', 'cd'], 10, 'abcd'],
    ['exactly the limit', ['abc', 'de'], 5, 'abcde'],
  ])('reads %s', async (_, chunks, maxBytes, expected) => {
    expect(await readLimited(streamOf(...chunks).stream, maxBytes)).toBe(expected);
  });

  it('keeps a character that is split across chunks', async () => {
    const bytes = new TextEncoder().encode('a€b');
    const { stream } = streamOf(bytes.subarray(0, 2), bytes.subarray(2));
    expect(await readLimited(stream, 10)).toBe('a€b');
  });

  it('counts bytes, not characters', async () => {
    await expect(readLimited(streamOf('€€').stream, 5)).rejects.toThrow(RangeError);
  });

  it('stops an endless stream one chunk past the limit', async () => {
    const { stream, state } = streamOf(...Array.from({ length: 100 }, () => 'x'.repeat(10)));
    await expect(readLimited(stream, 25)).rejects.toThrow(new RangeError('the answer is larger than 25 bytes'));
    expect(state.isCancelled).toBe(true);
  });

  it('rejects with the error of the stream', async () => {
    const stream = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.error(new Error('connection lost')),
    });
    await expect(readLimited(stream, 10)).rejects.toThrow('connection lost');
  });
});
