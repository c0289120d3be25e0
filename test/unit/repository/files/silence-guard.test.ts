import { beforeAll, describe, expect, it, jest } from 'bun:test';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ServiceError } from '../../../../src/base/errors.ts';
import { ingest } from '../../../../src/repository/files/ingest.ts';
import type { Scheme } from '../../../../src/repository/files/scheme.ts';
import { createLocalStorage } from '../../../../src/storage/local/local.ts';
import { emptyFolder } from '../../../support/empty-folder.ts';
import { until } from '../../../support/until.ts';

const MAX_SILENCE_MS = 100;

let folder: string;
let scheme: Scheme;
beforeAll(async () => {
  folder = await emptyFolder();
  scheme = { name: 'public', storeIn: 'public', storage: await createLocalStorage(folder) };
});

const upload = (body: AsyncIterable<Uint8Array>, signal = new AbortController().signal) =>
  ingest(scheme, {
    body,
    declaredBytes: undefined,
    digests: [],
    maxBytes: undefined,
    signal,
    maxSilenceMs: MAX_SILENCE_MS,
  });

async function* pieces(count: number, pauseMs = 0, endsThen = true): AsyncGenerator<Uint8Array> {
  for (let made = 0; made < count; made++) {
    // The guard listens as soon as this has been called.
    await undefined;
    if (pauseMs > 0) jest.advanceTimersByTime(pauseMs);
    yield Buffer.from('x');
  }
  if (!endsThen) await new Promise(() => undefined);
}

async function staged(): Promise<string[]> {
  const [own] = await readdir(join(folder, 'incoming'));
  return own === undefined ? [] : readdir(join(folder, 'incoming', own));
}

describe('an upload', () => {
  it('may be slow without a minimum rate', async () => {
    jest.useFakeTimers();
    const { staged: object } = await upload(pieces(8, MAX_SILENCE_MS / 3)).finally(() => jest.useRealTimers());
    expect(object.bytes).toBe(8);
    await object.discard();
  });

  it('that sends nothing for too long is aborted, and stores nothing', async () => {
    const failure: unknown = await upload(pieces(2, 0, false)).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ServiceError);
    expect((failure as ServiceError).kind).toBe('client-gone');
    expect(await staged()).toEqual([]);
  });

  it('that the client aborts ends at once', async () => {
    const controller = new AbortController();
    const uploading = upload(pieces(2, 0, false), controller.signal).catch((error: unknown) => error);
    await until(async () => (await staged()).length > 0);
    controller.abort(new Error('gone'));
    const failure: unknown = await uploading;
    expect((failure as ServiceError).kind).toBe('client-gone');
    const before: unknown = await upload(pieces(1), AbortSignal.abort(new Error('gone'))).catch((error) => error);
    expect((before as ServiceError).kind).toBe('client-gone');
    expect(await staged()).toEqual([]);
  });
});
