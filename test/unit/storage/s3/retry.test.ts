import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'bun:test';
import type { ServiceError } from '../../../../src/base/errors.ts';
import { createS3Bucket, type S3Bucket } from '../../../../src/storage/s3/bucket.ts';
import { PATIENCE, type Patience, waitBefore } from '../../../../src/storage/s3/retry.ts';
import { serviceError } from '../../../support/service-error.ts';
import { until } from '../../../support/until.ts';

const QUICK = { totalMs: 1_000, firstWaitMs: 1, longestWaitMs: 4 };
const later = () => new Response('<Error><Code>SlowDown</Code></Error>', { status: 503 });

describe('a retry', () => {
  let calls: number;
  let answer: () => Response;
  let server: ReturnType<typeof Bun.serve>;
  beforeAll(() => {
    server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch() {
        calls += 1;
        return answer();
      },
    });
  });
  afterAll(() => server.stop(true));
  beforeEach(() => {
    calls = 0;
  });
  const bucketWith = (patience: Patience): S3Bucket =>
    createS3Bucket(
      {
        endpoint: `http://127.0.0.1:${server.port}`,
        region: 'us-east-1',
        bucket: 'archive',
        prefix: '',
        pathStyle: true,
        credentials: {
          from: 'configuration',
          keys: { accessKeyId: 'a', secretAccessKey: 'b', sessionToken: undefined },
        },
        encryption: undefined,
        storageClass: undefined,
      },
      { readEnv: () => undefined, patience },
    );

  it('continues until it succeeds', async () => {
    answer = () => (calls <= 4 ? later() : new Response(null, { headers: { 'content-length': '7' } }));
    expect(await bucketWith(QUICK).stat('a')).toEqual({ bytes: 7 });
    expect(calls).toBe(5);
  });

  it('does not repeat a permanent failure', async () => {
    answer = () => new Response(null, { status: 403 });
    await expect(bucketWith(QUICK).stat('a')).rejects.toThrow(serviceError('storage-failed', /read/));
    expect(calls).toBe(1);
  });

  it('ends after its time limit, with the last error', async () => {
    answer = later;
    const failure: ServiceError = await bucketWith(QUICK)
      .remove('a')
      .then(
        () => expect.unreachable(),
        (error: ServiceError) => error,
      );
    expect(failure).toEqual(serviceError('unavailable', /does not answer/));
    expect((failure.cause as Error).message).toMatch(/^DELETE "a": 503 SlowDown/);
    expect(calls).toBeGreaterThan(10);
    calls = 0;
    await expect(bucketWith(QUICK).abortUpload('a', 'x')).rejects.toThrow(serviceError('unavailable', /./));
    expect(calls).toBe(1);
  });

  it('ends at once with the reason when it is aborted', async () => {
    answer = later;
    const abort = new AbortController();
    const patient = { totalMs: 60_000, firstWaitMs: 30_000, longestWaitMs: 30_000 };
    const source = (async function* () {
      yield new Uint8Array(1);
    })();
    const upload = bucketWith(patient).beginUpload('a').run(source, abort.signal);
    await until(() => calls > 0);
    abort.abort(new Error('client gone'));
    await expect(upload).rejects.toThrow('client gone');
  });

  it('doubles its wait up to a limit, with random reduction', () => {
    const waits = (chance: number) => Array.from({ length: 9 }, (_, i) => waitBefore(i, PATIENCE.write, chance));
    expect(waits(1)).toEqual([100, 200, 400, 800, 1600, 3200, 6400, 8000, 8000]);
    expect(waits(0)).toEqual(waits(1).map((ms) => ms / 2));
    expect(PATIENCE.read.totalMs).toBeLessThan(PATIENCE.write.totalMs);
  });
});
