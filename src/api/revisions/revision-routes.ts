import { type TProperties, type TSchema, Type as t } from '@sinclair/typebox';
import { dateItem } from '../../field-types/moment.tsx';
import { closed, text } from '../../field-types/schemas.ts';
import { type CompareQuery, historyPageAnswer, revisionPageAnswer } from '../../pages/revisions/revision-pages.ts';
import { entityPath, paths } from '../../paths.ts';
import type { LinkedType } from '../../repository/access-rule.ts';
import type { Content } from '../../repository/content/content.ts';
import {
  findRevision,
  listRevisions,
  mayViewRevision,
  type Revision,
  revertTo,
} from '../../repository/revisions/revisions.ts';
import { contentJson } from '../../representation/content-json.ts';
import type { ApiServices } from '../../web/api-services.ts';
import type { Call } from '../../web/call.ts';
import { resource } from '../../web/check.ts';
import { changedOf, etagFor } from '../../web/content-links.ts';
import { findOr404 } from '../../web/find-content-or-404.ts';
import { PAGE_AND_JSON_FORMATS } from '../../web/formats.ts';
import { listOfOne, namedSchema } from '../../web/openapi/components.ts';
import {
  changed,
  describe,
  JSON_TYPE,
  PAGE_CONTENT,
  READ_CONDITIONS,
  versioned,
  WRITE_CONDITIONS,
} from '../../web/openapi/describe.ts';
import { CONTENT_HEADERS } from '../../web/openapi/headers.ts';
import { id, PAGE_QUERY, type PageQuery, pageOrFirst, parameter, queryOf } from '../../web/parameters.ts';
import { json, plainRepresentation, representation, requireCurrent, VARY_BY_ACCEPT } from '../../web/respond.ts';
import { writtenAnswer } from '../content/content-answer.ts';
import { CONTENT_SCHEMAS } from '../content/content-schemas.ts';

const PAGE_SIZE = 50;

const revisionToCompare = parameter(
  { type: 'integer', minimum: 1, description: 'The id of a revision to compare (default: the current one).' },
  // JSON ignores it. Pages check it.
  () => true,
  () => undefined,
);
const COMPARE_QUERY = { left: t.Optional(revisionToCompare), right: t.Optional(revisionToCompare) };

type RevisionedType = Exclude<LinkedType, 'taxonomy_term'>;

const PATHS = {
  node: { list: paths.nodeRevisions, view: paths.nodeRevision, revert: paths.nodeRevert },
  media: { list: paths.mediaRevisions, view: paths.mediaRevision, revert: paths.mediaRevert },
};
const NAMES = { node: 'Node', media: 'Media' } as const;

/** Routes that list the revisions of a node, read one, and revert to one. */
export const nodeRevisionRoutes = (api: ApiServices) => revisionRoutes(api, 'node');

/** Routes that list the revisions of a media, read one, and revert to one. */
export const mediaRevisionRoutes = (api: ApiServices) => revisionRoutes(api, 'media');

const REVISION_SCHEMAS: Readonly<Record<RevisionedType, TSchema>> = {
  node: revisionSchema('node'),
  media: revisionSchema('media'),
};

/** Declares the schema of an entry of the history. */
function revisionSchema(type: RevisionedType): TSchema {
  return namedSchema(`${NAMES[type]}Revision`, (components) => {
    const { names, baseFieldNamed } = components.api.kinds[type];
    const members: TProperties = {};
    for (const member of [names.id, names.revisionId, names.revisionCreated, names.revisionUser]) {
      const definition = baseFieldNamed.get(member)?.definition;
      if (definition) members[member] = t.Array(components.item(definition), { maxItems: 1 });
    }
    members[names.revisionLog] = t.Array(closed({ value: text }), { maxItems: 1 });
    members.default_revision = listOfOne(closed({ value: t.Boolean() }));
    return closed(members, { description: '`default_revision` is true for the current revision.' });
  });
}

