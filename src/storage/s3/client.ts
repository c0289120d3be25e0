import { S3Client } from '@aws-sdk/client-s3';
import { buildQueryString, type HttpHandler, HttpRequest, HttpResponse } from '@smithy/core/protocols';
import type { EndpointV2, HttpHandlerOptions } from '@smithy/types';
import type { S3Config } from './config.ts';
import type { CredentialSource } from './credentials.ts';
import { failureOf } from './failure.ts';
import { createRetryStrategy, PATIENCE, type Patience } from './retry.ts';

/** An object as the SDK names it; `Key` is the whole name, with the prefix. */
export interface S3Object {
  readonly Bucket: string;
  readonly Key: string;
}

/** The purpose of a client determines how long it retries. One for downloads answers before the body has arrived. */
type Purpose = keyof typeof PATIENCE | 'download';

/** Returns the client for a purpose. It throws S3Failure for any answer but 2xx, and for none. */
export type S3Clients = (purpose: Purpose) => S3Client;

/** Creates the clients of a server, each on first use. `patience` replaces that of uploads, downloads and removals. */
export function createS3Clients(config: S3Config, credentials: CredentialSource, patience?: Patience): S3Clients {
  const clients = new Map<Purpose, S3Client>();
  return (purpose) => {
    const streams = purpose === 'download';
    const usual = PATIENCE[streams ? 'read' : purpose];
    const isFixed = purpose === 'check' || purpose === 'once';
    const client =
      clients.get(purpose) ?? createClient(config, credentials, isFixed ? usual : (patience ?? usual), streams);
    clients.set(purpose, client);
    return client;
  };
}

function createClient(config: S3Config, credentials: CredentialSource, patience: Patience, streams: boolean): S3Client {
  const client = new S3Client({
    // The SDK would refuse region names of other servers, and put some buckets into the path against the configuration.
    endpointProvider: () => endpointOf(config),
    region: 'us-east-1',
    // The source renews them itself; the SDK would remember them.
    credentials: Object.assign(() => credentials(), { memoized: true }),
    requestHandler: createFetchHandler({ streams }),
    retryStrategy: createRetryStrategy(patience),
    // Other servers than Amazon's do not know checksums in trailers. Bodies are signed with their SHA-256 instead.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    expectContinueHeader: false,
    disableClockSkewCorrection: true,
    // Settings that the SDK would otherwise look for in the environment and in ~/.aws.
    defaultsMode: 'standard',
    maxAttempts: 1,
    retryMode: 'standard',
    useArnRegion: false,
    useDualstackEndpoint: false,
    useFipsEndpoint: false,
    disableS3ExpressSessionAuth: true,
    authSchemePreference: [],
    sigv4aSigningRegionSet: [],
    userAgentAppId: 'repo',
  });
  client.middlewareStack.add(
    (next) => async (args) => {
      const { request } = args;
      if (!HttpRequest.isInstance(request)) return next(args);
      // Only a name for the operation, which other servers than Amazon's do not expect.
      delete request.query['x-id'];
      if (request.body instanceof Uint8Array)
        request.headers['x-amz-content-sha256'] = await hashOf(request.body as Uint8Array<ArrayBuffer>);
      return next(args);
    },
    { step: 'build', name: 'plainRequest' },
  );
  client.middlewareStack.add(
    (next) => async (args) => {
      try {
        return await next(args);
      } catch (error) {
        throw failureOf(describe(args), error);
      }
    },
    { step: 'deserialize', priority: 'high', name: 'toFailure' },
  );
  return client;
}

/** The address of the bucket, and the region by which requests are signed. */
function endpointOf({ endpoint, bucket, region, pathStyle }: S3Config): EndpointV2 {
  const { protocol, host } = new URL(endpoint);
  const url = pathStyle ? `${protocol}//${host}/${bucket}` : `${protocol}//${bucket}.${host}`;
  const scheme = {
    name: 'sigv4',
    signingName: 's3',
    signingRegion: region,
    disableDoubleEncoding: true,
    properties: {},
  };
  return { url: new URL(url), properties: { authSchemes: [scheme] } };
}

function describe({ request, input }: { request: unknown; input: object }): string {
  if (!HttpRequest.isInstance(request)) return 'S3';
  const asked = Object.keys(request.query).join(', ');
  return `${request.method} ${JSON.stringify('Key' in input ? input.Key : '')}${asked === '' ? '' : ` (${asked})`}`;
}

/** Hashes in another thread: the SDK would do it in the one that serves all other requests. */
async function hashOf(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  return Buffer.from(await crypto.subtle.digest('SHA-256', bytes)).toString('hex');
}

/** Time limit of a request without a body. */
const ANSWER_MS = 20_000;
/** Minimum rate of an upload: 100 kB per second. */
const SLOWEST_BYTES_PER_MS = 100;

/**
 * Creates the part of the SDK that sends requests, by Bun's `fetch`. An answer is read whole within the time limit
 * (`requestTimeout`, plus the time for the body of the request), unless it `streams`: then the limit is for its head
 * alone.
 */
function createFetchHandler({ streams }: { streams: boolean }): HttpHandler {
  return {
    async handle(request: HttpRequest, { abortSignal, requestTimeout = ANSWER_MS }: HttpHandlerOptions = {}) {
      const body = request.body as Uint8Array<ArrayBuffer> | string | undefined;
      const late = new AbortController();
      const limitMs = requestTimeout + (body?.length ?? 0) / SLOWEST_BYTES_PER_MS;
      const timer = setTimeout(() => late.abort(new Error('The operation timed out.')), limitMs);
      const signal = abortSignal instanceof AbortSignal ? AbortSignal.any([abortSignal, late.signal]) : late.signal;
      try {
        const answer = await fetch(addressOf(request), {
          method: request.method,
          // Lengths are those of the stored bytes. Not signed: a proxy may change it.
          headers: { ...request.headers, 'accept-encoding': 'identity' },
          body: body || null,
          // A redirect leads to another region, for which the signature is invalid.
          redirect: 'manual',
          signal,
        });
        const isStream = streams && answer.ok;
        return {
          response: new HttpResponse({
            statusCode: answer.status,
            headers: Object.fromEntries(answer.headers),
            body: isStream ? answer.body : await answer.bytes(),
          }),
        };
      } finally {
        clearTimeout(timer);
      }
    },
    updateHttpClientConfig: () => undefined,
    httpHandlerConfigs: () => ({}),
  };
}

function addressOf({ protocol, hostname, port, path, query }: HttpRequest): string {
  const search = buildQueryString(query);
  return `${protocol}//${hostname}${port === undefined ? '' : `:${port}`}${path}${search === '' ? '' : `?${search}`}`;
}
