import { Type as t } from '@sinclair/typebox';
import { dateItem } from '../../field-types/moment.tsx';
import { entityPath, paths } from '../../paths.ts';
import type { LinkedType } from '../../repository/access-rule.ts';
import type { Content } from '../../repository/content/content.ts';
import { findRevision, listRevisions, type Revision, revertTo } from '../../repository/revisions/revisions.ts';
import type { ApiServices } from '../api-services.ts';
import type { Call } from '../call.ts';
import { resource } from '../check.ts';
import { bodyOf, findOr404 } from '../content/find-content-or-404.ts';
import { changedOf, etagFor, writtenAnswer } from '../content-answer.ts';
import { jsonOf, listOf, READ_CONDITIONS, versioned, WRITE_CONDITIONS } from '../openapi/answers.ts';
import { describe } from '../openapi/describe.ts';
import { VERSION_HEADERS } from '../openapi/headers.ts';
import { id, PAGE_QUERY, type PageQuery, pageOrFirst, queryOf } from '../parameters.ts';
import { json, plainRepresentation, representation, requireCurrent } from '../respond.ts';

const PAGE_SIZE = 50;

type WithRevisions = Exclude<LinkedType, 'taxonomy_term'>;

const PATHS = {
  node: { list: paths.nodeRevisions, view: paths.nodeRevision, revert: paths.nodeRevert },
  media: { list: paths.mediaRevisions, view: paths.mediaRevision, revert: paths.mediaRevert },
};
const NAMES = { node: 'Node', media: 'Media' } as const;

/** The history of nodes: list it, read a revision, revert to one. */
export const nodeRevisionRoutes = (api: ApiServices) => revisionRoutes(api, 'node');

/** The same for media. */
export const mediaRevisionRoutes = (api: ApiServices) => revisionRoutes(api, 'media');

function revisionRoutes(api: ApiServices, type: WithRevisions) {
  const { list: listPath, view: viewPath, revert: revertPath } = PATHS[type];
  const check = { resource: `${type}.revisions`, name: `entity.${type}.revision` };
  const params = t.Object({ [type]: id(`The id of the ${type}.`) });
  const revisionParams = t.Object({ ...params.properties, [`${type}_revision`]: id('The id of the revision.') });
  const name = NAMES[type];
  return resource(api)
    .get(listPath, async ({ call, query }) => list(call, type, query), {
      check: { ...check, name: `entity.${type}.version_history`, access: (call: Call) => mayView(call, type) },
      params,
      query: queryOf(PAGE_QUERY),
      detail: describe({
        operationId: `list${name}Revisions`,
        tag: 'revisions',
        summary: `List the revisions of a ${type}`,
        description: 'The newest first, fifty on a page.',
        responses: listOf(`${name}Revision`),
        failures: [403, 404],
      }),
    })
    .get(viewPath, async ({ call }) => view(call, type), {
      check,
      params: revisionParams,
      detail: describe({
        operationId: `get${name}Revision`,
        tag: 'revisions',
        summary: `Read a revision of a ${type}`,
        headers: READ_CONDITIONS,
        responses: versioned(`The ${type} as it was.`, jsonOf(name)),
        failures: [403, 404, 412],
      }),
    })
    .post(revertPath, async ({ call }) => revert(call, type), {
      check: { ...check, name: `${type}.revision_revert` },
      params: revisionParams,
      detail: describe({
        operationId: `revert${name}`,
        tag: 'revisions',
        summary: `Make a revision of a ${type} the current one`,
        description: 'As a new revision; nothing of the history is lost.',
        headers: WRITE_CONDITIONS,
        responses: {
          200: { description: `The ${type} as it is now.`, headers: VERSION_HEADERS, content: jsonOf(name) },
        },
        failures: [403, 404, 409, 412, 422, 507],
      }),
    });
}

/** Returns the content of a history that the caller may see. */
async function mayView(call: Call, type: WithRevisions): Promise<Content> {
  const content = await findOr404(call, type);
  call.allow(content.kind.access.viewRevisions(call.actor, content.head));
  call.found = content;
  return content;
}

async function list(call: Call, type: WithRevisions, query: PageQuery): Promise<Response> {
  const content = call.found ?? (await mayView(call, type));
  const { services } = call.api;
  const revisions = await listRevisions(services, content.kind, content.head.id, pageOrFirst(query, PAGE_SIZE));
  return json(JSON.stringify(revisions.map((revision) => entry(content, revision))));
}

/** Returns one entry of the history, in the item form of the entity's own members. */
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

async function view(call: Call, type: WithRevisions): Promise<Response> {
  const content = await mayView(call, type);
  const revision = await revisionOr404(call, type, content);
  // What it referred to may have been deleted since, which left no date.
  return plainRepresentation(call, bodyOf(call, revision), undefined);
}

async function revert(call: Call, type: WithRevisions): Promise<Response> {
  const found = await findOr404(call, type);
  call.allow(found.kind.access.revert(call.actor, found.head));
  const content = await revertTo(
    call.api.services,
    call.actor,
    async () => {
      const current = await findOr404(call, type);
      call.require(current.kind.access.revert(call.actor, current.head));
      requireCurrent(call, () => etagFor(call, current), changedOf(current));
      return current;
    },
    (current) => revisionOr404(call, type, current),
  );
  return representation(call, await writtenAnswer(call, content));
}

async function revisionOr404(call: Call, type: WithRevisions, content: Content): Promise<Content> {
  const revision = await findRevision(call.api.services, content, Number(call.params[`${type}_revision`]));
  if (revision === undefined) throw call.notFound(`${type}_revision`, `entity.${type}.revision`);
  return revision;
}
