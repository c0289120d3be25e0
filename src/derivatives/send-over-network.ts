import { abandon } from './answer-failure.ts';
import { JobFailure } from './job-failure.ts';

/**
 * Sends a request with `fetch` and its comforts switched off: no time limit of its own, no decoding, and no
 * connection that was used before, as the other side may be closing it just then. Throws what `fetch` throws, and
 * a `permanent` JobFailure for an answer that could not be told from a part of it. `fetch` notices a body that
 * ends before its Content-Length or its last chunk; a body with neither is taken for whole wherever the connection
 * ends, even by a reset.
 */
export async function sendOverNetwork(request: Request): Promise<Response> {
  const response = await fetch(request, { timeout: false, decompress: false, keepalive: false });
  const { headers, status } = response;
  if (status !== 200) return response;
  const problem = isEncoded(headers)
    ? `is encoded (${headers.get('content-encoding')}), which was not asked for`
    : 'has neither a Content-Length nor chunks, so that a part could be taken for the whole';
  if (!isEncoded(headers) && (headers.has('content-length') || headers.has('transfer-encoding'))) return response;
  await abandon(response);
  const { origin } = new URL(request.url);
  throw new JobFailure('permanent', `The answer of the processor at ${origin} ${problem}.`, { status });
}

function isEncoded(headers: Headers): boolean {
  return !['', 'identity'].includes((headers.get('content-encoding') ?? '').toLowerCase());
}
