import { Type as t } from '@sinclair/typebox';
import { malformed, ServiceError } from '../../base/errors.ts';
import { etagOf } from '../../http/etag.ts';
import { activityCollection, activityPage, DISCOVERY_CONTEXT } from '../../iiif/discovery/activity-answer.ts';
import {
  type ActivityPage,
  type ActivityRow,
  findActivityEnds,
  findActivityPage,
} from '../../iiif/discovery/find-activities.ts';
import { findAnswering } from '../../iiif/presentation/find-answering.ts';
import { resourceTypeOf } from '../../iiif/presentation/resource.ts';
import { paths } from '../../paths.ts';
import type { HarvestKey } from '../../repository/access/harvest-order.ts';
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
  const { database, access } = api.services;
  const services = { database, access, viewer: api.anonymous };
  await requireRecords(database);
  const isPublic = nodeAccess.visibility(api.anonymous).published;
  const end = keyIn(until);
  const activities = end && isPublic ? await findActivityPage(services, end) : undefined;
  if (end !== undefined && (activities === undefined || activities.rows.length === 0))
    throw new ServiceError(
      'not-found',
      `The list has no page ${until}. ${baseUrl}${paths.iiifActivity} names its pages.`,
    );
  const body = JSON.stringify(
    end && activities
      ? activityPage({ baseUrl, model: api.services.model }, end, await answeringOnly(call, activities))
      : activityCollection(baseUrl, isPublic ? await findActivityEnds(services) : undefined),
  );
  return representation(call, { body, etag: etagOf(body), changed: undefined, contentType: CONTENT_TYPE });
}

/** Returns a page without the manifests that do not answer, such as that of a node whose only file is a ZIP archive. */
async function answeringOnly({ api }: Call, page: ActivityPage): Promise<ActivityPage> {
  const { services, anonymous } = api;
  const isManifest = ({ isVisible, model }: ActivityRow) =>
    isVisible && resourceTypeOf(services.model, model) === 'Manifest';
  const manifests = page.rows.filter(isManifest).map(({ nid }) => nid);
  const answering = await findAnswering(services, anonymous, manifests);
  return { ...page, rows: page.rows.filter((row) => !isManifest(row) || answering.has(row.nid)) };
}

function keyIn(until: string | undefined): HarvestKey | undefined {
  const [, stamp, nid] = UNTIL.exec(until ?? '') ?? [];
  return stamp === undefined ? undefined : { stamp: Number(stamp), nid: Number(nid) };
}
