import { ServiceError } from '../base/errors.ts';
import { entityPath, paths } from '../paths.ts';
import type { Access } from '../repository/access.ts';
import type { Content } from '../repository/content/content.ts';
import type { ContentKind, ContentType } from '../repository/content/kinds.ts';
import { removeContent } from '../repository/content/remove-content.ts';
import { changeContent, createContent } from '../repository/content/save-content.ts';
import { contentEtag, contentJson, contentRepresentation, type Viewpoint } from '../representation/content-json.ts';
import { parseBundle, parseFields } from '../representation/parse-content.ts';
import { type Call, parseId } from './call.ts';
import { empty, json, type Representation, representation, requireCurrent } from './respond.ts';
import type { Route } from './routes.ts';

const JSON_ONLY = ['application/json'];

interface Addresses {
  readonly type: ContentType;
  /** Where it is read and changed; the first is the one that messages name. */
  readonly items: readonly string[];
  readonly creates: readonly string[];
}

const NODE: Addresses = { type: 'node', items: [paths.node], creates: [paths.nodes] };
const MEDIA: Addresses = {
  type: 'media',
  items: [paths.media, paths.mediaEdit],
  creates: [paths.mediaCreate, paths.mediaCreateShort],
};
const TERM: Addresses = { type: 'taxonomy_term', items: [paths.term], creates: [paths.terms] };

/** Create, read, change and remove nodes, media and terms (spec: repository, "Endpoints"). */
export const contentRoutes: readonly Route[] = [NODE, MEDIA, TERM].flatMap(({ type, items, creates }) => {
  const resource = `entity.${type}`;
  return [
    ...items.flatMap((path): Route[] => [
      { method: 'GET', path, resource, answer: (call) => show(call, type, path) },
      { method: 'PATCH', path, resource, accepts: JSON_ONLY, answer: (call) => change(call, type, path) },
      { method: 'DELETE', path, resource, answer: (call) => remove(call, type, path) },
    ]),
    ...creates.map(
      (path): Route => ({ method: 'POST', path, resource, accepts: JSON_ONLY, answer: (call) => create(call, type) }),
    ),
  ];
});

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

/** The ETag of what the caller is shown of content. */
export function etagFor(call: Call, content: Content): string {
  return contentEtag(content, viewpointOf(call));
}

/** When content changed, in seconds since 1970. Undefined for what lost a reference since: that left no date. */
export function changedOf({ head }: Content): number | undefined {
  return head.isDangling ? undefined : head.changed;
}

/** Content as the caller is shown it. */
export function shownTo(call: Call, content: Content): Representation {
  return { ...contentRepresentation(content, viewpointOf(call)), changed: changedOf(content) };
}

function viewpointOf({ actor, baseUrl, api }: Call): Viewpoint {
  return { actor, baseUrl, edition: api.edition };
}

async function show(call: Call, type: ContentType, path: string): Promise<Response> {
  const content = await findOr404(call, type, path);
  call.allow(content.kind.access.view(call.actor, content.head));
  return representation(call, shownTo(call, content));
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
  return representation(call, shownTo(call, content));
}

async function remove(call: Call, type: ContentType, path: string): Promise<Response> {
  const { api, actor } = call;
  const found = await findOr404(call, type, path);
  call.allow(found.kind.access.remove(actor, found.head));
  await removeContent(
    api.services,
    () => findOr404(call, type, path),
    (current) => {
      call.require(current.kind.access.remove(actor, current.head));
      requireCurrent(call, () => etagFor(call, current), changedOf(current));
    },
  );
  return empty(204);
}
