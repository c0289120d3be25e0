import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from 'bun:test';
import { createDownloads } from '../../../../src/transfer/files/downloads.ts';
import { type FileServer, startFileServer } from '../../../support/file-server.ts';
import { until } from '../../../support/until.ts';

let server: FileServer;
beforeAll(async () => {
  server = await startFileServer();
});
afterEach(() => {
  jest.useRealTimers();
});
afterAll(() => server.stop());

const BYTES = new Uint8Array(50_000).fill(1);
const never = () => new Promise(() => {});

function open(name: string, signal = new AbortController().signal) {
  const downloads = createDownloads({
    ...{ allowedSources: [new URL(server.url)], maxDownloads: 1, pause: async (failures: number) => failures < 2 },
  });
  return downloads.open(downloads.parse(`${server.url}/${name}`), false, signal);
}

describe('a download', () => {
  it('ends with the reason of its signal while its server sends nothing more', async () => {
    server.files.set('/slow.tif', { bytes: BYTES, cuts: [20_000], onCut: never });
    const stop = new AbortController();
    const chunks = open('slow.tif', stop.signal);
    expect((await chunks.next()).value?.byteLength).toBeGreaterThan(0);
    const reading = Array.fromAsync(chunks);
    stop.abort(new Error('no longer wanted'));
    await expect(reading).rejects.toThrow('no longer wanted');
    expect(server.requests.filter((each) => each.includes('slow'))).toHaveLength(1);
  });

  it('is given up after two silences of thirty seconds', async () => {
    jest.useFakeTimers();
    server.files.set('/silent.tif', { bytes: BYTES, onGet: never });
    const first = open('silent.tif').next();
    for (let request = 1; request <= 2; request++) {
      // Not `until`, whose pauses would wait for the stopped clock.
      while (server.requests.filter((each) => each.includes('silent')).length < request)
        await new Promise((resolve) => setImmediate(resolve));
      jest.advanceTimersByTime(30_000);
    }
    await expect(first).rejects.toThrow('its server was silent for 30 seconds');
  });

  it('closes its connection if its reader stops', async () => {
    server.files.set('/left.tif', { bytes: BYTES, cuts: [20_000], onCut: never });
    const before = server.connections();
    for await (const _ of open('left.tif')) break;
    await until(() => server.connections() === before);
  });
});
