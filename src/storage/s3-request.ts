import { AwsV4Signer } from 'aws4fetch';
import type { S3Addresses } from './s3-address.ts';
import type { S3Credentials } from './s3-config.ts';
import type { CredentialSource } from './s3-credentials.ts';
import { errorIn, failureOf, S3Failure } from './s3-failure.ts';
import { type Patience, withRetries } from './s3-retry.ts';

/** For the answer to a request without a body. */
const ANSWER_MS = 20_000;
/** A line so slow that an upload over it is given up: 100 kB a second. */
const SLOWEST_BYTES_PER_MS = 100;
const EMPTY_SHA256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

export interface S3Request {
  method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';
  /** The whole name of an object; empty for the bucket. */
  name: string;
  query?: Readonly<Record<string, string>>;
  headers?: Readonly<Record<string, string>>;
  body?: Uint8Array<ArrayBuffer>;
  /** Of the body, if it is known. */
  sha256?: string;
  patience: Patience;
  signal?: AbortSignal | undefined;
  /** For the whole of one attempt, beyond what its body takes; 20 seconds if left out. */
  answerMs?: number;
  /** Whether an answer of 200 may tell an error in its body. */
  mayFailLate?: boolean;
}

/** An answer that has been read. */
export interface S3Answer {
  readonly headers: Headers;
  readonly text: string;
}

/** Sends signed requests to one bucket. */
export interface S3Requests {
  /**
   * Sends a request and reads the answer, which is short; tries again what may pass. Throws S3Failure for what is no
   * 2xx and for no answer, or the reason of the abort.
   */
  send(request: S3Request): Promise<S3Answer>;
  /**
   * Sends a request once and answers as soon as the head of a 2xx is there; the body is the caller's. `signal` ends
   * the body too.
   */
  open(request: Omit<S3Request, 'patience'>): Promise<Response>;
}

/** Every body is signed by its checksum, so that a server refuses what was changed or lost on the way. */
export function createS3Requests(addresses: S3Addresses, region: string, credentials: CredentialSource): S3Requests {
  const signingKeys = new WeakMap<S3Credentials, Map<string, ArrayBuffer>>();

  const signed = async ({ method, name, query, headers, body, sha256 }: Omit<S3Request, 'patience'>) => {
    const keys = await credentials.get();
    const cache = signingKeys.get(keys) ?? new Map<string, ArrayBuffer>();
    signingKeys.set(keys, cache);
    const signer = new AwsV4Signer({
      method,
      url: addresses.of(name, query),
      headers: { ...headers, 'x-amz-content-sha256': sha256 ?? (body ? await hashOf(body) : EMPTY_SHA256) },
      accessKeyId: keys.accessKeyId,
      secretAccessKey: keys.secretAccessKey,
      ...(keys.sessionToken !== undefined && { sessionToken: keys.sessionToken }),
      service: 's3',
      region,
      cache,
    });
    return signer.sign();
  };
  const open: S3Requests['open'] = async (request) => {
    const what = describe(request);
    const { url, headers } = await signed(request);
    // Lengths are those of the bytes that are stored. Not signed: what is in front of a server may change it.
    headers.set('accept-encoding', 'identity');
    const { method, body, signal } = request;
    let answer: Response;
    try {
      // A redirect leads to another region, for which the signature is not: it is an answer to be told.
      answer = await fetch(url, { method, headers, redirect: 'manual', body: body ?? null, signal: signal ?? null });
    } catch (error) {
      throw new S3Failure(what, `no answer (${reasonOf(error)})`, { cause: error });
    }
    if (answer.ok) return answer;
    throw failureOf(what, answer.status, await textOf(what, answer));
  };
  const send: S3Requests['send'] = ({ patience, ...request }) =>
    withRetries(patience, request.signal, async () => {
      request.signal?.throwIfAborted();
      const bytes = request.body?.byteLength ?? 0;
      const tooLong = AbortSignal.timeout((request.answerMs ?? ANSWER_MS) + Math.ceil(bytes / SLOWEST_BYTES_PER_MS));
      const signal = request.signal ? AbortSignal.any([request.signal, tooLong]) : tooLong;
      const answer = await open({ ...request, signal });
      const text = await textOf(describe(request), answer);
      if (request.mayFailLate && errorIn(text) !== undefined) throw failureOf(describe(request), answer.status, text);
      return { headers: answer.headers, text };
    });
  return { send, open };
}

function describe({ method, name, query = {} }: Pick<S3Request, 'method' | 'name' | 'query'>): string {
  const asked = Object.keys(query).join(', ');
  return `${method} ${JSON.stringify(name)}${asked === '' ? '' : ` (${asked})`}`;
}

async function textOf(what: string, answer: Response): Promise<string> {
  try {
    return await answer.text();
  } catch (error) {
    throw new S3Failure(what, `the answer broke off (${reasonOf(error)})`, { cause: error });
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.message;
}

/** By another thread: this one has all other requests to serve. */
async function hashOf(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  return Buffer.from(await crypto.subtle.digest('SHA-256', bytes)).toString('hex');
}
