import type { JsonObject } from '../../base/json.ts';
import { nonEmpty } from '../../field-types/plain-map.ts';
import { configUuid } from '../../model/config-uuid.ts';
import type { Bundle, EntityType, FieldDefinition } from '../../model/content-model.ts';
import { type ConfigSource, dependencies } from './config-dependencies.ts';

/** The modules that the entity types come from. */
const ENTITY_MODULES: Readonly<Record<EntityType, string>> = {
  node: 'node',
  media: 'media',
  taxonomy_term: 'taxonomy',
  paragraph: 'paragraphs',
  file: 'file',
  user: 'user',
};

/**
 * What the fields of one name have in common in all bundles of an entity type, as
 * `/entity/field_storage_config/{type}.{field}` shows it; undefined if none of them has such a field.
 */
export function fieldStorageJson(
  bundles: readonly Bundle[],
  fieldName: string,
  { model, fieldTypes }: ConfigSource,
): JsonObject | undefined {
  const fields = bundles.map(({ fieldNamed }) => fieldNamed.get(fieldName)).filter((field) => field !== undefined);
  const [first] = fields;
  const entityType = bundles[0]?.entityType;
  if (first === undefined || entityType === undefined) return undefined;
  const id = `${entityType}.${fieldName}`;
  const { module, storageSettings } = fieldTypes.of(first);
  return {
    uuid: configUuid('field_storage_config', id),
    langcode: model.defaultLanguage,
    status: true,
    dependencies: dependencies([], [ENTITY_MODULES[entityType], module]),
    id,
    field_name: fieldName,
    entity_type: entityType,
    type: first.type,
    settings: { ...commonSettings(first, fields), ...storageSettings },
    module,
    locked: false,
    cardinality: first.cardinality,
    translatable: fields.some(({ translatable }) => translatable),
    indexes: {},
    persist_with_no_fields: false,
    custom_storage: false,
  };
}

/** Type, cardinality and target are the same in every bundle; other settings of the storage may differ. */
function commonSettings(first: FieldDefinition, fields: readonly FieldDefinition[]): JsonObject {
  const { targetType } = first;
  const uriScheme = common(fields, 'uriScheme');
  const size = common(fields, 'size');
  return {
    ...maxLength(fields),
    ...(targetType !== undefined && { target_type: targetType }),
    ...(uriScheme !== undefined && { uri_scheme: uriScheme }),
    ...(size !== undefined && { size, unsigned: fields.every(({ unsigned }) => unsigned) }),
    ...nonEmpty('allowed_values', Object.assign({}, ...fields.map(({ allowedValues }) => allowedValues))),
  };
}

/**
 * The longest that any bundle takes: clients cut values down to this, and what is too long for the bundle at hand had
 * better be refused than lose its end unnoticed.
 */
function maxLength(fields: readonly FieldDefinition[]): JsonObject {
  let longest = 0;
  for (const { maxLength } of fields) {
    if (maxLength === undefined) return {};
    longest = Math.max(longest, maxLength);
  }
  return { max_length: longest };
}

/** What all say of something; undefined where they differ. */
function common<Key extends keyof FieldDefinition>(
  fields: readonly FieldDefinition[],
  key: Key,
): FieldDefinition[Key] | undefined {
  const value = fields[0]?.[key];
  for (const field of fields) if (field[key] !== value) return undefined;
  return value;
}
