import { ServiceError } from '../base/errors.ts';
import { entityPath, paths } from '../paths.ts';
import { termUriAccess } from '../repository/access.ts';
import type { Access } from '../repository/access-rule.ts';
import type { Content } from '../repository/content/content.ts';
import type { ContentKind, ContentType } from '../repository/content/kinds.ts';
import { removeContent } from '../repository/content/remove-content.ts';
import { changeContent, createContent } from '../repository/content/save-content.ts';
import type { DatedSettings } from '../repository/settings/find-settings.ts';
import { contentJson } from '../representation/content-json.ts';
import { parseBundle, parseFields } from '../representation/parse-content.ts';
import type { ApiServices } from './api-services.ts';
import { type Ahead, type Call, parseId } from './call.ts';
import { changedOf, contentAnswer, etagFor, linksetAnswer, unchangedAnswer } from './content-answer.ts';
import { CONTENT_FORMATS, JSON_FORMATS, LINKSET_FORMATS } from './formats.ts';
import * as described from './openapi/describe-content.ts';
import { empty, json, representation, requireCurrent } from './respond.ts';
import type { Route } from './routes.ts';

const JSON_ONLY = ['application/json'];

interface Addresses {
  readonly type: ContentType;
  /** Where it is read and changed; the first is the one that messages name. */
  readonly items: readonly string[];
  readonly creates: readonly string[];
  /** Where all of its links are. */
  readonly linkset?: string;
  /** What can be read of it, and what is said of that; left out: everything, as of content with a page. */
  readonly read?: Pick<Route, 'formats' | 'description'>;
  readonly isNeeded?: Route['isNeeded'];
}

const NODE: Addresses = { type: 'node', items: [paths.node], creates: [paths.nodes], linkset: paths.nodeLinkset };
const MEDIA: Addresses = {
  type: 'media',
  items: [paths.media, paths.mediaEdit],
  creates: [paths.mediaCreate, paths.mediaCreateShort],
  linkset: paths.mediaLinkset,
};
const TERM: Addresses = { type: 'taxonomy_term', items: [paths.term], creates: [paths.terms] };

const PARAGRAPH: Addresses = {
  type: 'paragraph',
  items: [paths.paragraph],
  creates: [paths.paragraphs],
  read: { formats: JSON_FORMATS, description: described.readParagraph() },
  isNeeded: ({ kinds }) => kinds.paragraph.bundles.size > 0,
};

/** Create, read, change and remove nodes, media, terms and paragraphs (spec: repository, "Endpoints"). */
export const contentRoutes: readonly Route[] = [NODE, MEDIA, TERM, PARAGRAPH].flatMap((addresses) => {
  const { type, items, creates, linkset, read, isNeeded } = addresses;
  const resource = `entity.${type}`;
  const routes: Route[] = [
    ...items.flatMap((path, index): Route[] => [
      {
        method: 'GET',
        path,
        resource,
        formats: CONTENT_FORMATS,
        ahead: (api, params) => readAhead(api, type, params),
        description: described.readContent(type, suffixOf(index)),
        ...read,
        answer: (call) => show(call, type, path),
      },
      {
        method: 'PATCH',
        path,
        resource,
        accepts: JSON_ONLY,
        description: described.changeContentOf(type, suffixOf(index)),
        answer: (call) => change(call, type, path),
      },
      {
        method: 'DELETE',
        path,
        resource,
        description: described.removeContentOf(type, suffixOf(index)),
        answer: (call) => remove(call, type, path),
      },
    ]),
    ...creates.map(
      (path, index): Route => ({
        method: 'POST',
        path,
        resource,
        accepts: JSON_ONLY,
        description: described.createContentOf(type, suffixOf(index)),
        answer: (call) => create(call, type),
      }),
    ),
    ...(linkset === undefined ? [] : [linksetRoute(type, resource, linkset)]),
  ];
  return isNeeded === undefined ? routes : routes.map((route) => ({ ...route, isNeeded }));
});

function linksetRoute(type: ContentType, resource: string, path: string): Route {
  return {
    method: 'GET',
    path,
    resource,
    formats: LINKSET_FORMATS,
    ahead: (api, params) => readAhead(api, type, params),
    description: described.readLinkset(type),
    answer: (call) => showLinkset(call, type, path),
  };
}

/** What tells the operations of a second address from those of the first. */
function suffixOf(index: number): string {
  return index === 0 ? '' : 'Alias';
}

