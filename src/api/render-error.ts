import type { RenderError } from '../http/error-plugin.ts';
import { recordOf } from '../http/request-log.ts';
import type { ApiServices } from './api-services.ts';
import { chooseFailureFormat } from './formats.ts';
import { hasCredentials } from './identify.ts';
import { VARY_BY_ACCEPT, VARY_BY_CALLER } from './respond.ts';

const COMMON = { 'Cache-Control': 'must-revalidate, no-cache, private', 'X-Content-Type-Options': 'nosniff' };

/** An error as its reader understands it: one member with one sentence (spec: rest-behaviour, 2.1), and a page for a browser. */
export function createRenderError(api: ApiServices): RenderError {
  const render: RenderError = (status, message, headers, request) => {
    const { format, isNegotiated } = chooseFailureFormat(request);
    const common = { ...COMMON, Vary: isNegotiated ? VARY_BY_ACCEPT : VARY_BY_CALLER };
    if (format !== 'html') {
      const body = JSON.stringify({ message });
      return new Response(body, { status, headers: { 'Content-Type': 'application/json', ...common, ...headers } });
    }
    const page = api.pages.error(status, message, { siteName: api.siteName, baseUrl: baseUrlOf(api, request) });
    return new Response(page.body, {
      status,
      headers: { 'Content-Type': page.contentType, ...common, ...page.headers, ...headers },
    });
  };
  return (status, message, headers, request) =>
    api.cors.share(request, render(status, message, headers, request), !hasCredentials(request));
}

/** Nothing may fail here: a host that names no site is what the error is about, and its links lead to the same place. */
function baseUrlOf(api: ApiServices, request: Request): string {
  try {
    return api.findBaseUrl(request, recordOf(request).clientAddress);
  } catch {
    return '';
  }
}
