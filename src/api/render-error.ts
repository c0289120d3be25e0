import type { TSchema } from '@sinclair/typebox';
import { malformed } from '../base/errors.ts';
import { noteBody } from '../http/compression.ts';
import type { NameInvalid, RenderError } from '../http/error-plugin.ts';
import { recordOf } from '../http/request-log.ts';
import type { ApiServices } from './api-services.ts';
import { callOf } from './call.ts';
import { chooseFailureFormat } from './formats.ts';
import { hasCredentials } from './identify.ts';
import { VARY_BY_ACCEPT, VARY_BY_CALLER } from './respond.ts';

const COMMON = { 'Cache-Control': 'must-revalidate, no-cache, private', 'X-Content-Type-Options': 'nosniff' };

/** Creates a function that renders errors: JSON with one sentence (spec: rest-behaviour, 2.1), or a page for a browser. */
export function createRenderError(api: ApiServices): RenderError {
  const render: RenderError = (status, message, headers, request) => {
    const { format, isNegotiated } = chooseFailureFormat(request);
    const common = { ...COMMON, Vary: isNegotiated ? VARY_BY_ACCEPT : VARY_BY_CALLER };
    if (format !== 'html') {
      const body = JSON.stringify({ message });
      return noteBody(
        new Response(body, { status, headers: { 'Content-Type': 'application/json', ...common, ...headers } }),
        body,
      );
    }
    const page = api.pages.error(status, message, {
      siteName: api.siteName,
      look: api.look,
      baseUrl: baseUrlOf(api, request),
    });
    const response = new Response(page.body, {
      status,
      headers: { 'Content-Type': page.contentType, ...common, ...page.headers, ...headers },
    });
    return noteBody(response, page.body);
  };
  return (status, message, headers, request) =>
    api.cors.share(request, render(status, message, headers, request), !hasCredentials(request));
}

/** Returns the base URL for an error page. Must not throw: the error may be about an invalid Host. */
function baseUrlOf(api: ApiServices, request: Request): string {
  try {
    return api.findBaseUrl(request, recordOf(request).clientAddress);
  } catch {
    return '';
  }
}

/**
 * Returns the error for a request that a schema rejects: that of the parameter (`parameters.ts`), or that of the body,
 * whose `refuseBody` gets the names of the invalid members.
 */
export const nameInvalid: NameInvalid = (error, request) => {
  const { validator, valueError, value } = error;
  const { schema: body } = validator as { schema?: TSchema };
  const failure =
    error.type === 'body'
      ? body?.refuseBody?.(value, error.all.map(nameOf))
      : valueError?.schema.refuse?.(valueError.value, nameOf(valueError), callOf(request));
  return failure ?? malformed('The request is malformed.', error);
};

/** Returns the name of the member that an error is about. */
function nameOf(error: object): string {
  return 'path' in error ? String(error.path).slice(1) : '';
}
