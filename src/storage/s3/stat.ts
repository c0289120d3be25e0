import { HeadObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import type { S3Object } from './client.ts';
import { isStatus, S3Failure } from './failure.ts';

/** A client is waiting. */
const ANSWER_MS = 10_000;

/** Returns the size of an object, or undefined if it does not exist. Throws S3Failure. */
export async function statObject(
  client: S3Client,
  object: S3Object,
  abortSignal?: AbortSignal,
): Promise<{ bytes: number } | undefined> {
  try {
    const options = { requestTimeout: ANSWER_MS, ...(abortSignal && { abortSignal }) };
    const { ContentLength: bytes } = await client.send(new HeadObjectCommand(object), options);
    if (bytes !== undefined) return { bytes };
  } catch (error) {
    if (isStatus(error, 404)) return undefined;
    throw error;
  }
  throw new S3Failure(`HEAD ${JSON.stringify(object.Key)}`, 'the answer has no Content-Length', { status: 200 });
}
