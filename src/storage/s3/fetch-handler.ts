import { buildQueryString, type HttpHandler, type HttpRequest, HttpResponse } from '@smithy/core/protocols';
import type { HttpHandlerOptions } from '@smithy/types';

/** Time limit of a request without a body. */
const ANSWER_MS = 20_000;
/** Minimum rate of an upload: 100 kB per second. */
const SLOWEST_BYTES_PER_MS = 100;

/**
 * Creates the part of the SDK that sends requests, by Bun's `fetch`. An answer is read whole within the time limit
 * (`requestTimeout`, plus the time for the body of the request), unless it `streams`: then the limit is for its head
 * alone.
 */
export function createFetchHandler({ streams }: { streams: boolean }): HttpHandler {
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
