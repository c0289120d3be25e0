import { paths } from '../paths.ts';
import { permissionAccess } from '../repository/access.ts';
import type { ConfigEntityType } from '../representation/config-json.ts';
import type { ApiServices } from './api-services.ts';
import type { Call } from './call.ts';
import { createConfigAnswers, type FindConfigAnswer } from './config-answers.ts';
import * as described from './openapi/describe-config.ts';
import { representation } from './respond.ts';
import type { RouteDescription } from './route-description.ts';
import type { Route } from './routes.ts';

/** Each of these lets a caller ask what a bulk loader has to know (spec: model.yaml, "routes"). */
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
 * and the same under the addresses of the loader's own module. The model stays as it is while the program runs.
 */
export function createConfigRoutes(): readonly Route[] {
  let answers: FindConfigAnswer | undefined;
  const find = ({ services }: ApiServices) => {
    answers ??= createConfigAnswers(services.model);
    return answers;
  };

  function entityRoute(type: ConfigEntityType, description: RouteDescription): Route {
    const path = ENTITY_PATHS[type];
    const answer = (call: Call) => show(call, type, path, call.params[type] ?? '');
    return { method: 'GET', path, resource: `entity.${type}`, description, answer };
  }

  function actionRoute(type: ConfigEntityType, path: string, description: RouteDescription): Route {
    const answer = (call: Call) => show(call, type, ENTITY_PATHS[type], idIn(type, call.params));
    return { method: 'GET', path, resource: 'workbench.integration', description, answer };
  }

  async function show(call: Call, type: ConfigEntityType, path: string, id: string): Promise<Response> {
    call.allow(permissionAccess(call.actor, ...LOADER_PERMISSIONS));
    const found = find(call.api)(type, id);
    if (found === undefined) throw call.notFound(type, path, `rest.entity.${type}.GET`);
    return representation(call, found);
  }

  return [
    entityRoute('entity_form_display', described.readFormDisplay),
    entityRoute('field_config', described.readFieldConfig),
    entityRoute('field_storage_config', described.readFieldStorage),
    entityRoute('node_type', described.readNodeType),
    entityRoute('media_type', described.readMediaType),
    entityRoute('taxonomy_vocabulary', described.readVocabulary),
    actionRoute('entity_form_display', paths.workbenchFormDisplay, described.readFormDisplayOfBundle),
    actionRoute('field_config', paths.workbenchFieldConfig, described.readFieldConfigOfBundle),
    actionRoute('field_storage_config', paths.workbenchFieldStorage, described.readFieldStorageOfType),
  ];
}

/** The id of an entity whose parts are parameters of their own. Names have no dot in them. */
function idIn(type: ConfigEntityType, params: Readonly<Record<string, string>>): string {
  const { entity_type: entityType, bundle, field_name: field } = params;
  const parts = type === 'entity_form_display' ? [entityType, bundle, 'default'] : [entityType, bundle, field];
  const names = parts.filter((part) => part !== undefined);
  return names.join('.');
}
