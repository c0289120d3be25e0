import { Type as t } from '@sinclair/typebox';
import { etagOf } from '../../http/etag.ts';
import type { Permission } from '../../model/permissions.ts';
import { pathOf, paths } from '../../paths.ts';
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
import type { ApiServices } from '../../web/api-services.ts';
import type { Call } from '../../web/call.ts';
import { resource } from '../../web/check.ts';
import {
  changed,
  created,
  DELETED,
  describe,
  JSON_TYPE,
  READ_CONDITIONS,
  versioned,
  WRITE_CONDITIONS,
} from '../../web/openapi/describe.ts';
import { id } from '../../web/parameters.ts';
import { empty, json, plainRepresentation, requireCurrent } from '../../web/respond.ts';
import { type AliasInput, aliasChange, aliasSchema, newAlias } from './parse-alias.ts';

const check = { resource: 'entity.path_alias' };
const params = t.Object({ path_alias: id('The id of the alias.') });

/** Routes of aliases as entities, which Islandora Workbench creates (spec: loader-api, 2 "create"). */
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
        summary: 'Create an alias of content',
        description: 'Older aliases of the content remain valid. The content shows the newest.',
        isForAnyone: false,
        responses: created('The alias.', aliasSchema),
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
          responses: versioned('The alias.', { [JSON_TYPE]: aliasSchema }),
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
        responses: changed('The changed alias.', aliasSchema),
        failures: [403, 404, 409, 412, 413, 422, 507],
      }),
    })
    .delete(
      paths.alias,
      async ({ call }) => {
        const alias = await mayChange(call);
        requireSame(call, alias);
        if (!(await removeAlias(api.services, alias))) throw busyEntity(undefined);
        return empty(204);
      },
      {
        check,
        params,
        detail: describe({
          operationId: 'deleteAlias',
          tag: 'addresses',
          summary: 'Delete an alias',
          description: 'Its content then shows its newest remaining alias.',
          headers: WRITE_CONDITIONS,
          responses: DELETED,
          failures: [403, 404, 409, 412],
        }),
      },
    );

function allow(call: Call, ...permissions: Permission[]): void {
  call.allow(permissionAccess(call.actor, ...permissions));
}

async function mayChange(call: Call): Promise<Alias> {
  const alias = await findOr404(call);
  allow(call, 'administer url aliases');
  return alias;
}

async function create(call: Call, { uuid = Bun.randomUUIDv7(), path = '', alias = '', ...sent }: AliasInput) {
  const langcode = await languageOfTarget(call, path);
  const made = await createAlias(call.api.services, { uuid, path, alias, langcode: sent.langcode ?? langcode });
  return json(aliasJson(made), 201, {
    Location: `${call.baseUrl}${pathOf('alias', { path_alias: made.id })}`,
  });
}

async function change(call: Call, body: AliasInput): Promise<Response> {
  const entity = await findOr404(call);
  const { path = entity.path, alias = entity.alias, langcode = entity.langcode } = body;
  requireSame(call, entity);
  const wanted = { ...entity, path, alias, langcode };
  if (path !== entity.path) await languageOfTarget(call, path);
  if (path !== entity.path || alias !== entity.alias || langcode !== entity.langcode) {
    if (!(await changeAlias(call.api.services, entity, wanted))) throw busyEntity(undefined);
  }
  return plainRepresentation(call, aliasJson(wanted), undefined);
}

function requireSame(call: Call, alias: Alias): void {
  requireCurrent(call, () => etagOf(aliasJson(alias)), undefined);
}

async function findOr404(call: Call): Promise<Alias> {
  const alias = await findAlias(call.api.services, call.id('path_alias'));
  if (alias === undefined) throw call.notFound('path_alias');
  return alias;
}

/** Returns an alias as JSON. Aliases are always published. */
function aliasJson({ id, uuid, langcode, path, alias }: Alias): string {
  return JSON.stringify({
    id: [{ value: id }],
    uuid: [{ value: uuid }],
    langcode: [{ value: langcode }],
    path: [{ value: path }],
    alias: [{ value: alias }],
    status: [{ value: true }],
  });
}

/** Returns the language of the content at a path. Throws `unprocessable` if the caller may view no content there. */
async function languageOfTarget({ api, actor }: Call, path: string): Promise<string> {
  const target = aliasTarget(path);
  const content = target && (await api.findContent(target.type, target.id));
  if (content === undefined || !content.kind.access.view(actor, content.head).isAllowed) throw invalidAliasPath(path);
  return String(parseDocument(content).members.langcode?.[0]?.value);
}
