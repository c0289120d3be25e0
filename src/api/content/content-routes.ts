import { Type as t } from '@sinclair/typebox';
import { ServiceError } from '../../base/errors.ts';
import type { MemberScope } from '../../bulk/bulk-action.ts';
import { tombstoneAnswer } from '../../pages/content/tombstone-answer.ts';
import { showStored } from '../../pages/edit/content-form-routes.ts';
import { entityPath, paths } from '../../paths.ts';
import { termUriAccess } from '../../repository/access.ts';
import type { Access, ContentType } from '../../repository/access-rule.ts';
import type { Content } from '../../repository/content/content.ts';
import { removeContent } from '../../repository/content/write/remove-content.ts';
import { changeContent, createContent } from '../../repository/content/write/save-content.ts';
import { removeWithFiles } from '../../repository/media/remove-with-files.ts';
import { contentJson } from '../../representation/content-json.ts';
import type { ApiServices } from '../../web/api-services.ts';
import type { Call } from '../../web/call.ts';
import { resource } from '../../web/check.ts';
import { changedOf, etagFor } from '../../web/content-links.ts';
import { findOr404, findShown } from '../../web/find-content-or-404.ts';
import { CONTENT_FORMATS, type Formats, JSON_FORMATS, LINKSET_FORMATS, nodeFormats } from '../../web/formats.ts';
import { describe } from '../../web/openapi/describe.ts';
import { id, queryOf } from '../../web/parameters.ts';
import { empty, json, representation, requireCurrent } from '../../web/respond.ts';
import { linksetAnswer, shownAnswer, writtenAnswer } from './content-answer.ts';
import { type ContentBody, contentBody, parseBundle } from './content-body.ts';
import * as described from './describe-content.ts';
import { MEMBERS_OF_CHANGE, MEMBERS_OF_REMOVAL, prepareFollowing, removeWithMembers } from './members-of-change.ts';
import { redirectOfMerged } from './merge-routes.ts';

/** The addresses of a kind of content. */
interface Addresses {
  readonly type: ContentType;
  /** The paths that read, change and delete it. */
  readonly items: readonly string[];
  readonly creates: readonly string[];
  readonly linkset?: string;
  /** The representations (default: those of content that has a page). */
  readonly formats?: Formats;
}

const JSON_BODY = { json: true } as const;
const MEDIA_REMOVAL = queryOf({
  files: t.Optional(t.Literal('delete', { description: 'Deletes also its files that no other content uses.' })),
});
const REMOVAL = { node: MEMBERS_OF_REMOVAL, media: MEDIA_REMOVAL, taxonomy_term: queryOf({}), paragraph: queryOf({}) };

/** The query of a change, and that of a removal. */
interface ChangeQuery {
  readonly members?: MemberScope;
}
interface RemovalQuery extends ChangeQuery {
  readonly files?: 'delete';
  readonly title?: string;
}

/** Routes that create, read, change and delete nodes (spec: repository, "Endpoints"). */
export const nodeRoutes = (api: ApiServices) =>
  contentRoutes(api, {
    type: 'node',
    items: [paths.node],
    creates: [paths.nodes],
    linkset: paths.nodeLinkset,
    formats: nodeFormats(api.services.model),
  });

/** Routes that create, read, change and delete media. */
export const mediaRoutes = (api: ApiServices) =>
  contentRoutes(api, {
    type: 'media',
    items: [paths.media, paths.mediaEdit],
    creates: [paths.mediaCreate, paths.mediaCreateShort],
    linkset: paths.mediaLinkset,
  });

/** Routes that create, read, change and delete taxonomy terms. */
export const termRoutes = (api: ApiServices) =>
  contentRoutes(api, { type: 'taxonomy_term', items: [paths.term], creates: [paths.terms] });

/** Routes that create, read, change and delete paragraphs, if the content model has any. */
export const paragraphRoutes = (api: ApiServices) =>
  api.kinds.paragraph.bundles.size === 0
    ? resource(api)
    : contentRoutes(api, {
        type: 'paragraph',
        items: [paths.paragraph],
        creates: [paths.paragraphs],
        formats: JSON_FORMATS,
      });

function contentRoutes(api: ApiServices, { type, items, creates, linkset, formats = CONTENT_FORMATS }: Addresses) {
  const rules = { resource: `entity.${type}` };
  const params = t.Object({ [type]: id(`The id of the ${described.KINDS[type].noun}.`) });
  const app = resource(api);
  for (const [index, path] of items.entries()) {
    app
      .get(path, async ({ call }) => await show(call, type), {
        check: { ...rules, formats },
        params,
        detail: describe(
          type === 'paragraph' ? described.readParagraph() : described.readContent(type, formats, suffixOf(index)),
        ),
      })
      .patch(path, async ({ call, body, query }) => change(call, type, body, query), {
        check: { ...rules, ...JSON_BODY, access: (call: Call) => mayChange(call, type) },
        params,
        query: type === 'node' ? MEMBERS_OF_CHANGE : queryOf({}),
        body: contentBody(type, 'change'),
        detail: describe(described.changeContentOf(type, suffixOf(index))),
      })
      .delete(path, async ({ call, query }) => remove(call, type, query), {
        check: rules,
        params,
        query: REMOVAL[type],
        detail: describe(described.removeContentOf(type, suffixOf(index))),
      });
  }
  for (const [index, path] of creates.entries())
    app.post(path, async ({ call, body }) => create(call, type, body), {
      check: { ...rules, ...JSON_BODY, access: async (call: Call) => call.allow(await mayCreateAny(call, type)) },
      body: contentBody(type, 'create'),
      detail: describe(described.createContentOf(type, suffixOf(index))),
    });
  if (linkset !== undefined)
    app.get(linkset, async ({ call }) => await showLinkset(call, type), {
      check: { ...rules, formats: LINKSET_FORMATS },
      params,
      detail: describe(described.readLinkset(type)),
    });
  return app;
}

