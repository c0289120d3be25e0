import { Type as t } from '@sinclair/typebox';
import { malformed, ServiceError } from '../../base/errors.ts';
import { etagOf } from '../../http/etag.ts';
import { activityCollection, activityPage, DISCOVERY_CONTEXT } from '../../iiif/discovery/activity-answer.ts';
import { type ActivityKey, findActivityEnds, findActivityPage } from '../../iiif/discovery/find-activities.ts';
import { paths } from '../../paths.ts';
import { nodeAccess } from '../../repository/access.ts';
import { requireRecords } from '../../repository/search-index/require-records.ts';
import type { ApiServices } from '../../web/api-services.ts';
import type { Call } from '../../web/call.ts';
import { resource } from '../../web/check.ts';
import { describe, GRAPH_TYPE, READ_CONDITIONS, versioned } from '../../web/openapi/describe.ts';
import { parameter, queryOf } from '../../web/parameters.ts';
import { representation } from '../../web/respond.ts';

const CONTENT_TYPE = `${GRAPH_TYPE};profile="${DISCOVERY_CONTEXT}"`;
const UNTIL = /^(\d{1,12})\.(\d{1,15})$/;

const QUERY = queryOf({
  until: t.Optional(
    parameter(
      { type: 'string', description: 'The last activity of a page, as addresses of pages contain it.' },
      (text) => UNTIL.test(text),
      (value) => malformed(`The query parameter "until" names no page: "${String(value).slice(0, 40)}".`),
    ),
  ),
});

/** The route of changes of manifests and collections (IIIF Change Discovery API 1.0). */
export const activityRoutes = (api: ApiServices) =>
  resource(api).get(paths.iiifActivity, async ({ call, query }) => answer(call, query.until), {
    check: { resource: 'iiif.presentation', formats: 'single' },
    query: QUERY,
    detail: describe({
      operationId: 'getIiifActivity',
      tag: 'harvesting',
      summary: 'List changes of manifests and collections',
      description:
        'IIIF Change Discovery API 1.0, level 2: the last change of each node that callers without credentials may or might view. All callers get the same.',
      headers: READ_CONDITIONS,
      responses: versioned('The list, or a page of it.', {
        [GRAPH_TYPE]: t.Unsafe({ type: 'object', required: ['@context', 'id', 'type'] }),
      }),
      failures: [400, 404, 412],
    }),
  });

async function answer(call: Call, until: string | undefined): Promise<Response> {
  const { api, baseUrl } = call;
  const { database } = api.services;
  await requireRecords(database);
  const isPublic = nodeAccess.visibility(api.anonymous).published;
  const end = keyIn(until);
  const activities = end && isPublic ? await findActivityPage(database, end) : undefined;
  if (end !== undefined && (activities === undefined || activities.rows.length === 0))
    throw new ServiceError(
      'not-found',
      `The list has no page ${until}. ${baseUrl}${paths.iiifActivity} names its pages.`,
    );
  const body = JSON.stringify(
    end && activities
      ? activityPage({ baseUrl, model: api.services.model }, end, activities)
      : activityCollection(baseUrl, isPublic ? await findActivityEnds(database) : undefined),
  );
  return representation(call, { body, etag: etagOf(body), changed: undefined, contentType: CONTENT_TYPE });
}

function keyIn(until: string | undefined): ActivityKey | undefined {
  const [, stamp, nid] = UNTIL.exec(until ?? '') ?? [];
  return stamp === undefined ? undefined : { stamp: Number(stamp), nid: Number(nid) };
}
