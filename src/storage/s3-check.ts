import { storageFailed, storageUnavailable } from './errors.ts';
import type { S3Config } from './s3-config.ts';
import { explain } from './s3-explain.ts';
import { isTransient, S3Failure } from './s3-failure.ts';
import type { S3Requests } from './s3-request.ts';
import { PATIENCE_TO_CHECK } from './s3-retry.ts';

/** An answer serves for so long: a health check may come every second. */
const TRUST_MS = 10_000;
/** Writing costs money with some: in between it is enough that the bucket answers. */
const WRITE_EVERY_MS = 60_000;
const ANSWER_MS = 5_000;

/**
 * A check of the bucket (see `Storage.check`): who asks while it is under way, or soon after, gets the same answer.
 * `headers` go with what it writes: a bucket may refuse what is not encrypted.
 */
export function createS3Check(
  config: S3Config,
  requests: S3Requests,
  headers: Readonly<Record<string, string>>,
): () => Promise<void> {
  let goodUntilMs = 0;
  let writtenMs = Number.NEGATIVE_INFINITY;
  let underWay: Promise<void> | undefined;
  const send = { patience: PATIENCE_TO_CHECK, answerMs: ANSWER_MS };

  const look = async () => {
    try {
      // A list tells in its body what is wrong; the head of a bucket has none.
      const query = { 'list-type': '2', 'max-keys': '1', prefix: config.prefix };
      await requests.send({ ...send, method: 'GET', name: '', query });
      if (performance.now() - writtenMs >= WRITE_EVERY_MS) {
        // One name for all: what a killed process has left goes with the next look.
        const name = `${config.prefix}check`;
        await requests.send({ ...send, method: 'PUT', name, headers, body: new Uint8Array([49]) });
        await requests.send({ ...send, method: 'DELETE', name });
        writtenMs = performance.now();
      }
      goodUntilMs = performance.now() + TRUST_MS;
    } catch (error) {
      // After a failure the next answer must not rest upon what was written before.
      writtenMs = Number.NEGATIVE_INFINITY;
      if (!(error instanceof S3Failure)) throw error;
      const told = new Error(explain(config, error), { cause: error });
      throw isTransient(error) ? storageUnavailable(told) : storageFailed('The file store cannot be written to.', told);
    } finally {
      underWay = undefined;
    }
  };
  return async () => {
    if (performance.now() < goodUntilMs) return;
    underWay ??= look();
    await underWay;
  };
}
