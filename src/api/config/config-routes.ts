import { paths } from '../../paths.ts';
import { permissionAccess } from '../../repository/access.ts';
import type { ApiServices } from '../api-services.ts';
import type { Call } from '../call.ts';
import { resource } from '../check.ts';
import { representation } from '../respond.ts';
import { createConfigAnswers } from './config-answers.ts';
import type { ConfigEntityType } from './config-json.ts';
import * as described from './describe-config.ts';

/** A caller needs one of these to ask what a bulk loader has to know (spec: model.yaml, "routes"). */
export const LOADER_PERMISSIONS = ['administer site configuration', 'use islandora workbench'] as const;

/** The path of a configuration entity; its only parameter has the name of the type. */
const ENTITY_PATHS: Readonly<Record<ConfigEntityType, string>> = {
  entity_form_display: paths.formDisplay,
  field_config: paths.fieldConfig,
  field_storage_config: paths.fieldStorage,
  node_type: paths.nodeType,
  media_type: paths.mediaType,
  taxonomy_vocabulary: paths.taxonomyVocabulary,
};

/**
 * The content model as clients of the original look it up, read only: forms, fields and bundles (spec: loader-api, 3),
 * and the same under the addresses of the loader's own module.
 */
export function configRoutes(api: ApiServices) {
  const app = resource(api);
  const find = createConfigAnswers({ model: api.services.model, fieldTypes: api.services.fields.types });

  /** Adds a route whose parameters name an entity: by its id, or by the parts of its id. */
  function add(path: string, type: ConfigEntityType, resourceName: string, { params, detail }: described.Part): void {
    app.get(path, async ({ call }) => show(call, type), {
      check: { resource: resourceName, name: `rest.entity.${type}.GET`, shownPath: ENTITY_PATHS[type] },
      params,
      detail,
    });
  }

  function show(call: Call, type: ConfigEntityType): Response {
    call.allow(permissionAccess(call.actor, ...LOADER_PERMISSIONS));
    const found = find(type, call.params[type] ?? idIn(type, call.params));
    if (found === undefined) throw call.notFound(type);
    return representation(call, found);
  }

  const entity = (type: ConfigEntityType, part: described.Part) =>
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

/** The id of an entity whose parts are parameters of their own. Names have no dot in them. */
function idIn(type: ConfigEntityType, params: Readonly<Record<string, string>>): string {
  const { entity_type: entityType, bundle, field_name: field } = params;
  const parts = type === 'entity_form_display' ? [entityType, bundle, 'default'] : [entityType, bundle, field];
  const names = parts.filter((part) => part !== undefined);
  return names.join('.');
}
