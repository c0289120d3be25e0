import { paths } from '../../paths.ts';
import { permissionAccess } from '../../repository/access.ts';
import type { ApiServices } from '../../web/api-services.ts';
import { type Call, doesNotExist } from '../../web/call.ts';
import { resource } from '../../web/check.ts';
import { plainRepresentation } from '../../web/respond.ts';
import type { ConfigSource } from './config-dependencies.ts';
import { type ConfigEntityType, configJson } from './config-json.ts';
import * as described from './describe-config.ts';

/** The permissions that allow reading what a bulk loader needs; one of them suffices (spec: model.yaml, "routes"). */
export const LOADER_PERMISSIONS = ['administer site configuration', 'use islandora workbench'] as const;

/** The path of each type. Its only parameter has the name of the type. */
const ENTITY_PATHS: Readonly<Record<ConfigEntityType, string>> = {
  entity_form_display: paths.formDisplay,
  field_config: paths.fieldConfig,
  field_storage_config: paths.fieldStorage,
  node_type: paths.nodeType,
  media_type: paths.mediaType,
  taxonomy_vocabulary: paths.taxonomyVocabulary,
};

/**
 * Read-only routes of the content model as clients of Islandora expect it: forms, fields and bundles (spec: loader-api, 3),
 * also at the addresses of the loader's own module.
 */
export function configRoutes(api: ApiServices) {
  const app = resource(api);
  const source: ConfigSource = { model: api.services.model, fieldTypes: api.services.fields.types };

  /** Adds a route whose parameters are the id of an entity, or the parts of its id. */
  function add(
    path: string,
    type: ConfigEntityType,
    resource: string,
    { params, detail }: described.ConfigRoute,
  ): void {
    app.get(path, async ({ call }) => show(call, type), {
      check: { resource },
      params,
      detail,
    });
  }

  function show(call: Call, type: ConfigEntityType): Response {
    call.allow(permissionAccess(call.actor, ...LOADER_PERMISSIONS));
    const id = call.params[type] ?? idIn(type, call.params);
    const definition = configJson(source, type, id);
    if (definition === undefined) throw doesNotExist(type, id);
    return plainRepresentation(call, JSON.stringify(definition), undefined);
  }

  const entity = (type: ConfigEntityType, part: described.ConfigRoute) =>
    add(ENTITY_PATHS[type], type, `entity.${type}`, part);
  entity('entity_form_display', described.readFormDisplay);
  entity('field_config', described.readFieldConfig);
  entity('field_storage_config', described.readFieldStorage);
  entity('node_type', described.readNodeType);
  entity('media_type', described.readMediaType);
  entity('taxonomy_vocabulary', described.readVocabulary);
  add(paths.workbenchFormDisplay, 'entity_form_display', WORKBENCH, described.readFormDisplayOfBundle);
  add(paths.workbenchFieldConfig, 'field_config', WORKBENCH, described.readFieldConfigOfBundle);
  add(paths.workbenchFieldStorage, 'field_storage_config', WORKBENCH, described.readFieldStorageOfType);
  return app;
}

const WORKBENCH = 'workbench.integration';

/** Returns the id of an entity from its parts. Names contain no dot. */
function idIn(type: ConfigEntityType, params: Readonly<Record<string, string>>): string {
  const { entity_type: entityType, bundle, field_name: field } = params;
  const parts = type === 'entity_form_display' ? [entityType, bundle, 'default'] : [entityType, bundle, field];
  const names = parts.filter((part) => part !== undefined);
  return names.join('.');
}
