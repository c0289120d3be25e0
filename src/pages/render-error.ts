import type { TSchema } from '@sinclair/typebox';
import { malformed } from '../base/errors.ts';
import { noteBody } from '../http/compression.ts';
import type { NameInvalid, RenderError } from '../http/error-plugin.ts';
import { recordOf } from '../http/request-log.ts';
import { addressWithin } from '../web/address-within.ts';
import type { ApiServices } from '../web/api-services.ts';
import { callOf, knownCallOf } from '../web/call.ts';
import { chooseFailureFormat } from '../web/formats.ts';
import { hasCredentials } from '../web/identify.ts';
import { type HtmlPage, VARY_BY_ACCEPT, VARY_BY_CALLER } from '../web/respond.ts';
import { sendAgainPage } from './account/send-again-page.tsx';
import { signInPage } from './account/sign-in-page.tsx';
import { challengePage } from './challenge/challenge-page.tsx';
import { errorPage } from './error-page.tsx';

const COMMON = { 'Cache-Control': 'must-revalidate, no-cache, private', 'X-Content-Type-Options': 'nosniff' };

/** Creates a function that renders errors: JSON with one sentence (spec: rest-behaviour, 2.1), or a page for a browser. */
export function createRenderError(api: ApiServices): RenderError {
  const render: RenderError = (status, message, headers, request) => {
    const { format, isNegotiated } = chooseFailureFormat(request, knownCallOf(request)?.format);
    const common = { ...COMMON, Vary: isNegotiated ? VARY_BY_ACCEPT : VARY_BY_CALLER };
    if (format !== 'html') {
      const body = JSON.stringify({ message });
      return noteBody(
        new Response(body, { status, headers: { 'Content-Type': 'application/json', ...common, ...headers } }),
        body,
      );
    }
    const page = failurePage(api, status, message, request);
    const response = new Response(page.body, {
      status,
      headers: { 'Content-Type': page.contentType, ...common, ...page.headers, ...ofPage(headers, request) },
    });
    return noteBody(response, page.body);
  };
  return (status, message, headers, request) =>
    api.cors.share(request, render(status, message, headers, request), !hasCredentials(request));
}

/** Returns the page of an error. A caller who must sign in gets the form for it, and what was typed is not lost. */
function failurePage(api: ApiServices, status: number, message: string, request: Request): HtmlPage {
  const call = knownCallOf(request);
  const { siteName, theme } = api;
  const site = call?.site ?? { siteName, theme, baseUrl: baseUrlOf(api, request), user: undefined };
  if (status === 401) {
    const address = request.method === 'GET' ? addressWithin(request) : undefined;
    const problem = hasPassword(request) ? message : undefined;
    return signInPage(
      { isNeeded: true, typed: call?.typed, ...(address && { address }), ...(problem && { problem }) },
      site,
    );
  }
  if (call?.challenge !== undefined)
    return challengePage({ challenge: call.challenge, address: addressWithin(request) }, site);
  if (call?.typed?.fields !== undefined)
    return sendAgainPage({ ...call.typed, fields: call.typed.fields, token: call.formToken }, site);
  return errorPage(status, message, site);
}

const hasPassword = ({ headers }: Request) => headers.has('authorization');

/** Replaces the challenge to which browsers ask for a password, since the page has a form for it. */
function ofPage(headers: Record<string, string>, request: Request): Record<string, string> {
  const challenge = headers['WWW-Authenticate'];
  if (challenge === undefined || hasPassword(request)) return headers;
  return { ...headers, 'WWW-Authenticate': challenge.replace(/^Basic/, 'Session') };
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
