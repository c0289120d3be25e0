import { isoTime } from '../../base/in-words.ts';
import type { ContentModel } from '../../model/content-model.ts';
import { pathOf, paths } from '../../paths.ts';
import type { HarvestKey } from '../../repository/access/harvest-order.ts';
import { type Resource, resourceTypeOf } from '../presentation/resource.ts';
import type { ActivityPage, ActivityRow } from './find-activities.ts';

/** The context of the Change Discovery API 1.0, which names its members. */
export const DISCOVERY_CONTEXT = 'http://iiif.io/api/discovery/1/context.json';

const PAGE = 'OrderedCollectionPage';

/** Returns the list of changes (Change Discovery API 1.0, 3.1). `baseUrl` has no slash at the end. */
export function activityCollection(
  baseUrl: string,
  ends: { readonly first: HarvestKey; readonly last: HarvestKey } | undefined,
): Resource {
  return {
    '@context': DISCOVERY_CONTEXT,
    id: baseUrl + paths.iiifActivity,
    type: 'OrderedCollection',
    ...(ends === undefined
      ? { totalItems: 0 }
      : { first: pageReference(baseUrl, ends.first), last: pageReference(baseUrl, ends.last) }),
  };
}

/** Returns a page of changes (Change Discovery API 1.0, 3.2), the most recent last. */
export function activityPage(
  { baseUrl, model }: { readonly baseUrl: string; readonly model: Pick<ContentModel, 'models'> },
  end: HarvestKey,
  { rows, previous, next }: ActivityPage,
): Resource {
  return {
    '@context': DISCOVERY_CONTEXT,
    id: pageAddress(baseUrl, end),
    type: PAGE,
    partOf: { id: baseUrl + paths.iiifActivity, type: 'OrderedCollection' },
    prev: previous && pageReference(baseUrl, previous),
    next: next && pageReference(baseUrl, next),
    orderedItems: rows.map((row) => ({
      type: typeOf(row),
      object: {
        id: baseUrl + pathOf('nodeManifest', { node: row.nid }),
        type: resourceTypeOf(model, row.model),
      },
      endTime: isoTime(row.stamp),
    })),
  };
}

/** The only activity of a node that was written once is its creation. */
function typeOf({ isVisible, version }: ActivityRow): string {
  if (!isVisible) return 'Delete';
  return version === 1 ? 'Create' : 'Update';
}

function pageReference(baseUrl: string, end: HarvestKey): Resource {
  return { id: pageAddress(baseUrl, end), type: PAGE };
}

function pageAddress(baseUrl: string, { stamp, nid }: HarvestKey): string {
  return `${baseUrl}${paths.iiifActivity}?until=${stamp}.${nid}`;
}