/** Returns the suffix that makes the operations of a second address unique. */
function suffixOf(index: number): string {
  return index === 0 ? '' : 'Alias';
}

async function show(call: Call, type: ContentType): Promise<Response> {
  // The JSON of a media is at both addresses; people change it here.
  if (call.format === 'html' && call.route === paths.mediaEdit) return showStored(call, 'media');
  const answer = await shownAnswer(call, type);
  if (answer !== undefined) return representation(call, answer);
  const moved = type === 'taxonomy_term' ? await redirectOfMerged(call) : undefined;
  if (moved !== undefined) return moved;
  const tombstone = type === 'node' && call.format === 'html' ? await tombstoneAnswer(call) : undefined;
  if (tombstone === undefined) throw call.notFound(type);
  return tombstone;
}

async function showLinkset(call: Call, type: ContentType): Promise<Response> {
  return representation(call, linksetAnswer(call, await findShown(call, type, 'with every media')));
}

async function create(call: Call, type: ContentType, { bundle, values }: ContentBody): Promise<Response> {
  const { api, actor } = call;
  const kind = api.kinds[type];
  call.require(kind.access.create(actor.anywhere(), bundle.name));
  const content = await createContent(api.services, actor, kind, bundle, values);
  const location = `${call.baseUrl}${entityPath[type](content.head.id)}`;
  return json(contentJson(content, call), 201, { Location: location });
}

/** Checks whether the caller may create any bundle. If not, the error names the missing permission for the bundle in the body. */
async function mayCreateAny(call: Call, type: ContentType): Promise<Access> {
  const { actor, api } = call;
  const kind = api.kinds[type];
  const access = kind.access.createAny(actor.anywhere(), kind.bundles.keys());
  if (access.isAllowed || access.reason === '' || !actor.isAuthenticated) return access;
  try {
    return kind.access.create(actor.anywhere(), parseBundle(kind, await call.json()).name);
  } catch (error) {
    // Other problems of the body do not concern a caller who may not create.
    if (error instanceof ServiceError) return access;
    throw error;
  }
}

async function mayChange(call: Call, type: ContentType): Promise<void> {
  const content = await findOr404(call, type);
  call.allow(content.kind.access.update(call.actor, content.head));
  call.content = content;
}

async function change(
  call: Call,
  type: ContentType,
  { values }: ContentBody,
  { members = 'none' }: ChangeQuery,
): Promise<Response> {
  const { api, actor } = call;
  let first = call.content;
  if (first !== undefined && members !== 'none') requireSame(call, first);
  const following =
    first === undefined || members === 'none' ? undefined : await prepareFollowing(call, first, values, members);
  const changing = changeContent(api.services, actor, values, {
    read: async () => {
      const current = first ?? (await findOr404(call, type));
      first = undefined;
      return current;
    },
    check: (current) => {
      call.require(current.kind.access.update(actor, current.head));
      requireSame(call, current);
    },
    note: call.note,
    ...(following && { after: following.begin }),
  });
  const content = await changing.catch(async (error: unknown) => {
    await following?.discard();
    throw error;
  });
  await following?.settle();
  const response = representation(call, await writtenAnswer(call, content));
  for (const [name, value] of Object.entries(call.noticeHeaders)) response.headers.set(name, value);
  return response;
}

async function remove(call: Call, type: ContentType, query: RemovalQuery): Promise<Response> {
  const { api, actor } = call;
  const { files, members = 'none' } = query;
  const content = await findOr404(call, type);
  call.allow(content.kind.access.remove(actor, content.head));
  if (type === 'node' && (files === 'delete' || members !== 'none')) {
    await removeWithMembers(call, content, query, (current) => requireSame(call, current));
    return empty(204, call.noticeHeaders);
  }
  if (files === 'delete') {
    await removeWithFiles(api.services, actor, {
      read: () => findOr404(call, type),
      check: (current, ofFiles) => {
        call.require(current.kind.access.remove(actor, current.head));
        for (const access of ofFiles) call.require(access);
        requireSame(call, current);
      },
    });
    return empty(204);
  }
  await removeContent(
    api.services,
    () => findOr404(call, type),
    (current, uris) => {
      call.require(current.kind.access.remove(actor, current.head));
      call.require(termUriAccess(actor, uris, api.services.configuredUris));
      requireSame(call, current);
    },
  );
  return empty(204);
}

function requireSame(call: Call, content: Content): void {
  requireCurrent(call, () => etagFor(call, content), changedOf(content));
}
