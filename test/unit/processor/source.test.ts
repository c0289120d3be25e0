import { describe, expect, it } from 'bun:test';
import { malformed } from '../../../src/base/errors.ts';
import { declaredLength, emptySource, type SourceLimits, streamSource } from '../../../src/processor/source.ts';
import { serviceError } from '../../support/service-error.ts';

/** A source over these chunks, which then ends or breaks; with what it counted and whether it was cancelled. */
function sourceOf(chunks: string[], limits: Partial<SourceLimits> = {}, failure?: Error) {
  const state = { counted: 0, isCancelled: false, cause: undefined as unknown };
  const waiting = [...chunks];
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      const chunk = waiting.shift();
      if (chunk !== undefined) controller.enqueue(Buffer.from(chunk));
      else if (failure) controller.error(failure);
      else controller.close();
    },
    cancel() {
      state.isCancelled = true;
    },
  });
  const source = streamSource('text/plain', stream, {
    declaredBytes: undefined,
    maxBytes: undefined,
    isFromNetwork: false,
    onBytes: (count) => {
      state.counted += count;
    },
    broken: (cause) => {
      state.cause = cause;
      return malformed('The transfer broke.', cause);
    },
    ...limits,
  });
  return { source, state };
}

async function readAll({ read }: { read(): Promise<Uint8Array | undefined> }): Promise<string> {
  let text = '';
  for (let chunk = await read(); chunk !== undefined; chunk = await read()) text += Buffer.from(chunk).toString();
  return text;
}

const BROKEN = serviceError('malformed', /^The transfer broke\.$/);

describe('a source', () => {
  it.each([
    ['of unknown length', {}],
    ['of the declared length', { declaredBytes: 5 }],
    ['of exactly the greatest size', { maxBytes: 5 }],
  ])('%s is read to its end, with every byte counted', async (_, limits) => {
    const { source, state } = sourceOf(['ab', 'cde'], limits);
    expect(source.mediaType).toBe('text/plain');
    expect(await readAll(source)).toBe('abcde');
    expect(await source.read()).toBeUndefined();
    expect(state.counted).toBe(5);
  });

  it.each([
    ['some', ['ab'], '2 of 5 bytes arrived'],
    ['none', [], '0 of 5 bytes arrived'],
  ])('that ends with %s of its declared bytes fails', async (_, chunks, cause) => {
    const { source, state } = sourceOf(chunks, { declaredBytes: 5 });
    await expect(readAll(source)).rejects.toThrow(BROKEN);
    expect(state.cause).toEqual(new Error(cause));
  });

  it.each([
    ['in one chunk', ['abcdef']],
    ['in several', ['abc', 'def']],
    ['on and on', Array.from({ length: 1000 }, () => 'abc')],
  ])('that is too large fails at the limit: %s', async (_, chunks) => {
    const { source } = sourceOf(chunks, { maxBytes: 5 });
    await expect(readAll(source)).rejects.toThrow(serviceError('too-large', /^The file is larger than the 5 bytes/));
  });

  it('that fails passes on the cause', async () => {
    const failure = new Error('connection reset');
    const { source, state } = sourceOf(['ab'], {}, failure);
    await expect(readAll(source)).rejects.toThrow(BROKEN);
    expect(state).toMatchObject({ counted: 2, cause: failure });
  });

  it.each([
    ['frees a chunk from the network at the next read', true, 0],
    ['keeps the chunks of a file, whose stream uses them again', false, 64],
  ])('%s', async (_, isFromNetwork, keptBytes) => {
    const stream = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(new Uint8Array(64));
        controller.enqueue(new Uint8Array(64));
      },
    });
    const broken = () => malformed('The transfer broke.');
    const limits = { declaredBytes: undefined, maxBytes: undefined, onBytes() {}, broken };
    const source = streamSource('text/plain', stream, { ...limits, isFromNetwork });
    const first = await source.read();
    expect(first?.byteLength).toBe(64);
    await source.read();
    expect(first?.byteLength).toBe(keptBytes);
  });

  it('may be cancelled early and repeatedly', async () => {
    const { source, state } = sourceOf(['ab', 'cd']);
    await source.read();
    await source.cancel();
    await source.cancel();
    expect(state.isCancelled).toBe(true);
    expect(await source.read()).toBeUndefined();
  });

  it('may be cancelled after a failure', async () => {
    const { source } = sourceOf([], {}, new Error('connection reset'));
    await expect(source.read()).rejects.toThrow(BROKEN);
    await expect(source.cancel()).resolves.toBeUndefined();
  });

  it('without content has a type and ends at once', async () => {
    const source = emptySource('image/png');
    expect(source.mediaType).toBe('image/png');
    expect(await source.read()).toBeUndefined();
    await source.cancel();
  });
});

it.each([
  [undefined, undefined],
  ['0', 0],
  ['123', 123],
  ['', undefined],
  ['-1', undefined],
  ['1e3', undefined],
  ['0x10', undefined],
  ['12, 12', undefined],
  ['9'.repeat(400), undefined],
])('declaredLength parses the Content-Length %p as %p', (value, expected) => {
  expect(declaredLength(new Headers(value === undefined ? {} : { 'Content-Length': value }))).toBe(expected);
});
