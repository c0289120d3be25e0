import { Type as t } from '@sinclair/typebox';
import { malformed, ServiceError } from '../../base/errors.ts';
import { findLastChange, findState, type HarvestState } from '../../harvest/sitemap/find-addresses.ts';
import {
  SITE_PART,
  type SitemapSource,
  writeIndex,
  writePart,
  writeSitePart,
} from '../../harvest/sitemap/write-sitemap.ts';
import { etagOf } from '../../http/etag.ts';
import { checkPreconditions, formatHttpDate } from '../../http/preconditions.ts';
import { paths } from '../../paths.ts';
import { nodeAccess } from '../../repository/access.ts';
import { stale } from '../../repository/errors.ts';
import { requireRecords } from '../../repository/search-index/require-records.ts';
import type { ApiServices } from '../../web/api-services.ts';
import type { Call } from '../../web/call.ts';
import { resource } from '../../web/check.ts';
import { describe, READ_CONDITIONS } from '../../web/openapi/describe.ts';
import type { HeaderName } from '../../web/openapi/headers.ts';
import { parameter, queryOf } from '../../web/parameters.ts';
import { streamText } from '../../web/stream-text.ts';

const XML = 'application/xml; charset=utf-8';
/** A date identifies a version once its second is over. */
const SETTLED_SECONDS = 2;

const QUERY = queryOf({
  part: t.Optional(
    parameter(
      { type: 'string', description: `A part that the index names: \`${SITE_PART}\`, or a number from 1.` },
      (text) => text === SITE_PART || /^[1-9]\d{0,8}$/.test(text),
      (value) =>
        malformed(
          `The query parameter "part" must be "${SITE_PART}" or a number from 1, found "${String(value).slice(0, 20)}".`,
        ),
    ),
  ),
});

const HEADERS: readonly HeaderName[] = ['Cache-Control', 'ETag', 'Last-Modified', 'X-Content-Type-Options'];

/** The route of the sitemap for search engines (sitemaps.org): what callers without credentials may view. */
export const sitemapRoutes = (api: ApiServices) =>
  resource(api).get(paths.sitemap, async ({ call, query }) => answer(call, query.part), {
    check: { resource: 'sitemap', formats: 'single' },
    query: QUERY,
    detail: describe({
      operationId: 'getSitemap',
      tag: 'harvesting',
      summary: 'Read the sitemap',
      description: 'An index of parts, or a part with at most 50,000 addresses. All callers get the same.',
      headers: READ_CONDITIONS,
      responses: {
        200: { description: 'The index, or the part.', headers: HEADERS, content: { 'application/xml': t.String() } },
        304: { description: 'The caller has this version.', headers: HEADERS },
      },
      failures: [400, 404, 412],
    }),
  });

async function answer(call: Call, part: string | undefined): Promise<Response> {
  const { api, baseUrl, request } = call;
  const { database, now, access } = api.services;
  await requireRecords(database);
  const isPublic = nodeAccess.visibility(api.anonymous).published;
  const source: SitemapSource = { database, baseUrl, isPublic, times: access.harvestTimes(api.anonymous.sight) };
  const state = await findState(source);
  const number = Number(part) - 1;
  const isNumbered = part !== undefined && part !== SITE_PART;
  if (isNumbered && (!isPublic || (await findLastChange(source, number)) === undefined))
    throw new ServiceError('not-found', `The sitemap has no part ${part}. ${baseUrl}${paths.sitemap} lists the parts.`);
  const etag = etagOf([api.edition, baseUrl, isPublic, state.version, part].join(' '));
  const changed = lastModified(state, now());
  const headers = {
    'Content-Type': XML,
    'Cache-Control': 'must-revalidate, no-cache',
    ETag: etag,
    ...(changed && { 'Last-Modified': formatHttpDate(changed) }),
    'X-Content-Type-Options': 'nosniff',
  };
  const outcome = checkPreconditions(request.method, request.headers, { etag, lastModified: changed });
  if (outcome === 'failed') throw stale();
  if (outcome === 'not-modified') return new Response(null, { status: 304, headers });
  if (request.method === 'HEAD') return new Response(null, { headers });
  if (part === SITE_PART) return new Response(writeSitePart(source), { headers });
  const text = part === undefined ? writeIndex(source, state) : writePart(source, number);
  return new Response(streamText(call, text), { headers });
}

function lastModified({ stamp }: HarvestState, now: number): Date | undefined {
  return stamp === undefined || stamp > now - SETTLED_SECONDS ? undefined : new Date(stamp * 1000);
}