function revisionRoutes(api: ApiServices, type: RevisionedType) {
  const { list: listPath, view: viewPath, revert: revertPath } = PATHS[type];
  const check = { resource: `${type}.revisions` };
  const read = { ...check, formats: PAGE_AND_JSON_FORMATS };
  const params = t.Object({ [type]: id(`The id of the ${type}.`) });
  const revisionParams = t.Object({ ...params.properties, [`${type}_revision`]: id('The id of the revision.') });
  const name = NAMES[type];
  return resource(api)
    .get(listPath, async ({ call, query }) => list(call, type, query), {
      check: { ...read, access: (call: Call) => mayView(call, type) },
      params,
      query: queryOf({ ...PAGE_QUERY, ...COMPARE_QUERY }),
      detail: describe({
        operationId: `list${name}Revisions`,
        tag: 'revisions',
        summary: `List the revisions of a ${type}`,
        description:
          'The newest first, fifty on a page. As a page for browsers with `left` or `right`: the comparison of two revisions.',
        responses: {
          200: {
            description: 'The revisions.',
            headers: CONTENT_HEADERS,
            content: { [JSON_TYPE]: t.Array(REVISION_SCHEMAS[type]), ...PAGE_CONTENT },
          },
        },
        failures: [403, 404],
      }),
    })
    .get(viewPath, async ({ call }) => view(call, type), {
      check: read,
      params: revisionParams,
      detail: describe({
        operationId: `get${name}Revision`,
        tag: 'revisions',
        summary: `Read a revision of a ${type}`,
        description: 'Requires the right to view it as it was: with its status and its owner.',
        headers: READ_CONDITIONS,
        responses: {
          ...versioned(`The revision of the ${type}.`, {}),
          // The page for those who may bring the revision back has the token of their session, and no version.
          200: {
            description: `The revision of the ${type}.`,
            headers: CONTENT_HEADERS,
            content: { [JSON_TYPE]: CONTENT_SCHEMAS[type].answer, ...PAGE_CONTENT },
          },
        },
        failures: [403, 404, 412],
      }),
    })
    .post(revertPath, async ({ call }) => revert(call, type), {
      check,
      params: revisionParams,
      detail: describe({
        operationId: `revert${name}`,
        tag: 'revisions',
        summary: `Make a revision of a ${type} the current one`,
        description:
          'Creates a new revision. The history keeps all revisions. Fields that the caller may not change keep their values.',
        headers: WRITE_CONDITIONS,
        responses: changed(`The changed ${type}.`, CONTENT_SCHEMAS[type].answer),
        failures: [403, 404, 409, 412, 422, 507],
      }),
    });
}

/** Returns the content if the caller may view its revisions. */
async function mayView(call: Call, type: RevisionedType): Promise<Content> {
  const content = await findOr404(call, type);
  call.allow(content.kind.access.viewRevisions(call.actor, content.head));
  call.content = content;
  return content;
}

async function list(call: Call, type: RevisionedType, query: PageQuery & CompareQuery): Promise<Response> {
  const content = call.content ?? (await mayView(call, type));
  if (call.format === 'html') return historyPageAnswer(call, content, query, PAGE_SIZE);
  const { services } = call.api;
  const revisions = await listRevisions(services, content.kind, content.head.id, pageOrFirst(query, PAGE_SIZE));
  const headers = call.isNegotiated ? { Vary: VARY_BY_ACCEPT } : undefined;
  return json(JSON.stringify(revisions.map((revision) => entry(call, content, revision))), 200, headers);
}

/** Returns an entry of the history with items as in the entity. */
function entry({ actor }: Call, content: Content, revision: Revision) {
  const { kind, head } = content;
  const { id, created, userId, userUuid, isCurrent } = revision;
  const { names } = kind;
  // The message describes what the caller may not view.
  const log = mayViewRevision(actor, content, revision) ? revision.log : null;
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

async function view(call: Call, type: RevisionedType): Promise<Response> {
  const content = await mayView(call, type);
  const revision = await revisionOr404(call, type, content);
  if (call.format === 'html') return revisionPageAnswer(call, content, revision);
  // A target of the revision may have been deleted since, which sets no date.
  return plainRepresentation(call, contentJson(revision, call), undefined);
}

async function revert(call: Call, type: RevisionedType): Promise<Response> {
  const earlier = await findOr404(call, type);
  call.allow(earlier.kind.access.revert(call.actor, earlier.head));
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

/** Returns content as of a revision. Throws unless the caller may view it as it was: with its status, owner and nodes. */
async function revisionOr404(call: Call, type: RevisionedType, content: Content): Promise<Content> {
  const revision = await findRevision(call.api.services, content, call.id(`${type}_revision`));
  if (revision === undefined) throw call.notFound(`${type}_revision`);
  call.allow(revision.kind.access.view(call.actor, revision.head));
  return revision;
}