/** The content that a path names. Throws 404 in the API's words. */
export async function findOr404(
  call: Call,
  type: ContentType,
  path: string,
  route = `rest.entity.${type}.${call.request.method}`,
): Promise<Content> {
  const id = parseId(call.params[type]);
  const content = id === undefined ? undefined : await call.api.findContent(type, id);
  if (content === undefined) throw call.notFound(type, path, route);
  return content;
}

/** What the caller is shown of content. */
export function bodyOf(call: Call, content: Content): string {
  return contentJson(content, call);
}

/** Content, and the settings: they are needed further on, and cost no round trip of their own when asked for together. */
async function readAhead(api: ApiServices, type: ContentType, params: Call['params']): Promise<Ahead> {
  const id = parseId(params[type]);
  const [content, settings] = await Promise.all([
    id === undefined ? undefined : api.findContent(type, id),
    api.findSettings(),
  ]);
  return { content, settings };
}

/** What the caller is about to be shown. Throws 404, and whatever keeps them from seeing it. */
async function findShown(call: Call, type: ContentType, path: string): Promise<[Content, DatedSettings]> {
  const { content, settings } = await (call.ahead ?? readAhead(call.api, type, call.params));
  if (content === undefined) throw call.notFound(type, path, `rest.entity.${type}.${call.request.method}`);
  call.allow(content.kind.access.view(call.actor, content.head));
  return [content, settings];
}

async function show(call: Call, type: ContentType, path: string): Promise<Response> {
  // Before anything is read; what was read ahead is of before that.
  const stamp = call.ahead === undefined ? call.api.services.database.stamp() : undefined;
  const unchanged = unchangedAnswer(call, type, parseId(call.params[type]), stamp);
  if (unchanged !== undefined) {
    const { kind, head } = unchanged.content;
    call.allow(kind.access.view(call.actor, head));
    return representation(call, unchanged.answer);
  }
  const [content, settings] = await findShown(call, type, path);
  return representation(call, await contentAnswer(call, content, settings, stamp));
}

async function showLinkset(call: Call, type: ContentType, path: string): Promise<Response> {
  return representation(call, await linksetAnswer(call, ...(await findShown(call, type, path))));
}

async function create(call: Call, type: ContentType): Promise<Response> {
  const { api, actor } = call;
  const kind = api.kinds[type];
  call.allow(await mayCreateAny(call, kind));
  const body = await call.json();
  const bundle = parseBundle(kind, body);
  const values = parseFields(kind, bundle, body);
  call.require(kind.access.create(actor, bundle.name));
  const content = await createContent(api.services, actor, kind, bundle, values);
  const location = `${call.baseUrl}${entityPath[type](content.head.id)}`;
  return json(bodyOf(call, content), 201, { Location: location });
}

/** Whoever may create nothing of a kind is told the permission that they lack for the bundle which they sent. */
async function mayCreateAny(call: Call, kind: ContentKind): Promise<Access> {
  const { actor } = call;
  const access = kind.access.createAny(actor, kind.bundles.keys());
  if (access.isAllowed || access.reason === '' || !actor.isAuthenticated) return access;
  try {
    return kind.access.create(actor, parseBundle(kind, await call.json()).name);
  } catch (error) {
    // What else is wrong with the body is nothing for someone who may not create.
    if (error instanceof ServiceError) return access;
    throw error;
  }
}

async function change(call: Call, type: ContentType, path: string): Promise<Response> {
  const { api, actor } = call;
  const found = await findOr404(call, type, path);
  call.allow(found.kind.access.update(actor, found.head));
  const body = await call.json();
  parseBundle(found.kind, body);
  const values = parseFields(found.kind, found.bundle, body);
  let first: Content | undefined = found;
  const content = await changeContent(api.services, actor, values, {
    read: async () => {
      const current = first ?? (await findOr404(call, type, path));
      first = undefined;
      return current;
    },
    check: (current) => {
      call.require(current.kind.access.update(actor, current.head));
      requireCurrent(call, () => etagFor(call, current), changedOf(current));
    },
  });
  return representation(call, await contentAnswer(call, content));
}

async function remove(call: Call, type: ContentType, path: string): Promise<Response> {
  const { api, actor } = call;
  const found = await findOr404(call, type, path);
  call.allow(found.kind.access.remove(actor, found.head));
  await removeContent(
    api.services,
    () => findOr404(call, type, path),
    (current, uris) => {
      call.require(current.kind.access.remove(actor, current.head));
      call.require(termUriAccess(actor, uris, api.services.configuredUris));
      requireCurrent(call, () => etagFor(call, current), changedOf(current));
    },
  );
  return empty(204);
}
