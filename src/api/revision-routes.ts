import { dateItem } from '../fields/date-types.ts';
import { entityPath, paths } from '../paths.ts';
import type { Content } from '../repository/content/content.ts';
import type { LinkedType } from '../repository/content/kinds.ts';
import { findRevision, listRevisions, type Revision, revertTo } from '../repository/revisions/revisions.ts';
import { type Call, parseId } from './call.ts';
import { changedOf, contentAnswer, etagFor } from './content-answer.ts';
import { bodyOf, findOr404 } from './content-routes.ts';
import { pageOrFirst } from './list-routes.ts';
import { listRevisionsOf, readRevisionOf, revertOf } from './openapi/describe-lists.ts';
import { json, plainRepresentation, representation, requireCurrent } from './respond.ts';
import type { Route } from './routes.ts';

const PAGE_SIZE = 50;

interface Addresses {
  readonly type: Exclude<LinkedType, 'taxonomy_term'>;
  readonly list: string;
  readonly view: string;
  readonly revert: string;
}

const NODE: Addresses = {
  type: 'node',
  list: paths.nodeRevisions,
  view: paths.nodeRevision,
  revert: paths.nodeRevert,
};
const MEDIA: Addresses = {
  type: 'media',
  list: paths.mediaRevisions,
  view: paths.mediaRevision,
  revert: paths.mediaRevert,
};

/** The history of nodes and media: look through it, look at a revision, go back to one. */
export const revisionRoutes: readonly Route[] = [NODE, MEDIA].flatMap((addresses): Route[] => {
  const resource = `${addresses.type}.revisions`;
  return [
    {
      method: 'GET',
      path: addresses.list,
      resource,
      description: listRevisionsOf(addresses.type),
      answer: (call) => list(call, addresses),
    },
    {
      method: 'GET',
      path: addresses.view,
      resource,
      description: readRevisionOf(addresses.type),
      answer: (call) => view(call, addresses),
    },
    {
      method: 'POST',
      path: addresses.revert,
      resource,
      description: revertOf(addresses.type),
      answer: (call) => revert(call, addresses),
    },
  ];
});

async function list(call: Call, { type, list: path }: Addresses): Promise<Response> {
  const content = await findOr404(call, type, path, `entity.${type}.version_history`);
  call.allow(content.kind.access.viewRevisions(call.actor, content.head));
  const page = pageOrFirst(call, PAGE_SIZE);
  const revisions = await listRevisions(call.api.services, content.kind, content.head.id, page);
  return json(JSON.stringify(revisions.map((revision) => entry(content, revision))));
}

/** One line of the history, in the item form of the entity's own members. */
function entry({ kind, head }: Content, { id, created, userId, userUuid, log, isCurrent }: Revision) {
  const { names } = kind;
  const url = userId === null ? undefined : entityPath.user(userId);
  return {
    [names.id]: [{ value: head.id }],
    [names.revisionId]: [{ value: id }],
    [names.revisionCreated]: [dateItem(created)],
    [names.revisionUser]:
      userId === null ? [] : [{ target_id: userId, target_type: 'user', target_uuid: userUuid ?? '', url }],
    [names.revisionLog]: log === null ? [] : [{ value: log }],
    default_revision: [{ value: isCurrent }],
  };
}

async function view(call: Call, addresses: Addresses): Promise<Response> {
  const content = await findOr404(call, addresses.type, addresses.view, `entity.${addresses.type}.revision`);
  call.allow(content.kind.access.viewRevisions(call.actor, content.head));
  const revision = await revisionOr404(call, addresses, content, addresses.view);
  // What it referred to may have gone since, which left no date.
  return plainRepresentation(call, bodyOf(call, revision), undefined);
}

async function revert(call: Call, addresses: Addresses): Promise<Response> {
  const { type, revert: path } = addresses;
  const route = `${type}.revision_revert`;
  const found = await findOr404(call, type, path, route);
  call.allow(found.kind.access.revert(call.actor, found.head));
  const content = await revertTo(
    call.api.services,
    call.actor,
    async () => {
      const current = await findOr404(call, type, path, route);
      call.require(current.kind.access.revert(call.actor, current.head));
      requireCurrent(call, () => etagFor(call, current), changedOf(current));
      return current;
    },
    (current) => revisionOr404(call, addresses, current, path),
  );
  return representation(call, await contentAnswer(call, content));
}

async function revisionOr404(call: Call, { type }: Addresses, content: Content, path: string): Promise<Content> {
  const id = parseId(call.params[`${type}_revision`]);
  const revision = id === undefined ? undefined : await findRevision(call.api.services, content, id);
  if (revision === undefined) throw call.notFound(`${type}_revision`, path, `entity.${type}.revision`);
  return revision;
}
