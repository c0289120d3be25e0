import { etagOf } from '../http/etag.ts';
import { paths } from '../paths.ts';
import { permissionAccess } from '../repository/access.ts';
import { aliasTarget } from '../repository/aliases/alias-target.ts';
import { type Alias, changeAlias, createAlias, findAlias, removeAlias } from '../repository/aliases/save-alias.ts';
import { parseDocument } from '../repository/content/content.ts';
import { busyEntity, pathOfNothing } from '../repository/errors.ts';
import { aliasJson } from '../representation/alias-json.ts';
import { parseAlias } from '../representation/parse-alias.ts';
import { type Call, parseId } from './call.ts';
import * as described from './openapi/describe-aliases.ts';
import { empty, json, plainRepresentation, requireCurrent } from './respond.ts';
import type { Route } from './routes.ts';

const JSON_ONLY = ['application/json'];
const resource = 'entity.path_alias';

/** Aliases by themselves: Islandora Workbench gives them so (spec: loader-api, 2 "create"). */
export const aliasRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: paths.aliases,
    resource,
    accepts: JSON_ONLY,
    description: described.createAlias,
    answer: create,
  },
  { method: 'GET', path: paths.alias, resource, description: described.readAlias, answer: show },
  {
    method: 'PATCH',
    path: paths.alias,
    resource,
    accepts: JSON_ONLY,
    description: described.changeAlias,
    answer: change,
  },
  { method: 'DELETE', path: paths.alias, resource, description: described.removeAlias, answer: remove },
];

async function create(call: Call): Promise<Response> {
  const { services } = call.api;
  call.allow(permissionAccess(call.actor, 'create url aliases', 'administer url aliases'));
  const {
    uuid = Bun.randomUUIDv7(),
    path = '',
    alias = '',
    ...sent
  } = parseAlias(await call.json(), services.fields, true);
  const langcode = await languageOfTarget(call, path);
  const made = await createAlias(services, { uuid, path, alias, langcode: sent.langcode ?? langcode });
  return json(aliasJson(made), 201, {
    Location: `${call.baseUrl}${paths.alias.replace(':path_alias', String(made.id))}`,
  });
}

async function show(call: Call): Promise<Response> {
  const alias = await findOr404(call);
  call.allow(permissionAccess(call.actor, 'create url aliases', 'administer url aliases'));
  return plainRepresentation(call, aliasJson(alias), undefined);
}

async function change(call: Call): Promise<Response> {
  const { services } = call.api;
  const found = await findOr404(call);
  call.allow(permissionAccess(call.actor, 'administer url aliases'));
  const {
    path = found.path,
    alias = found.alias,
    langcode = found.langcode,
  } = parseAlias(await call.json(), services.fields, false);
  requireSame(call, found);
  const changed = { ...found, path, alias, langcode };
  if (path !== found.path) await languageOfTarget(call, path);
  if (path !== found.path || alias !== found.alias || langcode !== found.langcode) {
    if (!(await changeAlias(services, found, changed))) throw busyEntity(undefined);
  }
  return plainRepresentation(call, aliasJson(changed), undefined);
}

async function remove(call: Call): Promise<Response> {
  const found = await findOr404(call);
  call.allow(permissionAccess(call.actor, 'administer url aliases'));
  requireSame(call, found);
  if (!(await removeAlias(call.api.services, found))) throw busyEntity(undefined);
  return empty(204);
}

function requireSame(call: Call, alias: Alias): void {
  requireCurrent(call, () => etagOf(aliasJson(alias)), undefined);
}

async function findOr404(call: Call): Promise<Alias> {
  const id = parseId(call.params.path_alias);
  const alias = id === undefined ? undefined : await findAlias(call.api.services, id);
  if (alias === undefined)
    throw call.notFound('path_alias', paths.alias, `rest.entity.path_alias.${call.request.method}`);
  return alias;
}

/** The language of what a path names. Throws `unprocessable` where that is nothing, or nothing that the caller may see. */
async function languageOfTarget({ api, actor }: Call, path: string): Promise<string> {
  const target = aliasTarget(path);
  const content = target && (await api.findContent(target.type, target.id));
  if (content === undefined || !content.kind.access.view(actor, content.head).isAllowed) throw pathOfNothing(path);
  return String(parseDocument(content).members.langcode?.[0]?.value);
}
