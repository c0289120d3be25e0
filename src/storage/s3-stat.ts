import { isStatus, S3Failure } from './s3-failure.ts';
import type { S3Requests } from './s3-request.ts';
import { PATIENCE_TO_READ, type Patience } from './s3-retry.ts';

/** Whoever asks is waiting. */
const ANSWER_MS = 10_000;

/** The size of an object, or undefined if there is none. Throws S3Failure. */
export async function statObject(
  requests: S3Requests,
  name: string,
  { patience = PATIENCE_TO_READ, signal }: { patience?: Patience; signal?: AbortSignal } = {},
): Promise<{ bytes: number } | undefined> {
  try {
    const { headers } = await requests.send({ method: 'HEAD', name, patience, signal, answerMs: ANSWER_MS });
    const bytes = Number(headers.get('content-length') ?? Number.NaN);
    if (Number.isSafeInteger(bytes)) return { bytes };
  } catch (error) {
    if (isStatus(error, 404)) return undefined;
    throw error;
  }
  throw new S3Failure(`HEAD ${JSON.stringify(name)}`, 'the answer has no Content-Length', { status: 200 });
}
