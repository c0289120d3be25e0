import { findCards } from '../../repository/content/lists/find-cards.ts';
import { findAttachedFiles } from '../../repository/content/read/find-attached-files.ts';
import { findBreadcrumbs, findTypedBreadcrumbs } from '../../repository/content/read/find-breadcrumbs.ts';
import { findSiblings } from '../../repository/content/read/find-siblings.ts';
import type { ContentInContext } from '../../repository/content/read/read-content.ts';
import { findNodeUse } from '../../repository/usage/find-usage.ts';
import type { Call } from '../../web/call.ts';
import { itemAccess } from '../access/item-access.ts';
import { CARDS_PER_PAGE, cardSort, type PageQuery } from '../content/page-query.ts';
import type { ContentPage, ContentState } from '../content/shown-content.ts';
import { findFailures } from '../upload/find-failures.ts';
import { gatherStage } from '../viewer/gather-stage.ts';
import { itemPage } from './item-page.tsx';
import type { NodePageData } from './node-page-data.ts';

/** Reads the further data of a node's page. On a database server the reads share a round trip. */
export async function gatherNodePage(
  call: Call,
  entity: ContentInContext,
  query: PageQuery,
  state: ContentState,
): Promise<ContentPage> {
  const { api, actor } = call;
  const { services } = api;
  const { kind, head } = entity.content;
  const { id } = head;
  const mayEdit = state === 'stored' && actor.isAuthenticated && kind.access.update(actor, head).isAllowed;
  const { page } = query;
  const { surroundings } = entity;
  const everyMedia = surroundings.hasMoreMedia ? await api.content.everyMedia(entity.parsed(), actor) : undefined;
  const [files, breadcrumbs, siblings, members, stage, use, failures, access] = await Promise.all([
    findAttachedFiles(services, everyMedia ?? surroundings.media),
    state === 'stored' ? findBreadcrumbs(services, actor, id) : findTypedBreadcrumbs(services, actor, entity),
    // The neighbours are those of the stored place.
    state === 'stored' ? findSiblings(services, actor, id, query.collection) : undefined,
    findCards(services, actor, { members: id }, { page, size: CARDS_PER_PAGE, sort: cardSort(query) }),
    gatherStage(call, entity),
    state === 'stored' && api.usage.isShown ? findNodeUse(services.database, id) : undefined,
    mayEdit ? findFailures(call, id) : [],
    state === 'stored' ? itemAccess(call, head, mayEdit) : undefined,
  ]);
  const data: NodePageData = { query, files, everyMedia, breadcrumbs, siblings, members, stage, use, failures, access };
  return { render: (shown, source) => itemPage(shown, data, source) };
}
