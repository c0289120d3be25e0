import { Type as t } from '@sinclair/typebox';
import { noteBody } from '../../http/compression.ts';
import { etagOf } from '../../http/etag.ts';
import { checkPreconditions } from '../../http/preconditions.ts';
import { paths } from '../../paths.ts';
import { stale } from '../../repository/errors.ts';
import type { ApiServices } from '../../web/api-services.ts';
import type { Call } from '../../web/call.ts';
import { resource } from '../../web/check.ts';
import { describe, READ_CONDITIONS } from '../../web/openapi/describe.ts';
import type { HeaderName } from '../../web/openapi/headers.ts';

/** These addresses have no hash. */
const CACHED = 'public, max-age=3600';
const HEADERS: readonly HeaderName[] = ['Cache-Control', 'ETag', 'X-Content-Type-Options'];

/** The routes of files that browsers and search engines expect at fixed addresses. */
export const siteFileRoutes = (api: ApiServices) =>
  resource(api)
    .get(paths.robots, ({ call }) => answerFile(call, robotsText(call), 'text/plain; charset=utf-8'), {
      check: { formats: 'single' },
      detail: describe({
        operationId: 'getRobots',
        tag: 'pages',
        summary: 'Read the rules for crawlers',
        headers: READ_CONDITIONS,
        responses: fileResponses(
          'The text of the setting `site.robots`, or the rules of `robots.policy`, and the address of the sitemap.',
          'text/plain',
        ),
        failures: [412],
      }),
    })
    .get(
      paths.favicon,
      ({ call }) => {
        const icon = api.findAsset('favicon.ico');
        return answerFile(call, icon?.bytes ?? '', icon?.type ?? '');
      },
      {
        check: { formats: 'single' },
        detail: describe({
          operationId: 'getFavicon',
          tag: 'pages',
          summary: 'Read the icon for browsers without SVG',
          headers: READ_CONDITIONS,
          responses: fileResponses('An icon.', 'image/x-icon'),
          failures: [412],
        }),
      },
    );

/** Returns the rules of the site, and the address of its sitemap. */
function robotsText({ api: { robots }, baseUrl }: Call): string {
  return `${robots}${robots === '' || robots.endsWith('\n') ? '' : '\n'}Sitemap: ${baseUrl}${paths.sitemap}\n`;
}

function fileResponses(description: string, type: string) {
  return {
    200: { description, headers: HEADERS, content: { [type]: t.String() } },
    304: { description: 'The caller has this version.', headers: HEADERS },
  };
}

function answerFile({ request }: Call, body: string | Uint8Array<ArrayBuffer>, type: string): Response {
  const etag = etagOf(body);
  const headers = { 'Content-Type': type, 'Cache-Control': CACHED, ETag: etag, 'X-Content-Type-Options': 'nosniff' };
  const outcome = checkPreconditions(request.method, request.headers, { etag });
  if (outcome === 'failed') throw stale();
  if (outcome === 'not-modified') return noteBody(new Response(null, { status: 304, headers }), body);
  return noteBody(new Response(body, { headers }), body);
}
