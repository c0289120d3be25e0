import { Type as t } from '@sinclair/typebox';
import { etagOf } from '../../http/etag.ts';
import { paths } from '../../paths.ts';
import { permissionAccess } from '../../repository/access.ts';
import {
  type Alias,
  aliasTarget,
  changeAlias,
  createAlias,
  findAlias,
  removeAlias,
} from '../../repository/addresses/save-alias.ts';
import { parseDocument } from '../../repository/content/content.ts';
import { busyEntity, invalidAliasPath } from '../../repository/errors.ts';
import type { ApiServices } from '../api-services.ts';
import { type Call, parseId } from '../call.ts';
import { resource } from '../check.ts';
import { lenientBody } from '../lenient-body.ts';
import { createdOf, jsonOf, nothing, READ_CONDITIONS, versioned, WRITE_CONDITIONS } from '../openapi/answers.ts';
import { describe } from '../openapi/describe.ts';
import { VERSION_HEADERS } from '../openapi/headers.ts';
import { id } from '../parameters.ts';
import { empty, json, plainRepresentation, requireCurrent } from '../respond.ts';
import { aliasJson } from './alias-json.ts';
import { type AliasInput, parseAlias } from './parse-alias.ts';

const check = { resource: 'entity.path_alias', name: 'rest.entity.path_alias' };
const params = t.Object({ path_alias: id('The id of the alias.') });

const newAlias = lenientBody('AliasCreate', (body, { api }) => parseAlias(body, api.services.fields, true));
const aliasChange = lenientBody('AliasChange', (body, { api }) => parseAlias(body, api.services.fields, false));

/** Aliases as entities of their own: Islandora Workbench creates them so (spec: loader-api, 2 "create"). */
export const aliasRoutes = (api: ApiServices) =>
  resource(api)
    .post(paths.aliases, async ({ call, body }) => create(call, body), {
      check: {
        ...check,
        json: true,
        access: (call: Call) => allow(call, 'create url aliases', 'administer url aliases'),
      },
      body: newAlias,
      detail: describe({
        operationId: 'createAlias',
        tag: 'addresses',
        summary: 'Give content another address',
        description: 'Older aliases of the content go on answering; it shows the newest.',
        isForAnyone: false,
        responses: createdOf('The alias.', 'Alias'),
        failures: [403, 413, 422, 507],
      }),
    })
    .get(
      paths.alias,
      async ({ call }) => {
        const alias = await findOr404(call);
        allow(call, 'create url aliases', 'administer url aliases');
        return plainRepresentation(call, aliasJson(alias), undefined);
      },
      {
        check,
        params,
        detail: describe({
          operationId: 'getAlias',
          tag: 'addresses',
          summary: 'Read an alias',
          isForAnyone: false,
          headers: READ_CONDITIONS,
          responses: versioned('The alias.', jsonOf('Alias')),
          failures: [403, 404, 412],
        }),
      },
    )
    .patch(paths.alias, async ({ call, body }) => change(call, body), {
      check: { ...check, json: true, access: mayChange },
      params,
      body: aliasChange,
      detail: describe({
        operationId: 'changeAlias',
        tag: 'addresses',
        summary: 'Change an alias',
        headers: WRITE_CONDITIONS,
        responses: {
          200: { description: 'The alias as it is now.', headers: VERSION_HEADERS, content: jsonOf('Alias') },
        },
        failures: [403, 404, 409, 412, 413, 422, 507],
      }),
    })
    .delete(
      paths.alias,
      async ({ call }) => {
        const found = await mayChange(call);
        requireSame(call, found);
        if (!(await removeAlias(api.services, found))) throw busyEntity(undefined);
        return empty(204);
      },
      {
        check,
        params,
        detail: describe({
          operationId: 'deleteAlias',
          tag: 'addresses',
          summary: 'Delete an alias',
          description: 'Its content then shows the newest of those that are left.',
          headers: WRITE_CONDITIONS,
          responses: { 204: nothing('It is gone.') },
          failures: [403, 404, 409, 412],
        }),
      },
    );

function allow(call: Call, ...permissions: string[]): void {
  call.allow(permissionAccess(call.actor, ...permissions));
}

async function mayChange(call: Call): Promise<Alias> {
  const found = await findOr404(call);
  allow(call, 'administer url aliases');
  return found;
}

async function create(call: Call, { uuid = Bun.randomUUIDv7(), path = '', alias = '', ...sent }: AliasInput) {
  const langcode = await languageOfTarget(call, path);
  const made = await createAlias(call.api.services, { uuid, path, alias, langcode: sent.langcode ?? langcode });
  return json(aliasJson(made), 201, {
    Location: `${call.baseUrl}${paths.alias.replace(':path_alias', String(made.id))}`,
  });
}

async function change(call: Call, body: AliasInput): Promise<Response> {
  const found = await findOr404(call);
  const { path = found.path, alias = found.alias, langcode = found.langcode } = body;
  requireSame(call, found);
  const changed = { ...found, path, alias, langcode };
  if (path !== found.path) await languageOfTarget(call, path);
  if (path !== found.path || alias !== found.alias || langcode !== found.langcode) {
    if (!(await changeAlias(call.api.services, found, changed))) throw busyEntity(undefined);
  }
  return plainRepresentation(call, aliasJson(changed), undefined);
}

function requireSame(call: Call, alias: Alias): void {
  requireCurrent(call, () => etagOf(aliasJson(alias)), undefined);
}

async function findOr404(call: Call): Promise<Alias> {
  const aliasId = parseId(call.params.path_alias);
  const alias = aliasId === undefined ? undefined : await findAlias(call.api.services, aliasId);
  if (alias === undefined) throw call.notFound('path_alias');
  return alias;
}

/** Returns the language of the content at a path. Throws `unprocessable` if the caller may see no content there. */
async function languageOfTarget({ api, actor }: Call, path: string): Promise<string> {
  const target = aliasTarget(path);
  const content = target && (await api.findContent(target.type, target.id));
  if (content === undefined || !content.kind.access.view(actor, content.head).isAllowed) throw invalidAliasPath(path);
  return String(parseDocument(content).members.langcode?.[0]?.value);
}
